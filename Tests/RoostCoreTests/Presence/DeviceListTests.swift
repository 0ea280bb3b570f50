import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// `devices`: the user's own devices, and why each connection ended.
@Suite struct DeviceListTests {
    private let relay = RelayHarness()

    /// The entry of each device: its state, and the end of its connection before the present one.
    private func list(_ client: HarnessClient) -> [String: String] {
        let devices = client.request("devices")?["devices"]?.elements ?? []
        let said = devices.map { one in
            (one.text("device") ?? "?", "\(one.text("state") ?? "?") \(one["ended"]?.text("reason") ?? "-")")
        }
        return Dictionary(said) { first, second in first + second }
    }

    @Test func aConnectedDeviceSaysWhatItDoes() {
        let phone = relay.connect("alice", "phone")
        _ = relay.connect("alice", "tablet", background: true)
        _ = phone.request("presence", ["state": "idle"])
        #expect(list(phone) == ["phone": "idle -", "tablet": "background -"])
        let since = phone.request("devices")?["devices"]?.elements?.first?.number("since")
        #expect(since == relay.now.wall.milliseconds)
    }

    @Test func othersAreNotShown() {
        _ = relay.connect("bob", "phone")
        #expect(list(relay.connect("alice", "watch")) == ["watch": "active -"])
    }

    @Test func eachEndHasItsReason() {
        let watch = relay.connect("alice", "watch")
        let tablet = relay.connect("alice", "tablet")
        tablet.tell("bye")
        #expect(list(watch)["tablet"] == "offline bye")
        relay.connect("alice", "tablet").drop()
        #expect(list(watch)["tablet"] == "offline cut")
        relay.connect("alice", "tablet").drop(.closed)
        #expect(list(watch)["tablet"] == "offline closed")
        for _ in 0..<2 { _ = relay.connect("alice", "tablet") }
        #expect(list(watch)["tablet"] == "active takeover")
        let silent = relay.connect("alice", "phone")
        for _ in 0..<8 where silent.isOpen {
            relay.advance(5_000)
            watch.pong()
        }
        #expect(list(watch)["phone"] == "offline timeout")
        let rude = relay.connect("alice", "car")
        for _ in 0..<20 { rude.send("[]") }
        #expect(list(watch)["car"] == "offline refused")
    }

    @Test func theTimeOfTheEndIsTold() {
        let (watch, tablet) = (relay.connect("alice", "watch"), relay.connect("alice", "tablet"))
        relay.advance(1_000)
        tablet.tell("bye")
        let at = relay.now.wall.milliseconds
        relay.advance(1_000)
        let ended = watch.request("devices")?["devices"]?.elements?.first { $0.text("device") == "tablet" }?["ended"]
        #expect(ended?.number("time") == at)
    }

    /// The first relay says how it ended, and the second one has only what is stored.
    @Test func endsAreKeptOverAStopInOrder() {
        let watch = relay.connect("alice", "watch")
        relay.connect("alice", "tablet").tell("bye")
        relay.connect("alice", "phone").drop()
        _ = watch.request("ping")
        relay.relay.beginDrain(spreadMilliseconds: 0, at: relay.now)
        relay.relay.closeAll(at: relay.now)
        relay.settle()
        let later = RelayHarness(log: relay.log)
        #expect(
            list(later.connect("alice", "watch")) == [
                "watch": "active drain", "tablet": "offline bye", "phone": "offline cut",
            ])
    }

    @Test func endsAreKeptOverACrashIfTheyWereLongBefore() {
        let watch = relay.connect("alice", "watch")
        relay.connect("alice", "tablet").tell("bye")
        relay.advance(Limits().aliveMilliseconds + 10)
        relay.connect("alice", "phone").drop()
        _ = watch.request("ping")
        let later = RelayHarness(log: relay.log)
        #expect(
            list(later.connect("alice", "watch")) == [
                "watch": "active restart", "tablet": "offline bye", "phone": "offline restart",
            ])
    }

    @Test func aPriceIsPaid() {
        let relay = RelayHarness(limits: .with { $0.commandsPerSecond = 10 })
        let poor = relay.connect("alice")
        defer { relay.settle() }
        let told = (0..<5).map { _ in poor.request("devices")?.text("code") ?? "ok" }
        #expect(told.filter { $0 == "ok" }.count == 3)
    }

    @Test func everyCloseCodeHasAReason() {
        let reasons = CloseCode.allCases.map { EndReason($0) }
        let known: Set<EndReason> = [
            .bye, .refused, .drain, .slow, .timeout, .token, .overload, .takeover, .operator,
        ]
        #expect(Set(reasons) == known)
    }
}
