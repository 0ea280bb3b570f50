import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// The number of online members of a group is right in the end, with any comings and goings meanwhile.
@Suite struct GroupCountTests {
    private let relay = RelayHarness(
        limits: .with {
            $0.countsPerSession = 2
            $0.outboxCalmBytes = 500
        })
    private let alice: HarnessClient
    private let group: String

    init() {
        alice = relay.connect("alice")
        group = alice.makeGroup("bob", "carol")
        relay.pause()
    }

    private func watch(_ groups: String..., by client: HarnessClient? = nil) -> JSONValue? {
        (client ?? alice).request("watch", ["conversations": .list(groups)])
    }

    /// The counts of the conversation that the client got, in this order.
    private func counts(_ client: HarnessClient? = nil, of name: String? = nil) -> [String] {
        (client ?? alice).frames("presence").flatMap { $0.list("conversations") }
            .filter { $0.text("conversation") == name ?? group }.map(told)
    }

    private func told(_ count: JSONValue) -> String { "\(count.number("online") ?? -1) of \(count.number("of") ?? -1)" }

    private func isCounted(_ name: String) -> Bool {
        let memberships = relay.relay.directory.everybody.flatMap(\.memberships)
        let member = memberships.first { $0.conversation.id == name }
        return member.map { relay.relay.presence.isCounted($0.conversation) } ?? false
    }

    @Test func watchIsAnsweredWithTheCount() {
        _ = relay.connect("bob")
        relay.pause()
        let answer = watch(group)
        #expect(answer?.list("conversations").map(told) == ["2 of 3"])
        #expect(answer?["users"] == nil)
        relay.pause()
        #expect(counts().isEmpty)
    }

    @Test func usersAndConversationsMayBeWatchedAtOnce() {
        let answer = alice.request("watch", ["users": ["bob"], "conversations": .list([group])])
        #expect(answer?.list("users").map { $0.text("state") } == ["offline"])
        #expect(answer?.list("conversations").map(told) == ["1 of 3"])
        #expect(alice.outcome("watch") == "bad_request")
    }

    @Test func comingAndGoingIsTold() {
        _ = watch(group)
        let bob = relay.connect("bob")
        relay.pause()
        #expect(counts() == ["2 of 3"])
        bob.tell("bye")
        relay.pause()
        #expect(counts() == ["2 of 3", "1 of 3"])
    }

    @Test func anInvisibleMemberIsNotCounted() {
        let bob = relay.connect("bob")
        relay.pause()
        _ = watch(group)
        #expect(bob.outcome("status", ["state": "invisible"]) == "ok")
        relay.pause()
        #expect(counts() == ["1 of 3"])
    }

    @Test func joiningAndLeavingIsTold() {
        let bob = relay.connect("bob")
        _ = relay.connect("dave")
        relay.pause()
        _ = watch(group)
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        relay.pause()
        #expect(counts() == ["3 of 4"])
        _ = bob.request("conversation.leave", ["conversation": "\(group)"])
        relay.pause()
        #expect(counts() == ["3 of 4", "2 of 3"])
        bob.tell("bye")
        relay.pause()
        #expect(counts().count == 2)
    }

    @Test func onlyMembersMayWatch() {
        let eve = relay.connect("eve")
        #expect(eve.outcome("watch", ["conversations": .list([group])]) == "not_found")
        #expect(eve.outcome("watch", ["conversations": ["none"]]) == "not_found")
        #expect(!isCounted(group))
    }

    @Test func aRemovedMemberNoLongerWatches() {
        let bob = relay.connect("bob")
        relay.pause()
        _ = watch(group, by: bob)
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob"]])
        relay.pause()
        bob.forget()
        _ = relay.connect("carol")
        relay.pause()
        #expect(counts(bob).isEmpty)
        #expect(!isCounted(group))
    }

    @Test func theEndOfTheLastWatchEndsTheCount() {
        let bob = relay.connect("bob")
        relay.pause()
        _ = watch(group)
        _ = watch(group, by: bob)
        #expect(isCounted(group))
        #expect(alice.outcome("unwatch", ["conversations": .list([group])]) == "ok")
        #expect(isCounted(group))
        bob.tell("bye")
        relay.pause()
        #expect(!isCounted(group))
        #expect(counts().isEmpty)
    }

