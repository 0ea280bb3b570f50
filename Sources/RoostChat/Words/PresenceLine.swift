import RoostWire

/// How somebody else is, as shown.
enum PresenceLine {
    static func text(_ one: UserPresence, _ names: Names) -> String {
        let verb =
            switch one.state {
            case .online, .away, .busy: "is "
            case .offline: one.lastSeen == nil && one.seen == nil ? "is " : "was "
            }
        return "· \(names.short(one.user)) \(verb)\(words(one))"
    }

    /// Without the name.
    static func words(_ one: UserPresence) -> String {
        let state =
            switch one.state {
            case .online: "online"
            case .away: "away"
            case .busy: "busy"
            case .offline: absence(of: one)
            }
        return state + (one.text.map { ": " + TerminalText.printable($0) } ?? "")
    }

    private static func absence(of one: UserPresence) -> String {
        if let time = one.lastSeen { return "last seen \(WallClock().time(time))" }
        return switch one.seen {
        case .recently: "seen recently"
        case .week: "seen within a week"
        case .month: "seen within a month"
        case .long: "seen long ago"
        case nil: "offline"
        }
    }
}
