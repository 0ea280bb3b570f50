import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Services follow the log in pages, each consumer from its own cursor.
@Suite struct FeedCommandsTests {
    private func mill(at relay: RelayHarness, _ token: String = "service:mill") -> HarnessClient {
        let client = relay.open()
        client.send(#"{"type":"hello","id":0,"token":"\#(token)","operator":true}"#)
        return client
    }

    private func page(_ client: HarnessClient, _ members: Members) -> JSONValue? {
        client.request("feed", members)?["feed"]
    }

    private func positions(_ page: JSONValue?) -> [String] {
        page?.list("events").compactMap { $0.text("position") } ?? []
    }

    /// All of it, page by page, without acks.
    private func everything(_ client: HarnessClient, limit: Int64) -> [JSONValue] {
        var found: [JSONValue] = []
        var after = "memory-0"
        for _ in 0..<1_000 {
            let members: Members = ["consumer": "all", "after": "\(after)", "limit": Value(integerLiteral: limit)]
            guard let page = page(client, members), let position = page.text("position") else { break }
            found += page.list("events")
            after = position
            guard page.flag("more") == true else { return found }
        }
        Issue.record("the feed has no end")
        return found
    }

    @Test(arguments: [1, 3, 256] as [Int64])
    func tellsEveryDurableEventInOrder(_ limit: Int64) {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let group = alice.makeGroup("bob")
        alice.post("one", to: group)
        _ = alice.request("edit", ["conversation": "\(group)", "sequence": 1, "body": "new"])
        _ = alice.request("react", ["conversation": "\(group)", "sequence": 1, "reaction": "+"])
        alice.post("two", to: "@carol")
        _ = alice.request("delete", ["conversation": "\(group)", "sequence": 1])
        let found = everything(mill(at: relay), limit: limit)
        #expect(
            found.map { $0.text("type") } == [
                "conversation", "message", "edit", "react", "conversation", "message", "delete",
            ])
        #expect(found.map { $0.text("position") } == (1...7).map { "memory-\($0)" })
        // As it is now: the message was deleted.
        #expect(found[1]["body"] == nil && found[1].number("deletedAt") != nil && found[2]["body"] == nil)
        #expect(found[5].text("body") == "two" && found[5].text("key") == "two" && found[5].text("device") == "phone")
        #expect(found[3].text("device") == "phone" && found[3].text("reaction") == "+")
    }

    @Test func onlyServicesMayAndOnlyAsNobody() {
        let relay = RelayHarness()
        let olga = mill(at: relay, "admin:olga")
        let alice = relay.connect("service:alice")
        for (type, members) in [
            ("feed", ["consumer": "c"]), ("feed.ack", ["consumer": "c", "position": "memory-0"]),
            ("feed.forget", ["consumer": "c"]),
        ] as [(String, Members)] {
            for client in [olga, alice, relay.connect("bob")] {
                #expect(client.outcome(type, members) == "forbidden", "\(type)")
            }
        }
    }

