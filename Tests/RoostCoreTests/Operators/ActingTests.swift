import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A service acts for users: `as` names one, and the command is carried out as if that user's device had sent it.
@Suite struct ActingTests {
    private func mill(at relay: RelayHarness, _ token: String = "service:mill") -> HarnessClient {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"\#(token)","operator":true}"#)
        return client
    }

    @Test func aMessageIsTheUsersAndItsDevicesAreTold() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        relay.pause()
        alice.forget()
        bob.forget()
        let mill = mill(at: relay)
        let ok = mill.request("send", ["as": "alice", "to": "@bob", "key": "k1", "body": "hi"])
        #expect(ok?.outcome == "ok" && ok?.number("sequence") == 1 && ok?.text("conversation") != nil)
        let got = bob.frames("message").first
        #expect(got?.text("from") == "alice" && got?.text("body") == "hi" && got?["key"] == nil)
        // Her own devices learn which of them it was, and under which key.
        let own = alice.frames("message").first
        #expect(own?.text("device") == "api" && own?.text("key") == "k1")
        // The same key again has the first answer, from whichever device.
        let again = mill.request("send", ["as": "alice", "to": "@bob", "key": "k1", "body": "hi"])
        #expect(again?.flag("duplicate") == true && again?.text("position") == ok?.text("position"))
        let hers = alice.request("send", ["to": "@bob", "key": "k1", "body": "hi"])
        #expect(hers?.flag("duplicate") == true && hers?.text("position") == ok?.text("position"))
        #expect(mill.outcome("send", ["as": "alice", "to": "@bob", "key": "k1", "body": "other"]) == "conflict")
        // Keys of different users are different keys.
        #expect(mill.request("send", ["as": "carol", "to": "@bob", "key": "k1", "body": "hi"])?["duplicate"] == nil)
        #expect(mill.frames("message").isEmpty)
    }

    @Test func actingShowsNoUserAsOnline() {
        let relay = RelayHarness()
        let bob = relay.connect("bob")
        let mill = mill(at: relay)
        _ = mill.request("send", ["as": "robot", "to": "@bob", "key": "k1", "body": "beep"])
        _ = bob.request("watch", ["users": ["robot"]])
        relay.advance(20_000)
        #expect(bob.states(of: "robot").allSatisfy { $0 == "offline" })
        let robot = relay.log.load().users.first { $0.name == "robot" }
        #expect(robot != nil)
        #expect(relay.log.load().devices.allSatisfy { $0.user != robot?.number })
    }

    @Test func theSameRulesHoldAsForTheUser() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        _ = relay.connect("eve")
        let group = alice.makeGroup("bob")
        let mill = mill(at: relay)
        #expect(mill.outcome("send", ["as": "eve", "to": "\(group)", "key": "k", "body": "x"]) == "not_found")
        #expect(mill.outcome("history", ["as": "eve", "conversation": "\(group)"]) == "not_found")
        #expect(
            mill.outcome("conversation.rename", ["as": "bob", "conversation": "\(group)", "name": "N"]) == "forbidden")
        #expect(mill.outcome("conversation.rename", ["as": "alice", "conversation": "\(group)", "name": "N"]) == "ok")
        #expect(mill.outcome("send", ["as": "bob", "to": "@bob", "key": "k", "body": "x"]) == "bad_request")
        #expect(mill.outcome("send", ["as": "@bob", "to": "@eve", "key": "k", "body": "x"]) == "bad_request")
        #expect(mill.outcome("send", ["as": 7, "to": "@eve", "key": "k", "body": "x"]) == "bad_request")
        #expect(mill.outcome("send", ["to": "@eve", "key": "k", "body": "x"]) == "forbidden")
    }

    @Test func conversationsAreMadeChangedAndRead() {
        let relay = RelayHarness()
        let bob = relay.connect("bob")
        let mill = mill(at: relay)
        let create: Members = ["as": "host", "kind": "group", "name": "Crew", "members": ["bob"], "key": "g"]
        let made = mill.request("conversation.create", create)
        guard let group = made?["conversation"]?.text("conversation") else {
            Issue.record("no conversation")
            return
        }
        #expect(made?["conversation"]?.text("role") == "owner")
        let again = mill.request("conversation.create", create)
        #expect(again?.flag("duplicate") == true && again?["conversation"]?.text("conversation") == group)
        let add: Members = ["as": "host", "conversation": "\(group)", "users": ["carol"], "key": "a"]
        #expect(mill.outcome("conversation.add", add) == "ok")
        #expect(mill.request("conversation.add", add)?.flag("duplicate") == true)
        bob.post("hello", to: group)
        let get = mill.request("conversation.get", ["as": "host", "conversation": "\(group)"])
        #expect(get?["conversation"]?.number("count") == 3)
        #expect(get?["conversation"]?["message"]?.text("body") == "hello")
        let list = mill.request("conversation.list", ["as": "carol"])
        #expect(list?.list("conversations").count == 1)
        let members = mill.request("conversation.members", ["as": "host", "conversation": "\(group)", "sequence": 1])
        #expect(members?.list("members").count == 3 && members?.number("readCount") == 1)
        let history = mill.request("history", ["as": "host", "conversation": "\(group)"])
        #expect(history?.list("messages").count == 1)
        let target: Members = ["as": "bob", "conversation": "\(group)", "sequence": 1, "body": "new"]
        #expect(mill.outcome("edit", target) == "ok")
        #expect(
            mill.outcome("edit", ["as": "host", "conversation": "\(group)", "sequence": 1, "body": "x"]) == "forbidden")
        #expect(
            mill.outcome("react", ["as": "carol", "conversation": "\(group)", "sequence": 1, "reaction": "+"]) == "ok")
        bob.forget()
        #expect(mill.outcome("signal", ["as": "host", "to": "\(group)", "body": "now"]) == "ok")
        #expect(bob.frames("signal").first?.text("from") == "host")
        // Each signal has the name of its own sender.
        _ = mill.request("signal", ["as": "carol", "to": "\(group)", "body": "me"])
        #expect(bob.frames("signal").last?.text("from") == "carol")
        #expect(mill.outcome("delete", ["as": "host", "conversation": "\(group)", "sequence": 1]) == "ok")
        #expect(mill.outcome("conversation.leave", ["as": "carol", "conversation": "\(group)"]) == "ok")
    }

    @Test func onlyServicesMayAndOnlyAsNobody() {
        let relay = RelayHarness()
        for client in [mill(at: relay, "admin:olga"), relay.connect("service:alice"), relay.connect("bob")] {
            #expect(client.outcome("send", ["as": "carol", "to": "@dave", "key": "k", "body": "x"]) == "forbidden")
            #expect(client.outcome("history", ["as": "carol", "conversation": "@dave"]) == "forbidden")
        }
        // `as` of `except` is something else.
        #expect(relay.connect("bob").outcome("contact.block", ["users": ["dave"]]) != "forbidden")
    }

    @Test func aRefusedCommandMakesNobody() {
        let relay = RelayHarness()
        let mill = mill(at: relay)
        let users = relay.relay.counters.users
        #expect(mill.outcome("send", ["as": "ghost", "to": "@ghost", "key": "k", "body": "x"]) == "bad_request")
        #expect(mill.outcome("send", ["as": "ghost", "to": "cnone", "key": "k", "body": "x"]) == "not_found")
        #expect(
            mill.outcome("conversation.create", ["as": "ghost", "kind": "direct", "members": ["ghost"]])
                == "bad_request")
        #expect(mill.outcome("history", ["as": "ghost", "conversation": "@bob"]) == "not_found")
        #expect(relay.relay.counters.users == users)
        #expect(relay.log.load().users.count == users)
    }

    @Test func aServicePaysByItselfAndReadsForMany() {
        let relay = RelayHarness(
            limits: .with {
                $0.commandsPerSecond = 10
                $0.readsPerSession = 1
                $0.readsPerOperator = 3
            })
        let alice = relay.connect("alice")
        alice.post("one", to: "@bob")
        relay.advance(5_000)
        let mill = mill(at: relay)
        // A service may send 20 at once, as any user, and other users don't pay.
        let outcomes = (0..<25).map { number in
            mill.outcome("send", ["as": "u\(number)", "to": "@bob", "key": "k", "body": "x"])
        }
        #expect(outcomes.count { $0 == "ok" } < 25 && outcomes.last == "rate_limited")
        #expect(alice.post("two", to: "@bob")?.outcome == "ok")
        relay.advance(10_000)
        relay.holdsReads = true
        for id in 1...4 { mill.start("conversation.get", ["as": "alice", "conversation": "@bob"], id: id) }
        relay.settle()
        relay.holdsReads = false
        relay.settle()
        let answers = mill.frames.suffix(4).map(\.outcome)
        #expect(answers.count { $0 == "ok" } == 3 && answers.count { $0 == "rate_limited" } == 1)
    }

    @Test func anAnswerIsTheOneOfTheUserWhoAsked() {
        let relay = RelayHarness()
        let mill = mill(at: relay)
        for number in 0..<4 {
            _ = mill.request("send", ["as": "u\(number)", "to": "@bob", "key": "k", "body": "from \(number)"])
        }
        relay.holdsReads = true
        for number in 0..<4 {
            mill.start("history", ["as": "u\(number)", "conversation": "@bob"], id: number + 10)
        }
        relay.settle()
        relay.holdsReads = false
        relay.settle()
        for number in 0..<4 {
            let page = mill.frames.first { $0.number("re") == Int64(number) + 10 }
            #expect(page?.list("messages").map { $0.text("body") } == ["from \(number)"])
            // It is the user's own message: the device is included.
            #expect(page?.list("messages").first?.text("device") == "api")
        }
    }

    @Test func mistakesOfOthersDontEndTheSessionOfAService() {
        let relay = RelayHarness(limits: .with { $0.malformedMax = 3 })
        let (mill, olga) = (mill(at: relay), mill(at: relay, "admin:olga"))
        for _ in 0..<4 {
            #expect(mill.outcome("send", ["as": "alice", "to": "@bob"]) == "bad_request")
            _ = olga.request("admin.user")
        }
        #expect(mill.closeCode == nil && olga.closeCode == .malformed)
    }

    @Test func presenceOfMany() {
        let relay = RelayHarness(limits: .with { $0.listNames = 3 })
        let alice = relay.connect("alice")
        _ = alice.request("status", ["state": "busy", "text": "Lunch"])
        relay.connect("bob").tell("bye")
        relay.pause()
        let answer = mill(at: relay).request("admin.presence", ["users": ["alice", "bob", "nobody"]])
        let states = answer?.list("users") ?? []
        #expect(states.map { $0.text("user") } == ["alice", "bob", "nobody"])
        #expect(states.map { $0.text("state") } == ["busy", "offline", "offline"])
        #expect(states.first?.text("text") == "Lunch" && states.first?["lastSeen"] == nil)
        #expect(states.dropFirst().first?.number("lastSeen") != nil && states.last?["lastSeen"] == nil)
        let mill = mill(at: relay)
        #expect(mill.outcome("admin.presence", ["users": ["a", "b", "c", "d"]]) == "too_large")
        #expect(mill.outcome("admin.presence", ["users": []]) == "bad_request")
        #expect(alice.outcome("admin.presence", ["users": ["bob"]]) == "forbidden")
        #expect(self.mill(at: relay, "admin:olga").outcome("admin.presence", ["users": ["bob"]]) == "ok")
    }
}
