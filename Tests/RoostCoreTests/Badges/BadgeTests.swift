import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// The badge: what a user hasn't read in all conversations that aren't muted, the same on every device.
@Suite struct BadgeTests {
    private func badges(_ client: HarnessClient) -> [Int64] {
        client.frames("badge").compactMap { $0.number("unread") }
    }

    /// The last badge that the device got.
    private func badge(_ client: HarnessClient) -> Int64? {
        badges(client).last ?? client.welcome("badge")?.integer
    }

    /// The sum in the relay's own list of conversations.
    private func sum(_ client: HarnessClient, without muted: String...) -> Int64 {
        let all = client.request("conversation.list", ["limit": 100])?.list("conversations") ?? []
        return all.filter { !muted.contains($0.text("conversation") ?? "") }.reduce(0) {
            $0 + ($1.number("unread") ?? 0)
        }
    }

    private func mute(_ conversation: String, _ value: Value?, on client: HarnessClient) {
        let member = value.map { ",\"value\":\($0.json)" } ?? ""
        _ = client.ask(#"{"type":"state.set","id":7,"key":"mute/\#(conversation)"\#(member)}"#)
    }

    @Test func allDevicesAreToldOnceWhatIsUnreadInAllConversations() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        let tablet = relay.connect("bob", "tablet")
        #expect([bob, tablet].map { $0.welcome("badge")?.integer } == [0, 0])
        for number in 1...3 { alice.post("g\(number)", to: group) }
        for number in 1...2 { alice.post("d\(number)", to: "@bob") }
        relay.advance(499)
        #expect(badges(bob).isEmpty)
        relay.advance(1)
        #expect(badges(bob) == [5] && badges(tablet) == [5])
        // The author has read it.
        #expect(badges(alice).isEmpty)
        tablet.tell("read", ["conversation": "\(group)", "sequence": 2])
        relay.advance(500)
        #expect(badges(bob) == [5, 3] && badges(tablet) == [5, 3])
        #expect(sum(bob) == 3)
        // A new device gets the same, and an answer reads everything before it.
        #expect(relay.connect("bob", "laptop").welcome("badge")?.integer == 3)
        bob.post("answer", to: group)
        relay.advance(500)
        #expect(badges(tablet) == [5, 3, 2])
        relay.advance(10_000)
        #expect(badges(bob).count == 3)
    }

    @Test func nothingIsToldIfTheSumIsAsBefore() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        let sequence = alice.post("a", to: group)?.number("sequence") ?? 0
        bob.tell("read", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
        relay.advance(2_000)
        #expect(badges(bob).isEmpty && badge(bob) == 0)
    }

    @Test func mutedConversationsAreNotPartOfIt() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        let tablet = relay.connect("bob", "tablet")
        alice.post("g", to: group)
        alice.post("d", to: "@bob")
        mute(group, true, on: tablet)
        relay.advance(500)
        #expect(badges(bob) == [1] && badges(tablet) == [1])
        alice.post("g2", to: group)
        relay.advance(500)
        #expect(badges(bob) == [1])
        #expect(sum(bob, without: group) == 1)
        // Neither is a mute.
        for value: Value in [false, "yes", Value(json: #"{"until":"x"}"#), Value(json: "{}"), Value(json: "[true]")] {
            mute(group, true, on: bob)
            relay.advance(500)
            #expect(badge(bob) == 1)
            mute(group, value, on: bob)
            relay.advance(500)
            #expect(badge(bob) == 3 && badge(tablet) == 3, "\(value.json)")
        }
        mute(group, true, on: bob)
        mute(group, nil, on: bob)
        relay.advance(500)
        #expect(badge(bob) == 3)
        // Other keys mean something else, and other users have other mutes.
        _ = bob.request("state.set", ["key": "pin/\(group)", "value": true])
        mute("nowhere", true, on: bob)
        mute(group, true, on: alice)
        relay.advance(500)
        #expect(badge(bob) == 3)
    }

