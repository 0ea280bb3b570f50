import RoostWire

/// How often a member may write in a group, as typed and as shown.
enum SlowLine {
    private static let units: [(letter: Character, milliseconds: Int64, one: String)] = [
        ("s", 1_000, "second"), ("m", 60_000, "minute"), ("h", 3_600_000, "hour"),
    ]

    /// Reads `off`, `30s`, `5m` and the like, in milliseconds; nil if the relay takes no such time.
    static func milliseconds(_ word: String) -> Int64? {
        if word == "off" { return 0 }
        guard let number = Int64(word.dropLast()), number > 0, number < 100_000,
            let unit = units.first(where: { $0.letter == word.last })
        else { return nil }
        let limits = Limits()
        let time = number * unit.milliseconds
        return (limits.slowMinMilliseconds...limits.slowMaxMilliseconds).contains(time) ? time : nil
    }

    /// How the group is.
    static func text(_ milliseconds: Int64) -> String {
        milliseconds > 0 ? "slow mode: \(span(milliseconds)) between messages" : "slow mode is off"
    }

    /// A time in its largest whole unit.
    static func span(_ milliseconds: Int64) -> String {
        let unit = units.last { milliseconds % $0.milliseconds == 0 } ?? units[0]
        let number = max(1, milliseconds / unit.milliseconds)
        return number == 1 ? "1 \(unit.one)" : "\(number) \(unit.one)s"
    }
}
