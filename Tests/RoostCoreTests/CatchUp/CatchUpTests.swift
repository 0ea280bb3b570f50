import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire
import Testing

/// Being offline, resuming and reading slowly use one mechanism: the device gets everything it missed, in order, at its
/// own pace.
@Suite struct CatchUpTests {
    let relay = RelayHarness(
        limits: .with {
            $0.pageMessages = 3
            $0.backlogMax = 6
            $0.outboxCalmBytes = 1_000
            $0.outboxSpillBytes = 2_000
            $0.windowBytes = 0
        })
    let alice: HarnessClient
    let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob")
    }

    private func post(_ range: ClosedRange<Int>, to group: String? = nil) {
        for number in range { alice.post("m\(number)", to: group ?? self.group) }
    }

    private func texts(_ range: ClosedRange<Int>) -> [String] { range.map { "m\($0)" } }

    /// Bob connects and reads nothing.
    private func connectBlocked() -> HarnessClient {
        let bob = relay.open()
        bob.isReading = false
        bob.tell("hello", ["id": 0, "token": "bob", "device": "phone"])
        return bob
    }

    private func resumeReading(_ client: HarnessClient) {
        client.isReading = true
        relay.settle()
    }

    @Test func missedEventsFollowTheWelcomeInOrder() {
        post(1...6)
        let bob = relay.connect("bob")
        #expect(bob.frames.first?.text("type") == "welcome")
        #expect(bob.events.first == "created")
        #expect(bob.bodies == texts(1...6))
        #expect(bob.frames("gap").isEmpty)
        post(7...8)
        #expect(bob.bodies == texts(1...8))
    }

    @Test func aPageIsReadWhenTheLastOneHasLeft() {
        post(1...6)
        let bob = connectBlocked()
        // `welcome`, and the first page: the event that created the group, and two messages in one piece.
        #expect(bob.session.outbox.count == 3)
        #expect(relay.relay.counters.pages == 1)
        resumeReading(bob)
        #expect(bob.bodies == texts(1...6))
        #expect(relay.relay.counters.pages == 3)
    }

    @Test func messagesSentDuringCatchUpComeInOrder() {
        post(1...4)
        relay.holdsReads = true
        let bob = relay.connect("bob")
        post(5...6)
        #expect(bob.bodies.isEmpty)
        relay.holdsReads = false
        relay.settle()
        #expect(bob.bodies == texts(1...6))
    }

    @Test func repliesAndSignalsAreNotHeldBackMeanwhile() {
        post(1...4)
        relay.holdsReads = true
        let bob = relay.connect("bob")
        #expect(bob.outcome("ping") == "pong")
        alice.tell("signal", ["to": "\(group)", "body": 1])
        #expect(bob.frames("signal").count == 1)
    }

    @Test func aBacklogOfExactlyTheBoundComesWhole() {
        post(1...6)
        let bob = relay.connect("bob")
        #expect(bob.frames("gap").isEmpty)
        #expect(bob.bodies == texts(1...6))
    }

    @Test func aLongBacklogComesAsAGapAndTheNewestPage() {
        post(1...7)
        let bob = relay.connect("bob")
        let gap = bob.frames("gap").first
        #expect(gap?.text("conversation") == group)
        #expect(gap?.number("from") == 1)
        #expect(gap?.number("to") == 4)
        #expect(bob.bodies == texts(5...7))
        post(8...8)
        #expect(bob.bodies == texts(5...8))
    }

    /// Bob was removed and added again while his device was away. The device gets the messages in between.
    @Test func aMemberAddedAgainWhileAwayIsToldWhatToFetch() {
        post(1...2)
        var bob = relay.connect("bob")
        bob.tell("ack", ["position": "\(bob.frames("message").last?.text("position") ?? "")"])
        bob.drop()
        post(3...4)
        #expect(alice.outcome("conversation.remove", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        post(5...5)
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["bob"]]) == "ok")
        post(6...6)
        bob = relay.connect("bob")
        let gap = bob.frames("gap").first
        #expect(gap?.number("from") == 1)
        #expect(gap?.number("to") == 5)
        #expect(bob.bodies == texts(6...6))
    }

    /// Bob has the first two messages. Their later changes, and those of the group, come in spite of the gap.
    @Test func aGapLeavesOutNothingButItsMessages() {
        post(1...2)
        var bob = relay.connect("bob")
        bob.ackAll()
        bob.drop()
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "old"])
        post(3...4)
        relay.pause()
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "new"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 3, "reaction": "+"])
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "new"])
        _ = alice.request("conversation.role", ["conversation": "\(group)", "user": "bob", "role": "admin"])
        post(5...12)
        bob = relay.connect("bob")
        let gap = bob.frames("gap").first
        #expect(gap?.number("from") == 3 && gap?.number("to") == 9 && gap?["reset"] == nil)
        #expect(bob.bodies == texts(10...12))
        #expect(bob.frames("edit").map { $0.text("body") } == ["new"])
        #expect(bob.frames("delete").map { $0.number("sequence") } == [2])
        #expect(bob.frames("react").isEmpty)
        #expect(bob.events == ["edit", "delete", "renamed", "role", "message", "message", "message"])
        #expect(bob.frames.dropFirst().first?.text("type") == "gap")
    }

    /// Reading the conversation anew costs the device less than all the changes.
    @Test func tooManyChangesMakeAReset() {
        let relay = RelayHarness(
            limits: .with {
                $0.pageMessages = 3
                $0.backlogMax = 6
                $0.backlogChangesMax = 2
                $0.windowBytes = 0
            })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("m1", to: group)
        var bob = relay.connect("bob")
        bob.ackAll()
        bob.drop()
        for name in ["a", "b", "c"] {
            _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "\(name)"])
        }
        for number in 2...9 { alice.post("m\(number)", to: group) }
        bob = relay.connect("bob")
        #expect(bob.events == ["message", "message", "message"])
        let gap = bob.frames("gap").first
        #expect(gap?.number("from") == 1 && gap?.number("to") == 6 && gap?["reset"]?.bool == true)
        let now = bob.request("conversation.get", ["conversation": "\(group)"])
        #expect(now?["conversation"]?.text("name") == "c")
        #expect(now?["conversation"]?["message"]?.text("body") == "m9")
    }

    /// A client that gets an edit always gets a body, and never an old one.
    @Test func nothingButTheDeletionIsToldOfADeletedMessage() {
        post(1...2)
        var bob = relay.connect("bob")
        bob.ackAll()
        bob.drop()
        for (sequence, body) in [(1, "a"), (2, "b"), (1, "c")] {
            relay.pause()
            _ = alice.request(
                "edit", ["conversation": "\(group)", "sequence": Value(json: "\(sequence)"), "body": "\(body)"])
        }
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        bob = relay.connect("bob")
        #expect(bob.events == ["edit", "delete"])
        #expect(bob.frames("edit").first?.text("body") == "c")
    }

    /// A device that was connected gets the same as one that was away.
    @Test(arguments: [true, false])
    func newMembersGetTheEarlierState(isConnected: Bool) {
        post(1...3)
        var carol = relay.connect("carol")
        if !isConnected { carol.drop() }
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        if !isConnected { carol = relay.connect("carol") }
        #expect(carol.events == ["added"])
        let added = carol.frames("conversation").first
        #expect(added?.number("sequence") == 3 && added?.number("unread") == 0 && added?.number("read") == 0)
        let place = carol.frames.firstIndex { $0.text("event") == "added" } ?? 0
        let gap = carol.frames[place...].dropFirst().first
        #expect(gap?.number("from") == 1 && gap?.number("to") == 3 && gap?["reset"]?.bool == true)
        // An ack of the joining is none of what was before.
        carol.tell("ack", ["position": "\(added?.text("position") ?? "")"])
        carol.drop()
        carol = relay.connect("carol")
        let members = alice.request("conversation.members", ["conversation": "\(group)", "sequence": 3])
        #expect(members?.number("deliveredCount") == 0)
        let object = carol.request("conversation.get", ["conversation": "\(group)"])?["conversation"]
        #expect(object?.number("sequence") == 3 && object?.number("unread") == 0 && object?.number("read") == 0)
    }

    @Test func theNameInAddedIsTheNewestOne() {
        let carol = relay.connect("carol")
        relay.holdsCommits = true
        alice.tell("conversation.rename", ["id": 1, "conversation": "\(group)", "name": "new"])
        alice.tell("conversation.add", ["id": 2, "conversation": "\(group)", "users": ["carol"]])
        relay.holdsCommits = false
        relay.settle()
        #expect(carol.frames("conversation").map { $0.text("name") } == ["new"])
    }

    // MARK: live

    @Test func everySessionIsToldWhenNothingIsMissing() {
        let carol = relay.connect("carol")
        #expect(carol.frames.last?.text("type") == "live")
        post(1...9)
        let bob = relay.connect("bob")
        #expect(bob.frames("live").count == 1)
        #expect(bob.frames.last?.text("type") == "live")
        #expect(bob.frames("live").first?.text("position") == bob.welcome("head")?.string)
    }

    /// Nothing that concerns carol happens, so she has no event to ack.
    @Test func anAckOfLiveCoversEverything() {
        var carol = relay.connect("carol")
        post(1...3)
        carol.drop()
        carol = relay.connect("carol")
        #expect(carol.welcome("position")?.string != carol.welcome("head")?.string)
        carol.tell("ack", ["position": "\(carol.frames("live").first?.text("position") ?? "")"])
        carol.drop()
        carol = relay.connect("carol")
        #expect(carol.welcome("position")?.string == carol.welcome("head")?.string)
    }

    /// Bob writes while he catches up. The `ok` says nothing of what he missed; `live` does.
    @Test func anAckOfLiveCountsAfterAnOkThatCameAhead() {
        post(1...3)
        relay.holdsReads = true
        var bob = relay.connect("bob")
        let own = bob.post("own", to: group)
        relay.holdsReads = false
        relay.settle()
        #expect(bob.bodies == texts(1...3) + ["own"])
        bob.tell("ack", ["position": "\(own?.text("position") ?? "")"])
        bob.tell("ack", ["position": "\(bob.frames("live").first?.text("position") ?? "")"])
        bob.drop()
        bob = relay.connect("bob")
        #expect(bob.bodies == ["own"])
        #expect(bob.welcome("new") == nil)
    }

    @Test func aDeviceIsNewUntilItHasAcked() {
        for _ in 0..<2 {
            let carol = relay.connect("carol")
            #expect(carol.welcome("new")?.bool == true)
            carol.drop()
        }
        relay.crash()
        var carol = relay.connect("carol")
        #expect(carol.welcome("new")?.bool == true)
        carol.tell("ack", ["position": "\(carol.frames("live").first?.text("position") ?? "")"])
        carol.drop()
        carol = relay.connect("carol")
        #expect(carol.welcome("new") == nil)
        relay.pause()
        relay.crash()
        #expect(relay.connect("carol").welcome("new") == nil)
    }

    @Test func eachConversationHasItsOwnGap() {
        let other = alice.makeGroup("bob")
        post(1...7)
        post(11...12, to: other)
        let bob = relay.connect("bob")
        #expect(bob.frames("gap").count == 1)
        #expect(Set(bob.bodies) == Set(texts(5...7) + texts(11...12)))
    }

    @Test func aSlowReaderReadsFromTheLogAndLosesNothing() throws {
        let bob = relay.connect("bob")
        bob.isReading = false
        post(1...60)
        #expect(bob.session.outbox.bytes <= 2_000)
        #expect(relay.relay.counters.behind.spills == 1)
        resumeReading(bob)
        let gap = try #require(bob.frames("gap").first)
        let missing = (gap.number("from") ?? 0)...(gap.number("to") ?? 0)
        // Everything before the gap, the gap, and everything after it.
        #expect(bob.bodies == (1...60).filter { !missing.contains($0) }.map { "m\($0)" })
        #expect(missing.count > 40)
        let pages = relay.relay.counters.pages
        post(61...61)
        #expect(bob.bodies.last == "m61")
        #expect(relay.relay.counters.pages == pages)
    }

    @Test func aFrameAboveTheSpillLimitStillArrives() {
        let bob = relay.connect("bob")
        let long = String(repeating: "b", count: 3_000)
        _ = alice.request("send", ["to": "\(group)", "key": "k", "body": "\(long)"])
        #expect(bob.bodies == [long])
    }

    /// All these messages take the same number of bytes.
    @Test func theSpillBeginsExactlyPastTheLimit() {
        let probe = relay.connect("bob")
        post(1...1)
        let size = probe.frames("message").count == 1 ? messageBytes(to: probe) : 0
        let tight = RelayHarness(limits: .with { $0.outboxSpillBytes = size * 2 })
        let writer = tight.connect("alice")
        let group = writer.makeGroup("bob")
        let reader = tight.connect("bob")
        reader.isReading = false
        for number in 1...2 { writer.post("m\(number)", to: group) }
        #expect(tight.relay.counters.behind.spills == 0)
        #expect(reader.session.outbox.bytes == size * 2)
        writer.post("m3", to: group)
        #expect(tight.relay.counters.behind.spills == 1)
    }

    private func messageBytes(to client: HarnessClient) -> Int {
        client.isReading = false
        post(2...2)
        return client.session.outbox.bytes
    }

    @Test func aMemberRemovedMeanwhileGetsEverythingUpToThat() {
        post(1...2)
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        post(3...4)
        let bob = relay.connect("bob")
        #expect(bob.events == ["created", "message", "message", "removed"])
        #expect(bob.bodies == texts(1...2))
    }

    /// The log doesn't keep what a group was called.
    @Test func aMemberWhoWasAwayIsToldWhatTheGroupIsCalledNow() {
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "First"])
        _ = alice.request("conversation.describe", ["conversation": "\(group)", "photo": "p", "description": "Climbs"])
        _ = alice.request("conversation.describe", ["conversation": "\(group)", "photo": ""])
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "Second"])
        let bob = relay.connect("bob")
        #expect(bob.events == ["created", "renamed", "described", "described", "renamed"])
        let frames = bob.frames("conversation")
        #expect(frames.compactMap { $0.text("name") } == ["Second", "Second", "Second"])
        #expect(frames.map { $0.text("description") } == ["Climbs", nil, "Climbs", "Climbs", nil])
        #expect(frames.map { $0.text("photo") } == [nil, nil, "", "", nil])
    }

    /// A former member doesn't get later names of the group, and no other page gets that member's form.
    @Test func aMemberRemovedMeanwhileIsNotToldWhatTheGroupIsCalledSince() {
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["carol"]])
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "First"])
        _ = alice.request("conversation.describe", ["conversation": "\(group)", "description": "Climbs"])
        post(1...1)
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        _ = alice.request("conversation.rename", ["conversation": "\(group)", "name": "Second"])
        let bob = relay.connect("bob")
        #expect(bob.events == ["created", "added", "message", "removed"])
        #expect(bob.frames("conversation").allSatisfy { $0.text("name") == nil && $0.text("description") == nil })
        #expect(bob.frames("conversation").first?.text("kind") == "group")
        let carol = relay.connect("carol")
        #expect(carol.events == ["added", "renamed", "described", "message", "removed", "renamed"])
        #expect(carol.frames("conversation").first?.text("name") == "Second")
    }

    /// A former member doesn't get later changes of messages, however often it comes back.
    @Test func aMemberRemovedMeanwhileIsNotToldWhatBecameOfMessagesSince() {
        post(1...3)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 2, "body": "before"])
        relay.pause()
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        relay.pause()
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "after"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 3])
        for device in ["phone", "tablet"] {
            let bob = relay.connect("bob", device)
            #expect(bob.events == ["created", "message", "message", "message", "edit", "removed"])
            #expect(bob.bodies == ["before"])
            let messages = bob.frames("message")
            #expect(messages.map { $0.flag("hidden") } == [true, nil, true])
            #expect(messages.allSatisfy { $0.number("deletedAt") == nil })
            bob.drop()
        }
        // The author's own messages aren't hidden.
        #expect(relay.connect("alice", "new").frames("message").allSatisfy { $0.flag("hidden") == nil })
    }

    /// Nor while a device of that one is catching up: not by a page that is asked for later, and not by one that is
    /// read later.
    @Test(arguments: [true, false])
    func aMemberRemovedWhileCatchingUpIsNotToldWhatBecameOfMessagesSince(isAsked: Bool) {
        post(1...6)
        relay.holdsReads = isAsked
        let bob = connectBlocked()
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        relay.pause()
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 5, "body": "after"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 6])
        relay.holdsReads = false
        resumeReading(bob)
        #expect(bob.bodies == texts(1...4))
        #expect(bob.frames("message").map { $0.flag("hidden") } == [nil, nil, nil, nil, true, true])
        #expect(bob.frames("message").allSatisfy { $0.number("deletedAt") == nil })
        #expect(bob.events.last == "removed")
    }

    @Test func aRestartLosesNothing() {
        post(1...2)
        relay.crash()
        let bob = relay.connect("bob")
        #expect(bob.bodies == texts(1...2))
    }

    /// Each user is in another group, so no two of them missed the same.
    private func makeGroups(_ names: [String]) {
        for name in names {
            let group = alice.makeGroup(name, name: name)
            _ = alice.request("send", ["to": "\(group)", "key": "\(name)", "body": "m1"])
        }
    }

    @Test func aBoundedNumberOfPagesIsReadAtOnceAndAllGetTheirs() {
        let names = (0...Limits().pagesAtOnce).map { "u\($0)" }
        makeGroups(names)
        relay.holdsReads = true
        let clients = names.map { relay.connect($0) }
        #expect(relay.heldReads.count == Limits().pagesAtOnce)
        relay.holdsReads = false
        relay.settle()
        #expect(clients.allSatisfy { $0.bodies == ["m1"] })
    }

    @Test func anEndedSessionInTheQueueIsSkipped() {
        let names = (0...Limits().pagesAtOnce + 1).map { "u\($0)" }
        makeGroups(names)
        relay.holdsReads = true
        let clients = names.map { relay.connect($0) }
        clients[Limits().pagesAtOnce].drop()
        relay.holdsReads = false
        relay.settle()
        #expect(clients.last?.bodies == ["m1"])
    }

    @Test func aPageThatCannotBeReadEndsTheConnection() {
        post(1...1)
        relay.holdsReads = true
        let bob = relay.connect("bob")
        for read in relay.heldReads {
            relay.relay.answered(ReadResult(ticket: read.ticket, isFailed: true), at: relay.now)
        }
        relay.settle()
        #expect(bob.closeCode == .overloaded)
    }
}
