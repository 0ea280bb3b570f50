import RoostWire

/// After how long messages disappear, as typed.
enum ExpiryLine {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour

    /// Reads `off`, `24h`, `7d` and the like, in milliseconds; nil if the relay takes no such time.
    static func milliseconds(_ word: String) -> Int64? {
        if word == "off" { return 0 }
        guard let number = Int64(word.dropLast()), number > 0, number < 100_000 else { return nil }
        let time: Int64
        switch word.last {
        case "h": time = number * hour
        case "d": time = number * day
        default: return nil
        }
        let limits = Limits()
        return (limits.expiryMinMilliseconds...limits.expiryMaxMilliseconds).contains(time) ? time : nil
    }
}
