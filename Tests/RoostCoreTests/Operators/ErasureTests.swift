import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A service has the messages of a user erased, page by page, and conversations.
@Suite struct ErasureTests {
    private func mill(at relay: RelayHarness, _ token: String = "service:mill") -> HarnessClient {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"\#(token)","operator":true}"#)
        return client
    }

    /// Erases page by page, as a service does. Returns how many messages each page had.
    private func eraseAll(of user: String, _ client: HarnessClient, until: Int64 = .max) -> [Int64] {
        var pages: [Int64] = []
        var after = "memory-0"
        while pages.count < 1_000 {
            let members: Members = ["user": "\(user)", "after": "\(after)", "until": Value(integerLiteral: until)]
            let page = client.request("admin.erase", members)?["erasure"]
            guard let erased = page?.number("erased"), let position = page?.text("position") else {
                Issue.record("the erasing is refused")
                break
            }
            pages.append(erased)
            after = position
            guard page?.flag("more") == true else { break }
        }
        return pages
    }

    private func bodies(_ client: HarnessClient, _ conversation: String) -> [String?] {
        client.request("history", ["conversation": "\(conversation)", "limit": 100])?.list("messages").map {
            $0.text("body")
        } ?? []
    }

    @Test func allMessagesOfAUserGoAndNobodyElses() {
        let relay = RelayHarness(limits: .with { $0.erasedAtOnce = 3 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup("bob", "carol")
        for number in 1...8 {
            alice.post("a\(number)", to: group)
            bob.post("b\(number)", to: group)
        }
        alice.post("direct", to: "@bob")
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        // Her messages from before she left go, too.
        _ = alice.request("conversation.leave", ["conversation": "\(group)"])
        relay.pause()
        bob.forget()
        let mill = mill(at: relay)
        let pages = eraseAll(of: "alice", mill)
        #expect(pages.reduce(0, +) == 8 && pages.allSatisfy { $0 <= 3 })
        #expect(bob.frames("delete").count == 8)
        #expect(bob.frames("delete").allSatisfy { $0.text("from") == "alice" })
        #expect(bodies(bob, group).compactMap { $0 } == (1...8).map { "b\($0)" })
        #expect(bodies(bob, "@alice") == [nil])
        // Once more changes nothing.
        #expect(eraseAll(of: "alice", mill).allSatisfy { $0 == 0 })
    }

    @Test func laterMessagesStay() {
        let relay = RelayHarness(limits: .with { $0.erasedAtOnce = 2 })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup("bob")
        for number in 1...3 { alice.post("a\(number)", to: group) }
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"])
        let until = bob.frames("message").last?.number("time") ?? 0
        relay.advance(1)
        alice.post("after", to: group)
        // Her reaction is as late as her message.
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 4, "reaction": "!"])
        let mill = mill(at: relay)
        #expect(eraseAll(of: "alice", mill, until: until).reduce(0, +) == 3)
        #expect(bodies(bob, group) == [nil, nil, nil, "after"])
        let left = bob.request("history", ["conversation": "\(group)"])?.list("messages").last?["reactions"]
        #expect(left != nil)
        #expect(eraseAll(of: "alice", mill).reduce(0, +) == 1)
        #expect(bodies(bob, group) == [nil, nil, nil, nil])
    }

    @Test func onePageLooksAtSoManyRowsAndTellsSoManySessions() {
        #expect(Limits().feedLooks == 4_096 && Limits().erasedAtOnce == 256 && Limits().erasedDeliveries == 20_000)
        let relay = RelayHarness(
            limits: .with {
                $0.feedLooks = 3
                $0.erasedDeliveries = 4
            })
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup("bob")
        for number in 1...7 { bob.post("b\(number)", to: group) }
        for number in 1...6 { alice.post("a\(number)", to: group) }
        // One conversation event, seven messages of Bob, six of Alice, each of which goes to two sessions.
        #expect(eraseAll(of: "alice", mill(at: relay)).prefix(5) == [0, 0, 1, 2, 2])
    }

    @Test func aCrashAtAnyTimeIsMendedByRepeating() {
        for crashAfter in 0..<4 {
            for isDurable in [true, false] {
                let relay = RelayHarness(limits: .with { $0.erasedAtOnce = 2 })
                let alice = relay.connect("alice")
                for number in 1...6 { alice.post("a\(number)", to: "@bob") }
                let first = mill(at: relay)
                var after = "memory-0"
                for _ in 0..<crashAfter {
                    let page = first.request("admin.erase", ["user": "alice", "after": "\(after)"])?["erasure"]
                    after = page?.text("position") ?? after
                }
                relay.holdsCommits = true
                first.start("admin.erase", ["user": "alice", "after": "\(after)"])
                relay.settle()
                relay.crash(isHeldBatchDurable: isDurable)
                relay.holdsCommits = false
                relay.settle()
                _ = eraseAll(of: "alice", mill(at: relay))
                let bob = relay.connect("bob")
                #expect(bodies(bob, "@alice") == Array(repeating: nil, count: 6))
            }
        }
    }

    @Test func aPageIsAnsweredWhenItIsStored() {
        let relay = RelayHarness()
        relay.connect("alice").post("one", to: "@bob")
        let mill = mill(at: relay)
        relay.holdsCommits = true
        mill.start("admin.erase", ["user": "alice"], id: 5)
        mill.start("admin.erase", ["user": "alice"], id: 6)
        relay.settle()
        #expect(mill.frames.last?.outcome == "conflict" && !mill.frames.contains { $0.number("re") == 5 })
        relay.fillDisk()
        #expect(mill.frames.last?.number("re") == 5 && mill.frames.last?.outcome == "unavailable")
        relay.makeRoom()
        relay.holdsCommits = false
        relay.settle()
        #expect(mill.request("admin.erase", ["user": "alice"])?["erasure"]?.number("erased") == 1)
        #expect(mill.outcome("admin.erase", ["user": "nobody"]) == "not_found")
        #expect(mill.outcome("admin.erase", ["user": "alice", "after": "memory-99"]) == "bad_position")
        #expect(mill.outcome("admin.erase", ["user": "alice", "conversation": "c"]) == "bad_request")
        #expect(mill.outcome("admin.erase", ["conversation": "c", "until": 1]) == "bad_request")
        #expect(mill.outcome("admin.erase", ["user": "alice", "until": 0]) == "bad_request")
        // It can't be known whose direct conversation with her it would be.
        #expect(mill.outcome("admin.erase", ["conversation": "@alice"]) == "bad_request")
        #expect(relay.connect("bob").outcome("admin.erase", ["user": "alice"]) == "forbidden")
    }

    @Test func aConversationGoesAndItsMembersAreTold() {
        let relay = RelayHarness()
        let (alice, bob) = (relay.connect("alice"), relay.connect("bob"))
        let group = alice.makeGroup("bob", "carol")
        alice.post("secret", to: group)
        bob.forget()
        let mill = mill(at: relay)
        #expect(mill.outcome("admin.erase", ["conversation": "\(group)"]) == "ok")
        let told = bob.frames("conversation").last
        #expect(told?.text("event") == "removed" && told?.text("by") == "mill")
        #expect(told?.list("users").count == 3)
        #expect(mill.outcome("admin.erase", ["conversation": "\(group)"]) == "not_found")
        #expect(alice.outcome("history", ["conversation": "\(group)"]) == "not_found")
        #expect(alice.request("conversation.list")?.list("conversations").isEmpty == true)
        relay.crash()
        let after = relay.connect("alice")
        #expect(after.outcome("history", ["conversation": "\(group)"]) == "not_found")
        // A direct one can begin anew.
        _ = after.post("hi", to: "@bob")
        let direct = after.makeDirect("bob")
        #expect(self.mill(at: relay).outcome("admin.erase", ["conversation": "\(direct)"]) == "ok")
        #expect(after.post("again", to: "@bob")?.number("sequence") == 1)
    }

    @Test func aLargeGroupGoesInParts() {
        let relay = RelayHarness(limits: .with { $0.listNames = 2 })
        let alice = relay.connect("alice")
        let group = alice.makeGroup("b", "c")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["d", "e"]])
        let mill = mill(at: relay)
        var times = 0
        while times < 10, mill.outcome("admin.erase", ["conversation": "\(group)"]) == "ok" { times += 1 }
        #expect(times == 3)
        #expect(relay.relay.counters.conversations == 0)
    }
}
