import RoostTestKit
import RoostWire
import Testing

@testable import RoostCore

/// Commands that look at more than one turn may: what they answer, and that others go on meanwhile.
@Suite struct LargeCommandTests {
    private let relay = RelayHarness(
        limits: .with {
            $0.awayMilliseconds = 0
            $0.stepsPerTurn = 4
            $0.historyDefault = 3
        })

    /// Runs one command without letting turns pass, and returns how many turns it takes.
    private func turns(_ client: HarnessClient, _ command: String) -> Int {
        client.say(command)
        var turns = 0
        while !relay.relay.chores.isEmpty, turns < 1_000 {
            turns += 1
            relay.relay.doWork(at: relay.now)
        }
        relay.settle()
        return turns
    }

    // MARK: conversation.members

    @Test func membersComeInPages() {
        let names = (0..<7).map { "u\($0)" }
        let alice = relay.connect("alice")
        let group = alice.makeGroup(names)
        var seen: [String] = []
        var after: String?
        for _ in 0..<4 {
            var members: KeyValuePairs<String, Value> = ["conversation": "\(group)"]
            if let after { members = ["conversation": "\(group)", "after": "\(after)"] }
            let page = alice.request("conversation.members", members)
            seen += page?.list("members").compactMap { $0.text("user") } ?? []
            after = page?.text("next")
            if after == nil { break }
        }
        #expect(seen == ["alice"] + names)
        let whole = alice.request("conversation.members", ["conversation": "\(group)", "limit": 8])
        #expect(whole?.list("members").count == 8 && whole?.text("next") == nil)
        #expect(alice.outcome("conversation.members", ["conversation": "\(group)", "limit": 101]) == "bad_request")
        #expect(alice.outcome("conversation.members", ["conversation": "\(group)", "after": "x"]) == "bad_request")
    }

    /// The member at the end of the last page has left: some may come again, and none is missed.
    @Test func aPageFollowsAMemberWhoHasLeft() {
        let alice = relay.connect("alice")
        let group = alice.makeGroup("a", "b")
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["c", "d"]])
        _ = alice.request("conversation.add", ["conversation": "\(group)", "users": ["e"]])
        _ = alice.request("conversation.remove", ["conversation": "\(group)", "users": ["c"]])
        let page = alice.request("conversation.members", ["conversation": "\(group)", "after": "c"])
        #expect(page?.list("members").compactMap { $0.text("user") } == ["d", "e"])
    }

    @Test func allMembersAreCountedWhateverThePage() {
        let names = (0..<9).map { "u\($0)" }
        let alice = relay.connect("alice")
        let group = alice.makeGroup(names)
        alice.post("m", to: group)
        let reader = relay.connect("u8")
        _ = reader.outcome("read", ["conversation": "\(group)", "sequence": 1])
        let count = turns(
            alice,
            "{\"type\":\"conversation.members\",\"id\":5,\"conversation\":\"\(group)\",\"sequence\":1,\"limit\":2}")
        #expect(count >= 2)
        let answer = alice.frames("ok").last
        #expect(answer?.number("of") == 9 && answer?.number("readCount") == 1)
        #expect(answer?.list("members").count == 2)
    }

    @Test func aUserRemovedMeanwhileGetsNoMembers() {
        let names = (0..<9).map { "u\($0)" }
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup(names + ["bob"])
        alice.post("m", to: group)
        bob.say("{\"type\":\"conversation.members\",\"id\":5,\"conversation\":\"\(group)\",\"sequence\":1}")
        alice.say("{\"type\":\"conversation.remove\",\"id\":6,\"conversation\":\"\(group)\",\"users\":[\"bob\"]}")
        if let batch = relay.relay.takeBatch(at: relay.now) {
            relay.relay.committed(relay.log.commit(batch), at: relay.now)
        }
        relay.settle()
        #expect(bob.codes == ["not_found"])
    }

    // MARK: conversation.list

    @Test func theNewestConversationsAreFoundOverSeveralTurns() {
        let alice = relay.connect("alice")
        let groups = (0..<12).map { _ in alice.makeGroup() }
        #expect(turns(alice, "{\"type\":\"conversation.list\",\"id\":5,\"limit\":4}") >= 2)
        var seen: [String] = []
        var page = alice.frames("ok").last
        while true {
            seen += page?.list("conversations").compactMap { $0.text("conversation") } ?? []
            guard let next = page?.text("next") else { break }
            page = alice.request("conversation.list", ["limit": 4, "before": "\(next)"])
        }
        #expect(seen == groups.reversed())
    }

    // MARK: watch

    @Test func aUserIsWatchedOnceHoweverOftenItIsNamed() {
        let alice = relay.connect("alice")
        _ = alice.makeGroup("bob")
        let names = [String](repeating: "bob", count: 1_000)
        let before = relay.relay.counters.steps
        let answer = alice.request("watch", ["users": .list(names)])
        #expect(answer?.list("users").count == 1)
        // Each name is looked up, and the user once.
        #expect(relay.relay.counters.steps - before <= names.count + 2)
    }

    @Test func aSearchThroughManyConversationsTakesTurnsAndFinds() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        for _ in 0..<20 {
            _ = alice.makeGroup()
            _ = bob.makeGroup()
        }
        #expect(alice.outcome("watch", ["users": ["bob"]]) == "forbidden")
        let group = alice.makeGroup("bob")
        #expect(turns(alice, #"{"type":"watch","id":5,"users":["bob"]}"#) >= 4)
        #expect(alice.frames("ok").last?.list("users").count == 1)
        // And the watch ends with the conversation that allowed it.
        _ = bob.outcome("conversation.leave", ["conversation": "\(group)"])
        relay.pause()
        _ = alice.take()
        _ = bob.outcome("presence", ["state": "idle"])
        relay.pause()
        #expect(alice.frames("presence").isEmpty)
    }

    /// Another conversation allows it.
    @Test func aWatchOutlivesTheConversationThatAllowedIt() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        for _ in 0..<10 { _ = alice.makeGroup() }
        _ = alice.outcome("watch", ["users": ["bob"]])
        _ = alice.makeGroup("bob")
        _ = bob.outcome("conversation.leave", ["conversation": "\(group)"])
        relay.pause()
        _ = alice.take()
        _ = bob.outcome("presence", ["state": "idle"])
        relay.pause()
        #expect(alice.frames("presence").count == 1)
    }

    /// A large command is paid for afterwards, and others don't wait for it.
    @Test func largeCommandsAreBoundedForEachSession() {
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        for _ in 0..<40 { _ = alice.makeGroup() }
        for number in 1...5 { alice.say("{\"type\":\"conversation.list\",\"id\":\(number)}") }
        bob.say(#"{"type":"ping","id":1}"#)
        relay.relay.doWork(at: relay.now)
        #expect(!relay.relay.chores.isEmpty)
        relay.settle()
        #expect(alice.codes == ["rate_limited"])
        #expect(bob.frames("pong").count == 1)
    }
}
