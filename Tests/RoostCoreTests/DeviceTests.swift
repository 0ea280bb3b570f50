import RoostCore
import RoostTestKit
import RoostWire
import Testing

/// Each device keeps a cursor, and the number of a user's devices is bounded.
@Suite struct DeviceTests {
    let relay = RelayHarness(limits: .with { $0.devicesPerUser = 2 })

    /// Names of the devices whose cursors are durable.
    private var stored: [String] { relay.log.load().devices.map(\.name).filter { $0 != "alice's" }.sorted() }

    /// Bob's phone has acked the first of two messages.
    private func exchange() -> (alice: HarnessClient, phone: HarnessClient) {
        let alice = relay.connect("alice", "alice's")
        let phone = relay.connect("bob", "phone")
        alice.post("one", to: "@bob")
        phone.ackAll()
        alice.post("two", to: "@bob")
        return (alice, phone)
    }

    @Test func theFirstDeviceOfAUserBeginsAtTheBeginning() {
        relay.connect("alice").post("one", to: "@bob")
        #expect(relay.connect("bob").bodies == ["one"])
    }

    @Test func aNewDeviceBeginsWhereTheFurthestIs() {
        _ = exchange()
        #expect(relay.connect("bob", "tablet").bodies == ["two"])
    }

    @Test func aKnownDeviceBeginsWhereItStopped() {
        let (_, phone) = exchange()
        phone.drop()
        #expect(relay.connect("bob", "phone").bodies == ["two"])
    }

    @Test func aFurtherDeviceReplacesTheOneThatIsAwayLongest() {
        let (_, phone) = exchange()
        let tablet = relay.connect("bob", "tablet")
        tablet.ackAll()
        phone.drop()
        relay.advance(1_000)
        tablet.drop()
        #expect(stored == ["phone", "tablet"])
        _ = relay.connect("bob", "desk")
        #expect(stored == ["desk", "tablet"])
        // The phone is a new device now, so it begins at the highest cursor of the others.
        let again = relay.connect("bob", "phone")
        #expect(again.session.isReady)
        #expect(again.bodies.isEmpty)
        #expect(stored == ["desk", "phone"])
    }

    @Test func aConnectedDeviceIsNeverReplaced() {
        _ = relay.connect("bob", "phone")
        _ = relay.connect("bob", "tablet")
        let desk = relay.connect("bob", "desk")
        #expect(desk.codes == ["too_large"])
        #expect(desk.isOpen)
        relay.clients[0].drop()
        #expect(desk.outcome("hello", ["token": "bob", "device": "desk"]) == "welcome")
    }
}
