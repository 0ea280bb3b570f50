import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Tokens expire while connections stay open.
@Suite struct RefreshTests {
    let relay = RelayHarness()

    @Test func withAnExpiredTokenOnlyRefreshPingAndByeAreAccepted() {
        let alice = relay.connect("alice+5000")
        relay.advance(4_999)
        #expect(alice.outcome("conversation.list") == "ok")
        relay.advance(1)
        #expect(alice.outcome("conversation.list") == "token_expired")
        #expect(alice.outcome("send", ["to": "@bob", "key": "k", "body": "b"]) == "token_expired")
        #expect(alice.outcome("ping") == "pong")
        #expect(alice.outcome("refresh", ["token": "alice+60000"]) == "ok")
        #expect(alice.outcome("conversation.list") == "ok")
        alice.tell("bye")
        #expect(alice.closeCode == .normal)
    }

    @Test func refreshSaysWhenTheNewTokenEnds() {
        let alice = relay.connect("alice+5000")
        let reply = alice.request("refresh", ["token": "alice+60000"])
        #expect(reply?.number("expires") == relay.now.wall.milliseconds + 60_000)
    }

    @Test func withoutRefreshTheConnectionIsClosedWhenTheGraceEnds() {
        let alice = relay.connect("alice+5000")
        relay.advance(29_999)
        #expect(alice.isOpen)
        relay.advance(300)
        #expect(alice.closeCode == .tokenExpired)
    }

    @Test func aRefreshKeepsTheConnection() {
        let alice = relay.connect("alice+5000")
        relay.advance(29_000)
        alice.tell("ping")
        _ = alice.request("refresh", ["token": "alice+60000"])
        relay.advance(5_000)
        #expect(alice.isOpen)
    }

    @Test(arguments: [("bob", "forbidden"), ("alice/tablet", "forbidden"), ("bad", "unauthorized")])
    func aRefusedRefreshChangesNothing(token: String, code: String) {
        let alice = relay.connect("alice+5000")
        #expect(alice.outcome("refresh", ["token": "\(token)"]) == code)
        #expect(alice.outcome("conversation.list") == "ok")
        relay.advance(30_300)
        #expect(alice.closeCode == .tokenExpired)
    }

    @Test func oneRefreshIsCheckedAtATime() {
        let alice = relay.connect("alice")
        alice.forget()
        alice.start("refresh", ["token": "alice"], id: 1)
        alice.start("refresh", ["token": "alice"], id: 2)
        relay.settle()
        #expect(alice.frames.map { $0.number("re") } == [2, 1])
        #expect(alice.codes == ["conflict"])
    }
}
