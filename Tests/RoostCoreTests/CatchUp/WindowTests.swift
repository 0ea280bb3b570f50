import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// A client that is a little behind gets the newest events from memory: no read, the same events as from the log, and
/// live in the same turn.
@Suite struct WindowTests {
    private let relay: RelayHarness
    private let alice: HarnessClient
    private let group: String

    init() {
        relay = RelayHarness(
            limits: .with {
                $0.pageMessages = 3
                $0.backlogMax = 6
                $0.backlogChangesMax = 3
                $0.outboxCalmBytes = 1_000
                $0.outboxSpillBytes = 4_000
            })
        alice = relay.connect("alice")
        group = alice.makeGroup("bob")
        // Nothing is read in these tests unless they say so.
        relay.holdsReads = true
    }

    private func post(_ range: ClosedRange<Int>, to group: String? = nil) {
        for number in range { alice.post("m\(number)", to: group ?? self.group) }
    }

    private func send(_ body: String, _ number: Int, from client: HarnessClient, to group: String) {
        _ = client.request("send", ["to": "\(group)", "key": "k\(number)", "body": "\(body)"])
    }

    private func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "m\($0)" } }

    private func drop(_ client: HarnessClient) {
        client.tell("ack", ["position": "\(client.frames("live").last?.text("position") ?? "")"])
        client.drop()
    }

    @Test func missedEventsComeWithoutARead() {
        post(1...6)
        let bob = relay.connect("bob")
        #expect(bob.events.first == "created")
        #expect(bob.bodies == texts(1...6))
        #expect(bob.frames.last?.text("type") == "live")
        #expect(relay.heldReads.isEmpty)
        #expect(relay.relay.counters.behind.windowPieces == 1)
        post(7...7)
        #expect(bob.bodies == texts(1...7))
    }

    @Test func severalConversationsComeInTheOrderOfTheLog() {
        let other = alice.makeGroup("bob", name: "Other")
        for number in 1...6 { alice.post("m\(number)", to: number % 2 == 0 ? other : group) }
        #expect(relay.connect("bob").bodies == texts(1...6))
    }

    @Test func eventsOlderThanTheWindowComeFromTheLogFirst() {
        // A chunk holds about three messages, so the first ones have left the window.
        let relay = RelayHarness(limits: .with { $0.windowBytes = 32 * 1_000 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        for number in 1...200 { alice.post("m\(number)", to: group) }
        let bob = relay.connect("bob")
        #expect(bob.bodies == (1...200).map { "m\($0)" })
        #expect(relay.relay.counters.pages > 0 && relay.relay.counters.behind.windowPieces == 1)
        #expect(bob.frames("live").count == 1)
    }

    @Test func theWindowIsBounded() {
        let bytes = 32 * 1_000
        let relay = RelayHarness(limits: .with { $0.windowBytes = bytes })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        for number in 1...300 {
            send(String(repeating: "x", count: number % 50 == 0 ? 5_000 : 10), number, from: alice, to: group)
            if number % 3 == 0 {
                let sequence = Value(integerLiteral: Int64(number))
                _ = alice.request(
                    "edit", ["conversation": "\(group)", "sequence": sequence, "body": "much longer text"])
            }
            #expect(relay.relay.delivery.window.bytes <= bytes)
        }
    }

    /// An event that is too old is erased from the store, so it mustn't be here any longer.
    @Test func eventsThatAreTooOldAreNotInTheWindow() {
        let relay = RelayHarness(limits: .with { $0.windowMilliseconds = 32_000 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        let window = relay.relay.delivery.window
        for number in 1...10 {
            alice.post("m\(number)", to: group)
            relay.advance(10_000)
        }
        #expect(!window.covers(Position(relay.relay.head.value - 4)))
        #expect(window.covers(Position(relay.relay.head.value - 3)))
        let bob = relay.connect("bob")
        #expect(bob.bodies == (1...10).map { "m\($0)" })
        relay.advance(60_000)
        #expect(window.floor == relay.relay.head && window.bytes == 0)
        let late = relay.connect("alice", "late")
        late.post("next", to: group)
        #expect(relay.connect("bob").bodies.last == "next")
    }

    /// A long text fills a chunk in which no event begins.
    @Test func aChunkWithoutEventsKeepsNothingInTheWindow() {
        let relay = RelayHarness(
            limits: .with {
                $0.windowBytes = 32 * 2_000
                $0.windowMilliseconds = 20_000
            })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("m1", to: group)
        let long = String(repeating: "x", count: 9_000)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "\(long)"])
        alice.post("m2", to: group)
        relay.advance(20_000)
        #expect(relay.relay.delivery.window.floor == relay.relay.head)
    }

    @Test func anEditedMessageComesWithItsLastBody() {
        post(1...2)
        for body in ["first", "second"] {
            _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "\(body)"])
        }
        let bob = relay.connect("bob")
        #expect(bob.bodies == ["second", "m2"])
        #expect(bob.frames("edit").map { $0.text("body") } == ["second"])
        #expect(bob.frames("message").first?.number("editedAt") == bob.frames("edit").first?.number("time"))
    }

    @Test func nothingIsLeftOfADeletedMessage() {
        post(1...2)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "secret"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        let bob = relay.connect("bob")
        #expect(bob.frames("edit").isEmpty)
        #expect(bob.frames("delete").count == 1)
        let message = bob.frames("message").first
        #expect(message?["body"] == nil)
        #expect(message?.number("deletedAt") == bob.frames("delete").first?.number("time"))
    }

    @Test func theSendersOtherDevicesGetDeviceAndKey() {
        let tablet = relay.connect("alice", "tablet")
        drop(tablet)
        post(1...1)
        let back = relay.connect("alice", "tablet")
        let message = back.frames("message").first
        #expect(message?.text("device") == "phone")
        #expect(message?.text("key") != nil)
        #expect(message?.text("body") == "m1")
    }

    /// Bob writes while he catches up. The others of his devices get his message as an event.
    @Test(arguments: [true, false])
    func answeredEventsDoNotComeAgain(fromWindow: Bool) {
        let relay = RelayHarness(
            limits: .with {
                $0.outboxSpillBytes = 4_000
                $0.pageBytes = 2_000
                if !fromWindow { $0.windowBytes = 0 }
            })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        let long = String(repeating: "x", count: 500)
        for number in 1...10 { send(long, number, from: alice, to: group) }
        let bob = relay.open()
        bob.isReading = false
        bob.tell("hello", ["id": 0, "token": "bob", "device": "phone"])
        bob.tell("send", ["id": 1, "to": "\(group)", "key": "own", "body": "own"])
        alice.post("last", to: group)
        bob.isReading = true
        relay.settle()
        #expect(bob.frames("ok").first?.number("sequence") == 11)
        #expect(bob.bodies == Array(repeating: long, count: 10) + ["last"])
        #expect(relay.connect("bob", "tablet", resume: "memory-0").bodies.contains("own"))
    }

    @Test func aBacklogThatIsTooLongIsAGap() {
        post(1...4)
        alice.drop()
        let alice = relay.connect("alice")
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "Other"])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "x"])
        for number in 5...20 { alice.post("m\(number)", to: group) }
        let bob = relay.connect("bob")
        #expect(bob.bodies == texts(18...20))
        let gap = bob.frames("gap").first
        #expect(gap?.number("from") == 1 && gap?.number("to") == 17 && gap?.flag("reset") == nil)
        #expect(bob.frames("gap").count == 1 && bob.frames("react").isEmpty)
        #expect(bob.events == ["created", "renamed", "message", "message", "message"])
        #expect(relay.heldReads.isEmpty)
    }

    @Test func aGapThatTakesSeveralPiecesIsToldOnce() {
        let relay = RelayHarness(
            limits: .with {
                $0.pageMessages = 3
                $0.backlogMax = 6
                $0.windowEventsPerPiece = 4
            })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        for number in 1...30 { alice.post("m\(number)", to: group) }
        let bob = relay.connect("bob")
        #expect(bob.bodies == (28...30).map { "m\($0)" })
        #expect(bob.frames("gap").count == 1)
        #expect(relay.relay.counters.behind.windowPieces > 5)
    }

    /// An event that a reset leaves out doesn't come with a later piece. An event above it does, as from the log.
    @Test(arguments: [4, 4_096])
    func aResetThatTakesSeveralPiecesIsToldOnce(stepsPerTurn: Int) {
        let relay = RelayHarness(
            limits: .with {
                $0.stepsPerTurn = stepsPerTurn
                $0.pageMessages = 3
                $0.backlogMax = 6
                $0.backlogChangesMax = 3
                $0.windowEventsPerPiece = 4
            })
        let alice = relay.connect("alice")
        let groups = [alice.makeGroup("bob"), alice.makeGroup("bob", name: "Other")]
        for number in 1...16 {
            alice.post("m\(number)", to: groups[0])
            let sequence = Value(integerLiteral: Int64(number))
            _ = alice.request("react", ["conversation": "\(groups[0])", "sequence": sequence, "reaction": "x"])
            if number <= 6 { alice.post("o\(number)", to: groups[1]) }
        }
        let bob = relay.connect("bob")
        #expect(bob.frames("gap").count == 1)
        #expect(bob.frames("gap").first?.flag("reset") == true)
        #expect(bob.bodies == (1...6).map { "o\($0)" } + (14...16).map { "m\($0)" })
        #expect(bob.frames("react").compactMap { $0.number("sequence") } == [13, 14, 15, 16])
    }

    /// The window is searched for a user in very many conversations, and not each of them.
    @Test func aUserInManyConversationsGetsThemFromTheWindow() {
        let relay = RelayHarness(
            limits: .with {
                $0.stepsPerTurn = 4
                $0.windowEventsPerPiece = 8
            })
        let (alice, carol) = (relay.connect("alice"), relay.connect("carol"))
        let groups = (1...5).map { alice.makeGroup("bob", name: "G\($0)") }
        let left = alice.makeGroup("bob", name: "Left")
        alice.post("before", to: left)
        _ = alice.request("conversation.remove", ["conversation": "\(left)", "users": ["bob"]])
        alice.post("after", to: left)
        for number in 1...10 {
            alice.post("m\(number)", to: groups[number % 5])
            carol.post("c\(number)", to: carol.makeGroup("dave", name: "C\(number)"))
        }
        let bob = relay.connect("bob")
        #expect(bob.bodies == ["before"] + (1...10).map { "m\($0)" })
        #expect(bob.frames("live").count == 1)
        #expect(relay.heldReads.isEmpty && relay.relay.counters.behind.windowPieces > 10)
        bob.drop()
        let again = relay.connect("bob", resume: "memory-\(relay.relay.head.value)")
        #expect(again.events.isEmpty && again.frames("live").count == 1)
    }

    /// Events older than the window are looked for in each conversation, a few in each turn.
    @Test func aUserInManyConversationsGetsThemFromTheLog() {
        let relay = RelayHarness(
            limits: .with {
                $0.stepsPerTurn = 4
                $0.windowBytes = 0
                $0.pageSpans = 3
                $0.pageMessages = 4
            })
        let alice = relay.connect("alice")
        let groups = (1...9).map { alice.makeGroup("bob", name: "G\($0)") }
        for number in 1...30 { alice.post("m\(number)", to: groups[number * 7 % 9]) }
        let steps = relay.relay.counters.steps
        let bob = relay.connect("bob")
        #expect(bob.bodies == (1...30).map { "m\($0)" })
        #expect(relay.relay.counters.steps >= steps + 9)
    }

    @Test func tooManyChangesMakeAReset() {
        post(1...1)
        for _ in 1...2 {
            _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "x"])
            _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "x", "remove": true])
        }
        post(2...12)
        let bob = relay.connect("bob")
        #expect(bob.bodies == texts(10...12))
        let gap = bob.frames("gap").first
        #expect(gap?.number("from") == 1 && gap?.number("to") == 9 && gap?.flag("reset") == true)
        #expect(bob.frames("react").isEmpty)
    }

    @Test func aSlowReaderIsServedWithoutARead() {
        let bob = relay.connect("bob")
        bob.isReading = false
        let long = String(repeating: "x", count: 900)
        for number in 1...6 { send(long, number, from: alice, to: group) }
        #expect(relay.relay.counters.behind.sessions == 1)
        bob.isReading = true
        relay.settle()
        #expect(bob.bodies == Array(repeating: long, count: 6))
        #expect(relay.relay.counters.behind.sessions == 0)
        #expect(bob.frames("live").count == 2)
        #expect(relay.heldReads.isEmpty)
    }

    @Test func aMemberWhoLeftGetsWhatCameBefore() {
        post(1...2)
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        post(3...3)
        let bob = relay.connect("bob")
        #expect(bob.bodies == texts(1...2))
        #expect(bob.events.last == "removed")
    }

    @Test func aMemberWhoLeftIsNotToldWhatBecameOfMessagesSince() {
        post(1...3)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 2, "body": "before"])
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "after"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 3])
        let bob = relay.connect("bob")
        #expect(bob.frames("message").map { $0.flag("hidden") } == [true, nil, true])
        #expect(bob.bodies == ["before"] && bob.events.last == "removed")
        #expect(relay.heldReads.isEmpty)
    }

    @Test func aMemberWhoJoinedIsToldWhatWasBefore() {
        post(1...2)
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        post(3...3)
        let carol = relay.connect("carol")
        #expect(carol.bodies == texts(3...3))
        let types = carol.frames.compactMap { $0.text("type") }
        #expect(types == ["welcome", "conversation", "gap", "message", "live"])
        #expect(carol.frames("gap").first?.flag("reset") == true)
    }

    @Test func nothingIsShownOfAConversationThatIsGone() {
        let solo = alice.makeGroup(name: "Solo")
        alice.post("s1", to: solo)
        _ = alice.request("conversation.leave", ["conversation": "\(solo)"])
        post(1...1)
        #expect(relay.connect("alice", "tablet", resume: "memory-0").bodies == texts(1...1))
    }

    @Test func sessionsThatEndWhileBehindAreNotCounted() {
        post(1...3)
        let bob = relay.open()
        bob.isReading = false
        bob.tell("hello", ["id": 0, "token": "bob", "device": "phone"])
        post(4...9)
        bob.drop()
        #expect(relay.relay.counters.behind.sessions == 0)
    }
}
