import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// The tokens that are accepted, for which user and device, and the position at which the device begins.
@Suite struct HelloTests {
    let relay = RelayHarness()

    private func hello(_ members: Members) -> HarnessClient {
        let client = relay.open()
        _ = client.request("hello", members)
        return client
    }

    @Test func welcomeNamesTheUserAndTheCursor() {
        let alice = relay.connect("alice", "phone")
        #expect(alice.welcome("user")?.string == "alice")
        #expect(alice.welcome("device")?.string == "phone")
        #expect(alice.welcome("position")?.string == "memory-0")
        #expect(alice.welcome("head")?.string == "memory-0")
        #expect(alice.welcome("epoch")?.string == "memory")
        #expect(alice.welcome("durability")?.string == "memory")
        #expect(alice.welcome("time")?.integer == relay.now.wall.milliseconds)
        #expect(alice.welcome("expires")?.integer == relay.now.wall.milliseconds + TokenRule.life)
        #expect(alice.welcome("limits")?.number("commandsPerSecond") == 2_000)
        #expect(alice.welcome("limits")?.number("graceSeconds") == 15)
    }

    @Test(arguments: [
        "ping", "conversation.list", "send", "typing", "ack", "read", "presence", "status", "watch", "history",
        "refresh",
    ])
    func nothingIsTakenBeforeWelcome(type: String) {
        let members: Members = [
            "to": "@bob", "key": "k", "body": "b", "position": "memory-0", "conversation": "@bob", "sequence": 1,
            "state": type == "status" ? "busy" : "idle", "users": ["bob"], "token": "alice",
        ]
        #expect(relay.open().outcome(type, members) == "not_ready")
    }

    @Test func byeNeedsNoWelcome() {
        let client = relay.open()
        client.tell("bye")
        #expect(client.closeCode == .normal)
    }

    @Test func aSecondHelloIsRefusedAlsoWhileTheFirstIsChecked() {
        let client = relay.open()
        client.start("hello", ["token": "alice", "device": "phone"], id: 1)
        client.start("hello", ["token": "bob", "device": "phone"], id: 2)
        relay.settle()
        #expect(client.frames.compactMap { $0.number("re") } == [2, 1])
        #expect(client.codes == ["not_ready"])
        #expect(client.welcome("user")?.string == "alice")
        #expect(client.outcome("hello", ["token": "alice", "device": "phone"]) == "not_ready")
    }

    @Test func aRefusedTokenEndsTheConnection() {
        let client = hello(["token": "bad", "device": "phone"])
        #expect(client.codes == ["unauthorized"])
        #expect(client.closeCode == .unauthorized)
    }

    @Test(arguments: ["expired:alice", "alice+0", "alice+-1"])
    func anEndedTokenEndsTheConnection(token: String) {
        let client = hello(["token": "\(token)", "device": "phone"])
        #expect(client.codes == ["token_expired"])
        #expect(client.closeCode == .tokenExpired)
    }

    @Test func theTokenMayNameTheDevice() {
        #expect(hello(["token": "alice/phone"]).welcome("device")?.string == "phone")
        #expect(hello(["token": "alice/phone", "device": "phone"]).welcome("device")?.string == "phone")
        let other = hello(["token": "alice/phone", "device": "tablet"])
        #expect(other.codes == ["forbidden"])
        #expect(other.closeCode == .unauthorized)
    }

    @Test func helloWithoutADeviceCanBeRepeated() {
        let client = hello(["token": "alice"])
        #expect(client.codes == ["bad_request"])
        #expect(client.outcome("hello", ["token": "alice", "device": "phone"]) == "welcome")
    }

    @Test func aSecondConnectionOfADeviceTakesOver() {
        let first = relay.connect("alice", "phone")
        let second = relay.connect("alice", "phone")
        #expect(first.closeCode == .takenOver)
        #expect(second.outcome("ping") == "pong")
        #expect(relay.relay.readySessions == 1)
        #expect(relay.relay.counters.sessions.takeovers == 1)
    }

    @Test func anotherDeviceDoesNotTakeOver() {
        let phone = relay.connect("alice", "phone")
        let tablet = relay.connect("alice", "tablet")
        #expect(phone.isOpen && tablet.isOpen)
    }

    @Test func aBoundedNumberOfTokensIsCheckedAtOnce() {
        let relay = RelayHarness(limits: .with { $0.verificationsAtOnce = 2 })
        let clients = (1...5).map { _ in relay.open() }
        for client in clients { client.start("hello", ["token": "alice", "device": "phone"]) }
        let taken = relay.relay.takeVerifications()
        #expect(taken.map(\.session) == clients[..<2].map(\.session.id))
        #expect(relay.relay.takeVerifications().isEmpty)
        relay.relay.verified(taken[0].session, TokenRule.check("bad", at: relay.now.wall), at: relay.now)
        #expect(relay.relay.takeVerifications().map(\.session) == [clients[2].session.id])
    }

    @Test func aTokenWhoseConnectionHasGoneMakesRoomForTheNext() {
        let relay = RelayHarness(limits: .with { $0.verificationsAtOnce = 1 })
        let gone = relay.open()
        gone.start("hello", ["token": "alice", "device": "phone"])
        let taken = relay.relay.takeVerifications()
        gone.drop()
        let next = relay.open()
        next.start("hello", ["token": "bob", "device": "phone"])
        for verification in taken {
            relay.relay.verified(verification.session, TokenRule.check("alice", at: relay.now.wall), at: relay.now)
        }
        relay.settle()
        #expect(next.frames("welcome").count == 1)
    }
}
