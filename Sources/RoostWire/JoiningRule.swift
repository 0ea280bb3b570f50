/// Rule for users who follow links to a group.
public enum JoiningRule: UInt8, WireWord {
    /// By opening one.
    case open = 0
    /// Once an admin has let them in.
    case ask = 1

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .open: "open"
        case .ask: "ask"
        }
    }
}