    @Test func aMuteEndsByItself() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        alice.post("g", to: group)
        relay.advance(500)
        let now = relay.now.wall.milliseconds
        // One that ends later is replaced by one that ends earlier.
        mute(group, Value(json: #"{"until":\#(now + 40_000)}"#), on: bob)
        mute(group, Value(json: #"{"until":\#(now + 10_000)}"#), on: bob)
        relay.advance(9_900)
        #expect(badge(bob) == 0)
        relay.advance(400)
        #expect(badge(bob) == 1)
        // One that is over is none, and a number that doesn't fit ends never.
        mute(group, Value(json: #"{"until":\#(now)}"#), on: bob)
        relay.advance(500)
        #expect(badge(bob) == 1)
        mute(group, Value(json: #"{"until":9223372036854775807}"#), on: bob)
        relay.advance(500)
        #expect(badge(bob) == 0)
        mute(group, Value(json: #"{"until":-9223372036854775808}"#), on: bob)
        relay.advance(500)
        #expect(badge(bob) == 1)
    }

    @Test func aLongMuteEndsForWhoeverStaysAndForWhoeverComes() {
        let (relay, alice, first, group) = RelayHarness.withAliceAndBob()
        alice.post("g", to: group)
        let until = relay.now.wall.milliseconds + 300_000
        mute(group, Value(json: #"{"until":\#(until)}"#), on: first)
        let bob = relay.connect("bob", "tablet")
        for _ in 0..<14 {
            relay.advance(20_000)
            bob.pong()
        }
        #expect(badge(bob) == 0)
        relay.crash()
        var again = relay.connect("bob")
        #expect(badge(again) == 0)
        relay.advance(20_500)
        #expect(badge(again) == 1)
        relay.crash()
        again = relay.connect("bob")
        #expect(again.welcome("badge")?.integer == 1)
    }

    @Test func itIsTheSameAfterARestart() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        let other = alice.makeGroup("bob", name: "Other")
        alice.post("g", to: group)
        for number in 1...4 { alice.post("o\(number)", to: other) }
        bob.tell("read", ["conversation": "\(other)", "sequence": 1])
        mute(group, true, on: bob)
        relay.advance(1_000)
        #expect(badge(bob) == 3)
        relay.crash()
        #expect(relay.connect("bob").welcome("badge")?.integer == 3)
        let alice2 = relay.connect("alice")
        alice2.post("g2", to: group)
        alice2.post("o5", to: other)
        let tablet = relay.connect("bob", "tablet")
        relay.advance(500)
        #expect(badge(tablet) == 4 && sum(tablet, without: group) == 4)
    }

    @Test func joiningLeavingRemovingAndErasingChangeIt() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        let groups = (0..<3).map { alice.makeGroup("bob", name: "G\($0)") }
        for (index, id) in ([group] + groups).enumerated() { alice.post("m\(index)", to: id) }
        relay.advance(500)
        #expect(badge(bob) == 4)
        #expect(bob.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        relay.advance(500)
        #expect(badge(bob) == 3)
        #expect(alice.outcome("conversation.remove", ["conversation": "\(groups[0])", "users": ["bob"]]) == "ok")
        relay.advance(500)
        #expect(badge(bob) == 2)
        alice.post("later", to: group)
        // A returning member begins with nothing unread, and a mute is still there.
        mute(groups[0], true, on: bob)
        for id in [group, groups[0]] {
            #expect(alice.outcome("conversation.add", ["conversation": "\(id)", "users": ["bob"]]) == "ok")
            alice.post("back-\(id)", to: id)
        }
        relay.advance(500)
        #expect(badge(bob) == 3 && sum(bob, without: groups[0]) == 3)
        // The last member leaves, so the conversation is erased.
        #expect(alice.outcome("conversation.leave", ["conversation": "\(groups[1])"]) == "ok")
        #expect(bob.outcome("conversation.leave", ["conversation": "\(groups[1])"]) == "ok")
        relay.advance(500)
        #expect(badge(bob) == 2 && sum(bob, without: groups[0]) == 2)
    }

    @Test func messagesThatDisappearGo() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        _ = alice.request("conversation.expiry", ["conversation": "\(group)", "after": 86_400_000])
        alice.post("goes", to: group)
        relay.advance(500)
        #expect(badge(bob) == 1)
        relay.advance(86_300_000)
        let again = relay.connect("bob")
        #expect(again.welcome("badge")?.integer == 1)
        for _ in 0..<10 {
            relay.advance(20_000)
            again.pong()
        }
        #expect(badge(again) == 0)
    }

    @Test func absentMembersAreCountedOnComingBack() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob("carol")
        bob.drop(.bye)
        for number in 1...5 { alice.post("m\(number)", to: group) }
        relay.advance(1_000)
        #expect(relay.relay.directory.user(called: "bob")?.badge.unread == 0)
        #expect(relay.connect("bob").welcome("badge")?.integer == 5)
        #expect(relay.connect("carol").welcome("badge")?.integer == 5)
    }

    @Test func aTakeoverDoesNotLoseIt() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        alice.post("a", to: group)
        let second = relay.connect("bob")
        #expect(!bob.isOpen)
        #expect(second.welcome("badge")?.integer == 1)
        alice.post("b", to: group)
        relay.advance(500)
        #expect(badges(second) == [2])
    }

    @Test func aDeviceThatCameInBetweenIsToldWhatTheOthersAre() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        alice.post("a", to: group)
        relay.advance(500)
        // It reads everything, and the sum is back before the others got it.
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        let tablet = relay.connect("bob", "tablet")
        #expect(tablet.welcome("badge")?.integer == 0)
        alice.post("b", to: group)
        relay.advance(500)
        #expect(badge(tablet) == 1 && badge(bob) == 1)
    }

    @Test func aSlowDeviceIsToldTheNewestOnlyOnceItReads() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob(
            limits: .with {
                $0.outboxCalmBytes = 500
                $0.owedMax = 8
            })
        bob.isReading = false
        for number in 1...8 {
            let body = Value(stringLiteral: String(repeating: "x", count: 100))
            _ = alice.request("send", ["to": "\(group)", "key": "k\(number)", "body": body])
            relay.advance(500)
        }
        #expect(badges(bob).count < 5)
        bob.isReading = true
        relay.advance(1_000)
        #expect(badge(bob) == 8 && bob.isOpen)
    }

    // MARK: Bounds

    @Test func badgeOfAUserInManyConversationsComesOnceTheyAreCounted() {
        let relay = RelayHarness(
            limits: .with {
                $0.badgeCountedAtOnce = 3
                $0.stepsPerTurn = 4
            })
        let alice = relay.connect("alice")
        let groups = (0..<20).map { alice.makeGroup("bob", name: "G\($0)") }
        for (index, id) in groups.enumerated() { alice.post("m\(index)", to: id) }
        let bob = relay.connect("bob")
        #expect(bob.welcome("badge") == nil)
        relay.advance(10)
        #expect(badges(bob) == [20])
        // A second device gets it at once, because the user is counted already.
        #expect(relay.connect("bob", "tablet").welcome("badge")?.integer == 20)
        alice.post("more", to: groups[3])
        relay.advance(500)
        #expect(badges(bob) == [20, 21])
    }

    @Test func badgeOfAUserInAsManyAsAreCountedAtOnceComesAtOnce() {
        let relay = RelayHarness(
            limits: .with {
                $0.badgeCountedAtOnce = 3
                $0.stepsPerTurn = 2
            })
        let alice = relay.connect("alice")
        for number in 0..<3 { alice.post("m\(number)", to: alice.makeGroup("bob", name: "G\(number)")) }
        #expect(relay.connect("bob").welcome("badge")?.integer == 3)
    }

    /// A group of more members than one turn looks at.
    private func manyMembers() -> (RelayHarness, HarnessClient, [HarnessClient], group: String) {
        let relay = RelayHarness(limits: .with { $0.stepsPerTurn = 4 })
        let alice = relay.connect("alice")
        let names = (0..<30).map { "m\($0)" }
        let group = alice.makeGroup(names)
        relay.advance(1_000)
        return (relay, alice, names.map { relay.connect($0) }, group)
    }

    /// A message stored while the members are being counted is left for another count.
    @Test func aMessageDuringAWalkCounts() {
        let (relay, alice, members, group) = manyMembers()
        alice.post("one", to: group)
        relay.advance(499)
        let due = Moment(monotonic: relay.now.monotonic + 1, wall: relay.now.wall)
        relay.relay.tick(at: due)
        relay.relay.doWork(at: due)
        // The first members have been looked at.
        #expect(relay.relay.hasWork)
        alice.post("two", to: group)
        relay.advance(1_000)
        #expect(members.allSatisfy { badge($0) == 2 })
    }

    @Test func aMillisecondTellsOnlySoMany() {
        let relay = RelayHarness(limits: .with { $0.badgesPerMillisecond = 4 })
        let alice = relay.connect("alice")
        let names = (0..<20).map { "m\($0)" }
        let members = names.map { relay.connect($0) }
        let group = alice.makeGroup(names)
        alice.post("hello", to: group)
        relay.advance(500)
        let first = members.count { !badges($0).isEmpty }
        // Each user counts, and each of its sessions.
        #expect(first > 0 && first <= 4)
        relay.advance(20)
        #expect(members.allSatisfy { badges($0) == [1] })
    }

    @Test func aTurnLooksAtOnlySoManyMembers() {
        let (relay, alice, members, group) = manyMembers()
        alice.post("hello", to: group)
        relay.advance(499)
        let before = relay.relay.counters.steps
        // One turn of the clock, without the turns that follow.
        relay.relay.tick(at: Moment(monotonic: relay.now.monotonic + 1, wall: relay.now.wall))
        #expect(relay.relay.counters.steps - before <= 4)
        relay.advance(100)
        #expect(members.allSatisfy { badges($0) == [1] })
    }

    @Test("the running sum is what a count finds, whatever happens", arguments: [1, 2, 3] as [UInt64])
    func sumsAreTrue(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let relay = RelayHarness()
        let names = ["alice", "bob", "carol"]
        var clients = names.map { relay.connect($0) }
        let groups = (0..<4).map { clients[$0 % 3].makeGroup(names, name: "G\($0)") }
        for step in 0..<300 {
            let who = random.below(3)
            let client = clients[who]
            let group = groups[random.below(4)]
            let other = names[(who + 1) % 3]
            switch random.below(8) {
            case 0, 1, 2: client.post("s\(step)", to: group)
            case 3:
                let sequence = Int64(random.below(20))
                client.tell("read", ["conversation": "\(group)", "sequence": .init(integerLiteral: sequence)])
            case 4: mute(group, random.chance(50) ? true : nil, on: client)
            case 5: client.tell("conversation.remove", ["conversation": "\(group)", "users": ["\(other)"]])
            case 6: client.tell("conversation.add", ["conversation": "\(group)", "users": .list(names)])
            default: clients[who] = relay.connect(names[who], random.chance(50) ? "phone" : "tablet")
            }
            relay.advance(Int64(random.below(700)))
        }
        relay.advance(1_000)
        for name in names {
            let user = try #require(relay.relay.directory.user(called: name))
            let counted = user.memberships.filter { !user.badge.mutes.contains($0.conversation.number) }
            #expect(user.badge.unread == counted.reduce(0) { $0 + $1.unread })
            for client in relay.clients where client.isOpen && client.session.user === user {
                #expect(badge(client) == user.badge.unread)
            }
        }
    }
}
