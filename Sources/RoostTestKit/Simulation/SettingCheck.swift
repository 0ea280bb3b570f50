import RoostCore
import RoostWire
import SeededRandom

/// A device's copy of its user's settings, as an app's own store would keep it.
struct DeviceSettings {
    private(set) var known: [String: SettingTruth.Setting] = [:]
    /// Whether it has read all of them once, and has got all changes since.
    private(set) var isComplete = false

    /// It was forgotten, or removals were.
    mutating func reset() { self = DeviceSettings() }

    /// An event, or the answer to its own command. A lower version than the one that it has is a repetition.
    mutating func take(_ key: String, _ setting: SettingTruth.Setting) {
        if let known = known[key], known.position >= setting.position { return }
        known[key] = setting
    }

    /// All that there is.
    mutating func take(all settings: [String: SettingTruth.Setting]) {
        known = settings
        isComplete = true
    }
}

/// People set something for themselves now and then, and on every device that must arrive. It has dice of its own, so
/// that days without it stay as they are.
final class SettingCheck {
    private let world: World
    private let ledger: Ledger
    private let people: People
    private let clients: SimulatedClients
    private var random: SeededGenerator
    /// Whether people set something on this day.
    let isActive: Bool

    init(_ world: World, _ ledger: Ledger, _ people: People, _ clients: SimulatedClients, seed: UInt64) {
        self.world = world
        self.ledger = ledger
        self.people = people
        self.clients = clients
        random = SeededGenerator(seed: ~seed &+ 1)
        // A dropped request is shared with all devices by a setting.
        isActive = seed % 2 == 0 || world.takesRequests
    }

    // MARK: Saying

    /// A user sets something, or no user does.
    func step() {
        guard isActive, random.chance(10) else { return }
        let user = people.users[random.below(people.users.count)]
        let device = user.devices[random.below(user.devices.count)]
        guard let connection = device.current, connection.isWelcome, !connection.isClosed else { return }
        let mute = random.chance(40) ? muteKey(of: user) : nil
        let key = mute ?? "k\(random.below(6))"
        var members = "\"key\":\"\(key)\""
        if !random.chance(30) { members += ",\"value\":\(mute == nil ? "[\(random.below(4))]" : muteValue())" }
        if random.chance(50) {
            let version = device.settings.known[key].map { $0.value.isEmpty ? 0 : $0.position } ?? 0
            members += ",\"ifVersion\":\(random.chance(80) ? version : Int64(random.below(50)))"
        }
        clients.say("state.set", members, .setState(key), on: connection)
    }

    /// The setting that mutes a conversation in which the user is or was; nil if there is none.
    private func muteKey(of user: SimulatedUser) -> String? {
        let known = ledger.conversations.filter { $0.generations[user.index] != nil && !$0.isErased }
        return known.isEmpty ? nil : "mute/\(known[random.below(known.count)].id)"
    }

    /// A mute for ever, one that ends before the run does, or none.
    private func muteValue() -> String {
        switch random.below(4) {
        case 0, 1: "true"
        case 2: "{\"until\":\(world.now.wall.milliseconds + Int64(random.below(20_000)))}"
        default: "false"
        }
    }

    /// Asks for all settings of a device that doesn't know them.
    func complete(_ connection: SimulatedConnection) {
        guard isActive, !connection.device.settings.isComplete else { return }
        clients.answer(connection, "state.get", "", .getState)
    }

    // MARK: Received settings

    /// The content of an event that is in its place.
    func take(_ event: WireEvent, at position: Int64, on connection: SimulatedConnection) {
        let device = connection.device
        guard let key = event.key else {
            guard device.current === connection else { return }
            device.settings.reset()
            return complete(connection)
        }
        guard let stored = ledger.settings.events[position], stored.user == device.user.index, stored.key == key,
            event.json?["value"]?.raw ?? [] == stored.setting.value,
            event.json?["version"]?.integer == position
        else { return world.fail("\(connection.label) is told another setting than was stored at \(position)") }
        if device.current === connection { device.settings.take(key, stored.setting) }
    }

    /// The answer to `state.set`.
    func takeSet(_ event: WireEvent, _ key: String, on connection: SimulatedConnection) {
        let device = connection.device
        guard let version = event.json?["version"]?.integer else {
            // There was nothing to remove.
            if !event.isDuplicate { world.fail("\(connection.label) isn't told the version of \(key)") }
            return
        }
        guard let stored = ledger.settings.events[version], stored.user == device.user.index, stored.key == key,
            event.position == version
        else { return world.fail("\(connection.label) gets ok for a setting that isn't durable") }
        if device.current === connection { device.settings.take(key, stored.setting) }
    }

    /// The answer to `state.get`.
    func takeAll(_ event: WireEvent, on connection: SimulatedConnection) {
        var told: [String: SettingTruth.Setting] = [:]
        for one in event.json?["states"]?.elements ?? [] {
            guard let key = one["key"]?.string, let version = one["version"]?.integer,
                let stored = ledger.settings.events[version], stored.user == connection.device.user.index,
                stored.key == key, stored.setting.value == one["value"]?.raw
            else { return world.fail("\(connection.label) is answered a setting that was never stored") }
            told[key] = stored.setting
        }
        if event.json?["next"] != nil { return world.fail("\(connection.label) has more settings than anybody set") }
        if connection.device.current === connection { connection.device.settings.take(all: told) }
    }

    // MARK: The end

    /// Fails if a device that got everything has another value than its user set last.
    func check(_ connection: SimulatedConnection) {
        let device = connection.device
        guard device.current === connection else { return }
        let truth = ledger.settings.present(of: device.user.index)
        let known = device.settings.known.filter { !$0.value.value.isEmpty }
        guard device.settings.isComplete || !isActive else {
            return world.fail("\(connection.label) never got an answer to state.get")
        }
        if known != truth { world.fail("\(connection.label) has the settings \(known), not \(truth)") }
    }
}
