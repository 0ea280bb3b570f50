import RoostWire

/// How somebody else is, as shown.
enum PresenceLine {
    static func text(_ one: UserPresence) -> String {
        let state =
            switch one.state {
            case .online: "is online"
            case .away: "is away"
            case .busy: "is busy"
            case .offline: absence(of: one)
            }
        let status = one.text.map { ": " + TerminalText.printable($0) } ?? ""
        return "· \(TerminalText.printable(one.user)) \(state)\(status)"
    }

    private static func absence(of one: UserPresence) -> String {
        if let time = one.lastSeen { return "was last seen \(ChatScreen.time(time))" }
        return switch one.seen {
        case .recently: "was seen recently"
        case .week: "was seen within a week"
        case .month: "was seen within a month"
        case .long: "was seen long ago"
        case nil: "is offline"
        }
    }
}
