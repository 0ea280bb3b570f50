import RoostCore
import RoostWire

/// Checks the list of a user's own devices: that it is complete, the activity of each, and the end of its last
/// connection, also if that was before a restart.
final class DeviceCheck {
    private let world: World
    private let people: People

    init(_ world: World, _ people: People) {
        self.world = world
        self.people = people
    }

    /// Checks the answer that a client reads.
    /// - Parameter askedAt: when the client asked, in monotonic milliseconds. Later changes aren't checked.
    func take(_ list: JSONValue?, askedAt: Int64, on connection: SimulatedConnection) {
        let user = connection.device.user
        guard !people.isCrowded(user) else { return }
        let told = Dictionary(
            (list?.elements ?? []).map { ($0["device"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        if told.count != list?.elements?.count { world.fail("\(connection.label) is told of a device twice") }
        if let stranger = told.keys.first(where: { name in !user.devices.contains { $0.name == name } }) {
            world.fail("\(connection.label) is told of the device \(stranger), which is none of its user's")
        }
        for device in user.devices {
            if device.changedAt < askedAt { checkState(of: device, told[device.name], on: connection) }
            if device.endedAt < askedAt { checkEnd(of: device, told[device.name], on: connection) }
        }
    }

    private func checkState(of device: SimulatedDevice, _ told: JSONValue?, on connection: SimulatedConnection) {
        guard let told else {
            guard device.connection != nil else { return }
            return world.fail("\(connection.label) isn't told of \(device.name), which is here")
        }
        let state = device.connection.map { "\($0.activity.word)" } ?? "offline"
        let toldState = told["state"]?.string ?? "nothing"
        if toldState != state {
            world.fail("\(connection.label) is told that \(device.name) is \(toldState), not \(state)")
        }
    }

    private func checkEnd(of device: SimulatedDevice, _ told: JSONValue?, on connection: SimulatedConnection) {
        guard device.isEndKnown, let told else { return }
        let end = device.end.map { "\($0.reason.word) \($0.time == .never ? 0 : $0.time.milliseconds)" } ?? "nothing"
        let toldEnd = told["ended"].map { "\($0["reason"]?.string ?? "-") \($0["time"]?.integer ?? 0)" } ?? "nothing"
        if toldEnd != end { world.fail("\(connection.label) is told of \(device.name) \(toldEnd), not \(end)") }
    }
}
