import RoostCore
import RoostWire

/// The users' settings, as they became durable, in log order.
struct SettingTruth {
    struct Setting: Equatable {
        /// Where it was set; its version, too.
        var position: Int64
        /// Empty if it was removed.
        var value: [UInt8]
    }

    /// A durable event.
    struct Event {
        var user: Int
        var key: String
        var setting: Setting
    }

    /// By user and key.
    private(set) var newest: [Int: [String: Setting]] = [:]
    /// By position.
    private(set) var events: [Int64: Event] = [:]

    /// The present settings of a user, without removed ones.
    func present(of user: Int) -> [String: Setting] { (newest[user] ?? [:]).filter { !$0.value.value.isEmpty } }

    /// Notes what became of a command.
    /// - Returns: what is wrong with it, if anything.
    mutating func apply(_ append: Append, _ outcome: Outcome, by user: Int) -> String? {
        let present = newest[user]?[append.label].flatMap { $0.value.isEmpty ? nil : $0 }
        let isThere = append.body.isEmpty ? present == nil : present?.value == append.body
        let fits = !append.flag || append.reference.value == present?.position ?? 0
        switch outcome {
        case .stored(let position, _, _):
            guard !isThere, fits else { return "u\(user) changes \(append.label) although its version is another one" }
            let setting = Setting(position: position.value, value: append.body)
            newest[user, default: [:]][append.label] = setting
            events[position.value] = Event(user: user, key: append.label, setting: setting)
        case .duplicate(let position, _, _, _, _) where isThere && position.value == present?.position: break
        case .unchanged where isThere && append.body.isEmpty: break
        case .refused(.conflict) where !isThere && !fits: break
        default: return "u\(user) sets \(append.label), and what comes of it is \(outcome)"
        }
        return nil
    }
}
