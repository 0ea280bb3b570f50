import RoostChat
import RoostWire

/// One of the user's own devices, as shown.
enum DeviceLine {
    /// In one line.
    static func text(_ one: OwnDevice) -> String {
        let name = TerminalText.printable(one.device)
        let since = one.since.map { " since \(WallClock().time($0))" } ?? ""
        let ended = one.ended.flatMap { end in
            end.reason.map { ", last ended by \($0.word)" + (end.time.map { " at \(WallClock().time($0))" } ?? "") }
        }
        return "  \(name) is \(one.state.rawValue)\(since)\(ended ?? "")"
    }
}
