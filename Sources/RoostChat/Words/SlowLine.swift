import RoostWire

/// The interval of a group's slow mode, as typed.
enum SlowLine {
    private static let units: [(letter: Character, milliseconds: Int64)] = [
        ("s", 1_000), ("m", 60_000), ("h", 3_600_000),
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
}