    @Test func anErasedConversationIsForgotten() {
        let own = alice.makeGroup("frank")
        _ = watch(own)
        _ = alice.request("conversation.remove", ["conversation": "\(own)", "users": ["frank"]])
        _ = alice.request("conversation.leave", ["conversation": "\(own)"])
        relay.pause()
        #expect(watch(group, alice.makeGroup("bob"))?.list("conversations").count == 2)
    }

    /// A session that doesn't read gets the newest count when it reads again, and only that one.
    @Test func aSlowSessionIsOwedTheNewestCount() {
        _ = watch(group)
        alice.isReading = false
        for _ in 0..<20 { alice.tell("history", ["id": 2, "conversation": "\(group)"]) }
        let bob = relay.connect("bob")
        relay.pause()
        bob.tell("bye")
        relay.pause()
        _ = relay.connect("carol")
        _ = relay.connect("bob")
        relay.pause()
        alice.isReading = true
        relay.pause()
        #expect(counts() == ["3 of 3"])
    }

    @Test func aSessionWatchesOnlySoMany() {
        let (second, third) = (alice.makeGroup("bob"), alice.makeGroup("bob"))
        #expect(watch(group, second)?.text("type") == "ok")
        #expect(watch(third)?.text("code") == "too_large")
        #expect(watch(group)?.text("type") == "ok")
        _ = alice.request("unwatch", ["conversations": .list([group])])
        #expect(watch(third)?.text("type") == "ok")
    }
}

/// A count is sent seldom enough, with any number of watchers.
@Suite struct GroupCountPaceTests {
    private func counts(_ client: HarnessClient) -> Int { client.frames("presence").count }

    /// A member comes or goes many times; watchers get at most one count in an interval, and at last the right one.
    @Test func aLargeConversationIsToldOnceInASecond() {
        let relay = RelayHarness(limits: .with { $0.countMembersSmall = 2 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob", "carol")
        relay.pause()
        _ = alice.request("watch", ["conversations": .list([group])])
        alice.forget()
        for _ in 0..<10 {
            let bob = relay.connect("bob")
            relay.advance(200)
            bob.tell("bye")
            relay.advance(200)
        }
        #expect((3...5).contains(counts(alice)))
        relay.advance(2_000)
        #expect(alice.frames("presence").last?.list("conversations").first?.number("online") == 1)
    }

    @Test func theMoreWatchTheLongerIsTheInterval() {
        let limits = Limits.with { $0.countsPerSecond = 10 }
        let counts = GroupCounts(.init(limits), at: 0)
        let cast = Cast("alice", "bob", "carol")
        #expect(counts.interval(of: cast.group) == limits.countMillisecondsSmall)
        var steps = 100
        counts.beginRequest(of: cast.group)
        #expect(counts.count(cast.group, &steps))
        for number in 1...20 {
            let device = cast.device(of: 0, named: "\(number)")
            counts.watch(cast.group, by: cast.session(on: device, numbered: UInt64(number)))
        }
        // The interval only doubles, so that one more watcher seldom moves the ticks.
        #expect(counts.interval(of: cast.group) == 3_200)
    }
}

/// A turn counts only some, and what changes meanwhile is neither lost nor counted twice.
@Suite struct GroupCountStepTests {
    private let names = (0..<20).map { "u\($0)" }

    @Test(arguments: 1...24)
    func changesDuringTheCountAreCountedOnce(turns: Int) {
        let relay = RelayHarness(limits: .with { $0.stepsPerTurn = 4 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup(names)
        let early = names.prefix(10).map { relay.connect($0) }
        relay.pause()
        alice.start("watch", ["conversations": .list([group])])
        for _ in 0..<turns { relay.relay.doWork(at: relay.now) }
        for name in names.suffix(5) { _ = relay.connect(name) }
        early[0].tell("bye")
        early[9].tell("bye")
        _ = early[1].request("conversation.leave", ["conversation": "\(group)"])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["dave"]])
        relay.pause()
        relay.pause()
        let told = alice.frames("presence").last ?? alice.frames("ok").last
        #expect(told?.list("conversations").first?.number("online") == 13)
        #expect(told?.list("conversations").first?.number("of") == 21)
        #expect(alice.outcome("unwatch", ["conversations": .list([group])]) == "ok")
        let again = alice.request("watch", ["conversations": .list([group])])
        #expect(again?.list("conversations").first?.number("online") == 13)
    }
}