    @Test func aCursorMovesForwardAndOutlivesACrash() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        for number in 1...4 { alice.post("m\(number)", to: "@bob") }
        let mill = mill(at: relay)
        #expect(positions(page(mill, ["consumer": "c", "limit": 2])) == ["memory-1", "memory-2"])
        #expect(positions(page(mill, ["consumer": "c", "limit": 2])) == ["memory-1", "memory-2"])
        #expect(mill.outcome("feed.ack", ["consumer": "c", "position": "memory-3"]) == "ok")
        #expect(mill.outcome("feed.ack", ["consumer": "c", "position": "memory-2"]) == "ok")
        #expect(mill.outcome("feed.ack", ["consumer": "c", "position": "memory-6"]) == "bad_position")
        #expect(mill.outcome("feed.ack", ["consumer": "c", "position": "other-1"]) == "bad_position")
        #expect(mill.outcome("feed", ["consumer": "c", "after": "memory-6"]) == "bad_position")
        #expect(positions(page(mill, ["consumer": "c"])) == ["memory-4", "memory-5"])
        #expect(relay.log.load().feedCursors.isEmpty)
        relay.advance(250)
        #expect(relay.log.load().feedCursors == [Snapshot.FeedCursor("c", Position(3))])
        _ = mill.request("feed.ack", ["consumer": "c", "position": "memory-5"])
        relay.crash()
        // The last ack wasn't stored: its events come again.
        let again = self.mill(at: relay)
        #expect(positions(page(again, ["consumer": "c"])) == ["memory-4", "memory-5"])
        #expect(relay.relay.feedLags.map(\.positions) == [2])
        #expect(again.outcome("feed.forget", ["consumer": "c"]) == "ok")
        #expect(again.outcome("feed.forget", ["consumer": "c"]) == "not_found")
        #expect(positions(page(again, ["consumer": "c"])).count == 5)
        #expect(relay.log.load().feedCursors.isEmpty)
    }

    @Test func aStopStoresWhatWasAcked() {
        let relay = RelayHarness()
        relay.connect("alice").post("one", to: "@bob")
        let mill = mill(at: relay)
        _ = mill.request("feed.ack", ["consumer": "c", "position": "memory-2"])
        relay.relay.closeAll(at: relay.now)
        relay.settle()
        #expect(relay.log.load().feedCursors == [Snapshot.FeedCursor("c", Position(2))])
    }

    @Test func consumersAreBounded() {
        let relay = RelayHarness(limits: .with { $0.feedConsumers = 2 })
        let mill = mill(at: relay)
        for name in ["a", "b", "a"] {
            #expect(mill.outcome("feed.ack", ["consumer": "\(name)", "position": "memory-0"]) == "ok")
        }
        #expect(mill.outcome("feed.ack", ["consumer": "c", "position": "memory-0"]) == "too_large")
        #expect(mill.outcome("feed", ["consumer": "c"]) == "ok")
        #expect(mill.outcome("feed.forget", ["consumer": "a"]) == "ok")
        #expect(mill.outcome("feed.ack", ["consumer": "c", "position": "memory-0"]) == "ok")
    }

    @Test func aPageMayWaitForSomething() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        let mill = mill(at: relay)
        mill.start("feed", ["consumer": "c", "wait": true], id: 1)
        mill.start("feed", ["consumer": "c"], id: 2)
        relay.settle()
        #expect(mill.codes == ["conflict"] && mill.frames("ok").isEmpty)
        alice.post("one", to: "@bob")
        #expect(positions(mill.frames("ok").last?["feed"]) == ["memory-1", "memory-2"])
        mill.start("feed", ["consumer": "c", "after": "memory-2", "wait": true], id: 3)
        relay.settle()
        relay.advance(7_999)
        #expect(mill.frames("ok").count == 1)
        relay.advance(1)
        #expect(mill.frames("ok").last?.number("re") == 3)
        #expect(mill.frames("ok").last?["feed"]?.list("events").isEmpty == true)
        // One who is gone isn't waited for.
        mill.start("feed", ["consumer": "c", "after": "memory-2", "wait": true], id: 4)
        relay.settle()
        mill.drop()
        alice.post("two", to: "@bob")
        relay.advance(9_000)
        #expect(self.mill(at: relay).outcome("feed", ["consumer": "c"]) == "ok")
    }

    @Test func oneThatIsReadIsUnderWay() {
        let relay = RelayHarness()
        relay.connect("alice").post("one", to: "@bob")
        let mill = mill(at: relay)
        relay.holdsReads = true
        mill.start("feed", ["consumer": "c"], id: 1)
        relay.settle()
        mill.start("feed", ["consumer": "c"], id: 2)
        relay.settle()
        #expect(mill.codes == ["conflict"])
        for read in relay.heldReads {
            relay.relay.answered(ReadResult(ticket: read.ticket, isFailed: true), at: relay.now)
        }
        relay.holdsReads = false
        relay.settle()
        #expect(mill.codes == ["conflict", "unavailable"])
        #expect(mill.outcome("feed", ["consumer": "c"]) == "ok")
    }

    /// The reader may have seen a commit of which the loop hasn't heard: the event comes with the next page.
    @Test func nothingIsToldBeforeTheRelayKnowsIt() {
        let relay = RelayHarness()
        let alice = relay.connect("alice")
        alice.post("one", to: "@bob")
        let mill = mill(at: relay)
        relay.holdsReads = true
        mill.start("feed", ["consumer": "c"], id: 1)
        relay.settle()
        relay.holdsCommits = true
        alice.start("send", ["to": "@dave", "key": "k", "body": "new"])
        relay.settle()
        let other = relay.log.copy()
        _ = other.commit(relay.heldBatch ?? [])
        for read in relay.heldReads { relay.relay.answered(other.answer(read), at: relay.now) }
        relay.holdsReads = false
        relay.holdsCommits = false
        relay.settle()
        let first = mill.frames("ok").last?["feed"]
        #expect(positions(first) == ["memory-1", "memory-2"] && first?.text("position") == "memory-2")
        #expect(positions(page(mill, ["consumer": "c", "after": "memory-2"])) == ["memory-3", "memory-4"])
    }

    @Test func pagesEndAtTheirBytes() {
        let relay = RelayHarness(limits: .with { $0.feedBytes = 10 })
        let alice = relay.connect("alice")
        for number in 1...5 { alice.post("message-\(number)", to: "@bob") }
        let mill = mill(at: relay)
        let first = page(mill, ["consumer": "c", "after": "memory-1"])
        #expect(first?.list("events").count ?? 9 <= 2 && first?.flag("more") == true)
        #expect(everything(mill, limit: 256).count == 6)
    }

    @Test func pagesHaveAPrice() {
        let relay = RelayHarness(limits: .with { $0.commandsPerSecond = 20 })
        let mill = mill(at: relay)
        let outcomes = (0..<5).map { _ in mill.outcome("feed", ["consumer": "c", "limit": 256]) }
        #expect(outcomes == ["ok", "ok", "ok", "rate_limited", "rate_limited"])
    }
}
