import RoostFraming
import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Sessions that missed the same events share pages, which are read once. A page that has become wrong is never shared.
@Suite struct SharedPageTests {
    let relay: RelayHarness
    let alice: HarnessClient
    let group: String
    let names = (1...5).map { "u\($0)" }

    init() {
        relay = RelayHarness(
            limits: .with {
                $0.pageMessages = 3
                $0.windowBytes = 0
                // A turn hands out one page.
                $0.pageBytesPerTurn = 1
            })
        alice = relay.connect("alice")
        group =
            alice.request(
                "conversation.create", ["kind": "group", "name": "Crew", "members": .list(names)])?["conversation"]?
            .text("conversation") ?? "none"
        for number in 1...6 { alice.post("m\(number)", to: group) }
    }

    private let all = (1...6).map { "m\($0)" }

    @Test func sessionsThatMissedTheSameShareARead() {
        relay.holdsReads = true
        let clients = names.map { relay.connect($0) }
        #expect(relay.heldReads.count == 1)
        relay.holdsReads = false
        relay.settle()
        #expect(clients.allSatisfy { $0.bodies == all })
        #expect(relay.relay.counters.pages == clients.count * 3)
    }

    @Test func laterSessionsGetKeptPages() {
        #expect(relay.connect(names[0]).bodies == all)
        relay.holdsReads = true
        let later = relay.connect(names[1])
        #expect(relay.heldReads.isEmpty)
        #expect(later.bodies == all)
    }

    @Test func aSessionFurtherAheadReadsItsOwnPage() {
        let first = relay.connect(names[0])
        first.tell("ack", ["position": "\(first.frames("message")[1].text("position") ?? "")"])
        first.drop()
        #expect(relay.connect(names[1]).bodies == all)
        #expect(relay.connect(names[0]).bodies == Array(all[2...]))
    }

    @Test func aKeptPageIsDroppedByAChange() {
        #expect(relay.connect(names[0]).bodies == all)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 2, "body": "new"])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 3])
        let later = relay.connect(names[1])
        #expect(later.frames("message").compactMap { $0.text("body") } == ["m1", "new", "m4", "m5", "m6"])
    }

    /// A page that was read before a deletion only goes to sessions that asked before the deletion.
    @Test func aPageUnderWayIsNotSharedAfterAChange() {
        relay.holdsReads = true
        let early = relay.connect(names[0])
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        let late = relay.connect(names[1])
        #expect(relay.heldReads.count == 2)
        relay.holdsReads = false
        relay.settle()
        #expect(early.events.last == "delete")
        #expect(late.bodies == all.filter { $0 != "m2" })
    }

    @Test func aPageThatNobodyWantsAnyMoreIsForgotten() {
        #expect(relay.connect(names[0]).bodies == all)
        relay.advance(Limits().aliveMilliseconds * 2)
        relay.holdsReads = true
        _ = relay.connect(names[1])
        #expect(relay.heldReads.count == 1)
    }

    /// The log erases old messages without telling anybody, so a page is read again after a while.
    @Test func aPageThatIsAlwaysWantedIsReadAgain() {
        #expect(readsAfterTwoRounds(.with { $0.sharedPageRounds = 3 }) == 0)
        #expect(readsAfterTwoRounds(.with { $0.sharedPageRounds = 2 }) == 1)
    }

    /// A client asks for the same page at the end of each round.
    private func readsAfterTwoRounds(_ limits: Limits) -> Int {
        var limits = limits
        limits.windowBytes = 0
        let relay = RelayHarness(limits: limits)
        let alice = relay.connect("alice")
        let names = ["bob", "carol", "dave", "erin"]
        let group = alice.makeGroup(names[0], names[1], names[2], names[3])
        alice.post("m", to: group)
        for name in names.prefix(3) {
            _ = relay.connect(name)
            relay.advance(limits.aliveMilliseconds)
        }
        relay.holdsReads = true
        _ = relay.connect(names[3])
        return relay.heldReads.count
    }

    /// The newest pages stay. A page that isn't kept is read again.
    @Test func onlySoManyPagesAreKept() {
        #expect(readsOfASecondSession(.with { $0.sharedPages = 3 }) == 0)
        #expect(readsOfASecondSession(.with { $0.sharedPages = 2 }) == 1)
    }

    @Test func aPageOfMoreConversationsIsNotShared() {
        #expect(readsOfASecondSession(.with { $0.sharedPageSpans = 2 }) == 0)
        #expect(readsOfASecondSession(.with { $0.sharedPageSpans = 1 }) == 1)
    }

