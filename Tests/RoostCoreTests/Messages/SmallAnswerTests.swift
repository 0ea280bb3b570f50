import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Answers that say more, or less, than a plain `ok` or `error`.
@Suite struct SmallAnswerTests {
    @Test func aForwardIntoAThreadOfAThreadSaysWhy() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        alice.post("root", to: group)
        _ = alice.request("send", ["to": "\(group)", "key": "k2", "body": "in it", "thread": 1])
        let forward = Value(json: #"{"conversation":"\#(group)","sequence":1}"#)
        let refused = alice.request(
            "send", ["to": "\(group)", "key": "k3", "forward": forward, "thread": 2])
        #expect(refused?.text("code") == "bad_request")
        #expect(refused?.text("reason")?.hasPrefix("thread: ") == true)
    }

    @Test func theAnswerToAddNamesThoseWhoCame() {
        let (relay, alice, _, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        _ = relay.connect("carol")
        let added = alice.request("conversation.add", ["conversation": "\(group)", "users": ["bob", "carol", "dave"]])
        #expect(added?.list("users").compactMap(\.string) == ["carol", "dave"])
    }

    /// Without a key there is no first answer, and a state that is there already is no event.
    @Test func changesThatChangeNothingStoreNothing() {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        let head = relay.relay.head
        func isDuplicate(_ type: String, _ members: String) -> Bool {
            let answer = alice.ask(#"{"type":"\#(type)","id":7,"conversation":"\#(group)",\#(members)}"#)
            #expect(answer?.outcome == "ok")
            return answer?.flag("duplicate") == true && answer?["position"] == nil
        }
        let name = bob.request("conversation.get", ["conversation": "\(group)"])?["conversation"]?.text("name") ?? ""
        #expect(isDuplicate("conversation.rename", #""name":"\#(name)""#))
        #expect(isDuplicate("conversation.describe", #""photo":"""#))
        #expect(isDuplicate("conversation.expiry", #""after":0"#))
        #expect(relay.relay.head == head)
        #expect(!isDuplicate("conversation.expiry", #""after":86400000"#))
        #expect(isDuplicate("conversation.expiry", #""after":86400000"#))
        #expect(!isDuplicate("conversation.rename", #""name":"Other""#))
        #expect(!isDuplicate("conversation.describe", #""photo":"p""#))
        #expect(isDuplicate("conversation.describe", #""photo":"p","description":"""#))
        #expect(
            bob.frames("conversation").compactMap { $0.text("event") }.suffix(3) == ["expiry", "renamed", "described"])
        // A key is kept by an event.
        let keyed = alice.request("conversation.rename", ["conversation": "\(group)", "name": "Other", "key": "r"])
        #expect(keyed?.text("position") != nil)
    }

    @Test func aPlaceThatNoPageGaveIsRefused() {
        let (relay, alice, _, _) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        for after in ["nonsense", " x", "bob", "bob "] {
            #expect(alice.outcome("user.find", ["prefix": "b", "after": "\(after)"]) == "bad_request", "\(after)")
        }
        // The answer doesn't reveal whether there is such a user.
        #expect(alice.outcome("user.find", ["prefix": "b", "after": "bob b"]) == "ok")
        #expect(alice.outcome("user.find", ["prefix": "b", "after": "ghost b"]) == "ok")
    }

    @Test(arguments: ["contact.block", "ping", "status", "watch", "send", "profile.set"])
    func usersCannotActAsOthers(_ type: String) {
        let (relay, alice, bob, group) = RelayHarness.withAliceAndBob()
        defer { relay.settle() }
        let members: KeyValuePairs<String, Value> = [
            "as": "alice", "users": ["alice"], "state": "busy", "to": "\(group)", "key": "k", "body": "x", "name": "B",
        ]
        #expect(bob.outcome(type, members) == "forbidden")
        #expect(alice.frames("message").isEmpty)
        #expect(bob.outcome("except", ["users": ["alice"], "as": "never"]) == "ok")
    }
}
