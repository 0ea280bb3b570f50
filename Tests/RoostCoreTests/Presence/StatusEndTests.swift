import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// A status with `after` ends by itself, for everybody and over restarts.
@Suite struct StatusEndTests {
    private static let span: Int64 = 600_000

    private func crew() -> (relay: RelayHarness, watcher: HarnessClient, bob: HarnessClient) {
        let relay = RelayHarness(limits: .with { $0.pingMilliseconds = 1_000_000_000 })
        let watcher = relay.connect("watcher")
        _ = watcher.makeGroup("bob")
        let bob = relay.connect("bob")
        _ = watcher.request("watch", ["users": ["bob"]])
        relay.pause()
        watcher.forget()
        return (relay, watcher, bob)
    }

    private func shown(_ watcher: HarnessClient) -> [String?] {
        watcher.frames("presence").flatMap { $0.list("users") }.flatMap { [$0.text("state"), $0.text("text")] }
    }

    private func isOver(_ client: HarnessClient) -> Bool {
        let told = client.frames("status").last
        return told?.text("state") == "auto" && told?["text"] == nil && told?["until"] == nil
    }

    @Test func itEndsOnTimeForTheUserAndForThoseWhoWatch() {
        let (relay, watcher, bob) = crew()
        defer { relay.settle() }
        let tablet = relay.connect("bob", "tablet")
        let now = relay.now.wall.milliseconds
        #expect(
            bob.outcome("status", ["state": "busy", "text": "lunch", "after": .init(integerLiteral: Self.span)]) == "ok"
        )
        relay.pause()
        #expect(tablet.frames("status").last?.number("until") == now + Self.span)
        #expect(shown(watcher) == ["busy", "lunch"])
        relay.advance(Self.span - 2_000)
        #expect(shown(watcher).count == 2)
        let later = relay.connect("bob", "laptop")
        #expect(later.welcome("status")?.number("until") == now + Self.span)
        relay.advance(2_500)
        #expect(shown(watcher) == ["busy", "lunch", "online", nil])
        #expect(isOver(bob) && isOver(tablet) && isOver(later))
    }

    @Test(arguments: [true, false])
    func itEndsAfterARestart(isDown: Bool) {
        let (relay, _, bob) = crew()
        defer { relay.settle() }
        _ = bob.outcome("status", ["state": "away", "text": "lunch", "after": .init(integerLiteral: Self.span)])
        relay.pause()
        if isDown { relay.sleep(2 * Self.span) } else { relay.crash() }
        let back = relay.connect("bob")
        if isDown {
            relay.advance(1_000)
            #expect(isOver(back))
        } else {
            #expect(back.welcome("status")?.text("text") == "lunch")
            relay.advance(Self.span + 1_000)
            #expect(isOver(back))
        }
        relay.crash()
        #expect(relay.connect("bob").welcome("status")?.text("state") == "auto")
    }

    @Test func anotherStatusHasItsOwnEndOrNone() {
        let (relay, _, bob) = crew()
        defer { relay.settle() }
        _ = bob.outcome("status", ["state": "busy", "after": .init(integerLiteral: Self.span)])
        _ = bob.outcome("status", ["state": "away", "after": .init(integerLiteral: 3 * Self.span)])
        relay.advance(2 * Self.span)
        #expect(relay.connect("bob", "b").welcome("status")?.text("state") == "away")
        _ = bob.outcome("status", ["state": "away"])
        relay.advance(2 * Self.span)
        let welcome = relay.connect("bob", "c").welcome("status")
        #expect(welcome?.text("state") == "away" && welcome?["until"] == nil)
    }

    @Test func theEndIsBounded() {
        let (relay, _, bob) = crew()
        defer { relay.settle() }
        let most = Limits().statusMaxMilliseconds
        #expect(bob.outcome("status", ["state": "busy", "after": 0]) == "bad_request")
        #expect(bob.outcome("status", ["after": 5]) == "bad_request")
        #expect(bob.outcome("status", ["state": "busy", "after": .init(integerLiteral: most + 1)]) == "too_large")
        #expect(relay.connect("bob", "b").welcome("status")?.text("state") == "auto")
        #expect(bob.outcome("status", ["state": "busy", "after": .init(integerLiteral: most)]) == "ok")
    }
}