    /// Two users have missed the same in two conversations, three pages in all. Returns how many reads are under way
    /// when the second comes after the first.
    private func readsOfASecondSession(_ limits: Limits) -> Int {
        var limits = limits
        limits.pageMessages = 2
        limits.windowBytes = 0
        let relay = RelayHarness(limits: limits)
        let alice = relay.connect("alice")
        let groups = [alice.makeGroup("bob", "carol"), alice.makeGroup("bob", "carol")]
        for (number, group) in (groups + groups).enumerated() { alice.post("m\(number)", to: group) }
        _ = relay.connect("bob")
        relay.holdsReads = true
        _ = relay.connect("carol")
        return relay.heldReads.count
    }

    /// Only the author's own devices get the key and the device of a message.
    @Test func authorsSeeTheirMessagesAsTheirOwn() throws {
        let other = relay.connect(names[0])
        let own = relay.connect("alice", "tablet", resume: "memory-0")
        #expect(own.bodies == all && other.bodies == all)
        #expect(own.frames("message").allSatisfy { $0.text("key") != nil })
        #expect(other.frames("message").allSatisfy { $0.text("key") == nil })
        #expect(relay.connect(names[1]).frames("message").allSatisfy { $0.text("key") == nil })
    }

    @Test func oneTurnHandsOutABoundedAmount() {
        relay.holdsReads = true
        let clients = names.map { relay.connect($0) }
        for read in relay.heldReads { relay.relay.answered(relay.log.answer(read), at: relay.now) }
        relay.relay.catchUp.handOut(at: relay.now)
        #expect(clients.filter { !$0.session.outbox.isEmpty }.count == 1)
        #expect(relay.relay.catchUp.hasWork)
        while relay.relay.catchUp.hasWork { relay.relay.catchUp.handOut(at: relay.now) }
        #expect(clients.allSatisfy { !$0.session.outbox.isEmpty })
    }

    @Test func onlyAMemberWhoJoinedMeanwhileIsToldOfTheGap() {
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["new"]])
        alice.post("m7", to: group)
        let old = relay.connect(names[0])
        let new = relay.connect("new")
        #expect(old.bodies == all + ["m7"])
        #expect(old.frames("gap").isEmpty)
        #expect(new.bodies == ["m7"])
    }

    /// The last member leaves while another of its devices waits for a page that has been read.
    @Test func nothingIsShownOfAConversationThatIsGone() {
        let solo =
            alice.request("conversation.create", ["kind": "group", "name": "Solo", "members": []])?[
                "conversation"]?
            .text("conversation") ?? "none"
        alice.post("s1", to: solo)
        relay.holdsReads = true
        let tablet = relay.connect("alice", "tablet", resume: "memory-0")
        for read in relay.heldReads { relay.relay.answered(relay.log.answer(read), at: relay.now) }
        _ = alice.request("conversation.leave", ["conversation": "\(solo)"])
        relay.relay.catchUp.handOut(at: relay.now)
        relay.holdsReads = false
        relay.settle()
        #expect(!tablet.bodies.contains("s1"))
        #expect(tablet.bodies == all)
    }

    /// A message is deleted while a session waits for a page that has it: the page is read already, or was read from an
    /// older state.
    @Test(arguments: [true, false])
    func theBodyOfADeletedMessageIsNotSentFromAPageThatWaits(isRead: Bool) throws {
        relay.holdsReads = true
        let bob = relay.connect(names[0])
        let read = try #require(relay.heldReads.first)
        let answer = relay.log.answer(read)
        if isRead { relay.relay.answered(answer, at: relay.now) }
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        if !isRead { relay.relay.answered(answer, at: relay.now) }
        relay.holdsReads = false
        relay.settle()
        let second = bob.frames("message").first { $0.number("sequence") == 2 }
        #expect(second?.number("deletedAt") != nil && second?.text("body") == nil)
        #expect(bob.bodies == all.filter { $0 != all[1] })
    }

    /// The page has an edit of a message that the devices have, and one of them got it before the message was deleted.
    @Test func theBodyOfADeletedMessageIsNotSentFromASharedPage() throws {
        for name in names[0...1] {
            let device = relay.connect(name)
            device.tell("ack", ["position": "\(device.frames("message")[5].text("position") ?? "")"])
            device.drop()
        }
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 2, "body": "secret"])
        relay.holdsReads = true
        let (first, second) = (relay.connect(names[0]), relay.connect(names[1]))
        for read in relay.heldReads { relay.relay.answered(relay.log.answer(read), at: relay.now) }
        relay.relay.catchUp.handOut(at: relay.now)
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 2])
        relay.holdsReads = false
        relay.settle()
        #expect(first.frames("edit").compactMap { $0.text("body") } == ["secret"])
        #expect(second.frames("edit").isEmpty && second.frames("delete").count == 1)
    }
}
