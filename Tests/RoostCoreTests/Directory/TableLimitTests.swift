import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Limits of the directory: exactly at each, and one above it.
@Suite struct TableLimitTests {
    @Test func aGroupHasAtMostMembersMaxMembers() {
        let relay = RelayHarness(limits: .with { $0.membersMax = 3 })
        let alice = relay.connect("alice")
        let create: (Value) -> String = {
            alice.outcome("conversation.create", ["kind": "group", "name": "G", "members": $0])
        }
        #expect(create(["bob", "carol"]) == "ok")
        #expect(create(["bob", "carol", "alice", "bob"]) == "ok")
        #expect(create(["bob", "carol", "dave"]) == "too_large")
        let group = alice.makeGroup("bob")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["c", "d"]]) == "too_large")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["c"]]) == "ok")
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["d"]]) == "too_large")
    }

    @Test func aUserIsInAtMostConversationsPerUser() {
        let relay = RelayHarness(limits: .with { $0.conversationsPerUser = 2 })
        let alice = relay.connect("alice")
        _ = alice.makeGroup()
        let group = alice.makeGroup()
        #expect(alice.outcome("conversation.create", ["kind": "group", "name": "G"]) == "too_large")
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "b"]) == "too_large")
        let bob = relay.connect("bob")
        // Others may open conversations with her, which count against them.
        #expect(bob.outcome("send", ["to": "@alice", "key": "k", "body": "b"]) == "ok")
        #expect(bob.outcome("conversation.create", ["kind": "group", "name": "G", "members": ["alice"]]) == "ok")
        #expect(bob.outcome("conversation.create", ["kind": "group", "name": "G"]) == "too_large")
        // And she may answer.
        #expect(alice.outcome("send", ["to": "@bob", "key": "k2", "body": "b"]) == "ok")
        #expect(alice.outcome("conversation.leave", ["conversation": "@bob"]) == "ok")
        #expect(alice.outcome("conversation.leave", ["conversation": "\(group)"]) == "ok")
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "b"]) == "ok")
    }

    @Test func conversationsUnderWayCountToo() {
        let relay = RelayHarness(limits: .with { $0.conversationsPerUser = 2 })
        let alice = relay.connect("alice")
        for number in 1...3 {
            alice.start("conversation.create", ["kind": "group", "name": "G", "members": ["bob"]], id: number)
        }
        relay.settle()
        #expect(alice.codes == ["too_large"])
        #expect(alice.frames("ok").count == 2)
    }

    @Test func nothingIsKeptOfAnErasedGroup() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob", "carol")
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["bob", "carol"]])
        let users = relay.relay.directory.everybody
        #expect(users.map(\.departures.count) == [0, 1, 1])
        _ = alice.request("conversation.leave", ["conversation": "\(group)"])
        #expect(users.map(\.departures.count) == [0, 0, 0])
        #expect(users.allSatisfy { $0.conversations.isEmpty })
    }

    @Test func theLastNumbersAreRefusedInsteadOfOverflowing() {
        // The last number is never given out, so that no range ends beyond it.
        let relay = RelayHarness(log: MemoryLog(numbersUsed: Int32.max - 3))
        let alice = relay.connect("alice")
        let create = { alice.outcome("conversation.create", ["kind": "group", "name": "G"]) }
        #expect([create(), create(), create()] == ["ok", "ok", "too_large"])
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "b"]) == "too_large")
        #expect(alice.outcome("send", ["to": "@carol", "key": "k", "body": "b"]) == "too_large")
        #expect(relay.connect("alice", "tablet").session.isReady)
        #expect(relay.connect("alice", "desk").codes == ["too_large"])
        #expect(relay.connect("dave").codes == ["too_large"])
        relay.crash()
        #expect(relay.connect("alice").outcome("conversation.list") == "ok")
    }

    @Test func whileTheWriterHangsWatermarksWaitOnceEach() {
        let relay = RelayHarness(limits: .with { $0.pendingEvents = 2 })
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        for number in 1...9 { alice.post("m\(number)", to: "@bob") }
        relay.pause()
        relay.holdsCommits = true
        for number in 1...9 {
            bob.tell("read", ["conversation": "@alice", "sequence": .init(integerLiteral: Int64(number))])
            relay.pause()
            #expect(relay.relay.journal.gathered <= 4)
        }
        relay.holdsCommits = false
        relay.pause()
        relay.crash()
        let members = relay.connect("alice").request("conversation.members", ["conversation": "@bob"])?.list("members")
        #expect(members?.first { $0.text("user") == "bob" }?.number("read") == 9)
    }

    @Test func whileTheWriterHangsPresenceWaitsOncePerUser() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        relay.connect("bob").tell("bye")
        _ = alice.makeDirect("bob")
        relay.pause()
        relay.holdsCommits = true
        alice.post("m", to: "@bob")
        for _ in 1...20 {
            let bob = relay.connect("bob")
            relay.pause()
            bob.tell("bye")
            relay.advance(Limits().aliveMilliseconds)
            // The presence of Alice and of Bob, the connections of their devices, and that the relay is alive.
            #expect(relay.relay.journal.gathered <= 5)
        }
        let lastSeen = relay.now.wall.milliseconds - Limits().aliveMilliseconds
        relay.holdsCommits = false
        relay.settle()
        relay.crash()
        let again = relay.connect("alice")
        let bob = again.frames("presence").flatMap { $0.list("users") }.last { $0.text("user") == "bob" }
        #expect(bob?.text("state") == "offline")
        #expect(bob?.number("lastSeen") == lastSeen)
    }

    @Test func oneIntroductionMoreThanMayWaitIsBusy() {
        let relay = RelayHarness(limits: .with { $0.pendingIntroductions = 3 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        relay.holdsCommits = true
        alice.post("m", to: group)
        // A user and a device, and then a user.
        #expect(relay.connect("carol").session.isReady)
        let dave = relay.connect("dave")
        #expect(dave.codes == ["busy"])
        #expect(dave.frames("error").first?.number("retryAfter") == Limits().busyRetryMilliseconds)
        // Nothing was made for Dave, so there is room for one more.
        #expect(relay.connect("alice", "tablet").session.isReady)
        #expect(relay.connect("alice", "desk").codes == ["busy"])
        #expect(alice.outcome("conversation.add", ["conversation": "\(group)", "users": ["erin"]]) == "busy")
        #expect(alice.outcome("conversation.create", ["kind": "group", "name": "G", "members": ["erin"]]) == "busy")
        #expect(alice.outcome("send", ["to": "@erin", "key": "k", "body": "b"]) == "busy")
        // A known user is welcome.
        #expect(relay.connect("alice").session.isReady)
        relay.holdsCommits = false
        relay.settle()
        dave.send(#"{"type":"hello","id":1,"token":"dave","device":"phone"}"#)
        #expect(dave.session.isReady)
        #expect(relay.connect("alice").post("k", to: "@erin")?.text("type") == "ok")
    }
}
