import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `conversation.list`: newest first, page by page, with unread count and last message.
@Suite struct ListTests {
    private func list(_ client: HarnessClient, _ members: Members = [:]) -> [JSONValue] {
        client.request("conversation.list", members)?.list("conversations") ?? []
    }

    @Test func theNewestComeFirst() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let groups = (1...3).map { alice.makeGroup(name: "G\($0)") }
        #expect(list(alice).map { $0.text("conversation") } == groups.reversed())
        alice.post("hi", to: groups[1])
        #expect(list(alice).map { $0.text("name") } == ["G2", "G3", "G1"])
    }

    @Test func pagesFollowEachOtherWithoutOverlap() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        for number in 1...5 { _ = alice.makeGroup(name: "G\(number)") }
        #expect(names(alice, limit: 2) == [["G5", "G4"], ["G3", "G2"], ["G1"]])
        #expect(names(alice, limit: 5) == [["G5", "G4", "G3", "G2", "G1"]])
    }

    private func names(_ client: HarnessClient, limit: Int64) -> [[String]] {
        var pages: [[String]] = []
        var next: String?
        repeat {
            let limit = Value(integerLiteral: limit)
            let reply =
                next.map { client.request("conversation.list", ["limit": limit, "before": "\($0)"]) }
                ?? client.request("conversation.list", ["limit": limit])
            pages.append((reply?.list("conversations") ?? []).compactMap { $0.text("name") })
            next = reply?.text("next")
        } while next != nil && pages.count < 100
        return pages
    }

    @Test func longLastMessagesMakeShortPages() {
        let relay = RelayHarness(limits: .with { $0.pageBytes = 2_000 })
        let alice = relay.connect("alice")
        for number in 1...7 {
            let group = alice.makeGroup(name: "G\(number)")
            let body = String(repeating: "b", count: 900)
            _ = alice.request("send", ["to": "\(group)", "key": "k\(number)", "body": "\(body)"])
        }
        let pages = names(alice, limit: 7)
        #expect(pages.count > 1)
        #expect(pages.flatMap { $0 } == ["G7", "G6", "G5", "G4", "G3", "G2", "G1"])
    }

    @Test func theConversationObjectHasAllMembers() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        let group = alice.makeGroup("bob")
        alice.post("one", to: group)
        alice.post("two", to: group)
        bob.tell("read", ["conversation": "\(group)", "sequence": 1])
        let object = list(bob).first
        #expect(object?.text("conversation") == group)
        #expect(object?.text("kind") == "group")
        #expect(object?.text("name") == "Crew")
        #expect(object?.text("role") == "member")
        #expect(object?.number("count") == 2)
        #expect(object?.list("members").compactMap(\.string) == ["alice", "bob"])
        #expect(object?.number("sequence") == 2)
        #expect(object?.number("unread") == 1)
        #expect(object?.number("read") == 1)
        #expect(object?["message"]?.text("body") == "two")
        #expect(object?.number("time") == object?["message"]?.number("time"))
    }

    @Test func aConversationWithoutMessagesHasNoLastOne() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        _ = alice.makeGroup()
        #expect(list(alice).first?["message"] == nil)
        #expect(list(alice).first?.number("sequence") == 0)
        #expect(list(alice).first?.number("unread") == 0)
    }

    @Test func fiftyMembersAreNamedAndAllAreCounted() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let others = (1...50).map { "u\($0)" }
        _ = alice.request("conversation.create", ["kind": "group", "name": "G", "members": .list(others)])
        #expect(list(alice).first?.number("count") == 51)
        #expect(list(alice).first?.list("members").count == 50)
    }

    @Test func beforeMustBeAValueOfNext() {
        let relay = RelayHarness()
        #expect(relay.connect("alice").outcome("conversation.list", ["before": "yesterday"]) == "bad_request")
        #expect(relay.connect("alice").outcome("conversation.list", ["before": "-1"]) == "bad_request")
    }
}
