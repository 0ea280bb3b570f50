import RoostWire

/// The rest of `/ban` and `/timeout`: a name, which may have spaces, a time, and a reason. They are read from the end,
/// so that names need no quotation marks. Pure.
struct ModerationLine: Equatable, Sendable {
    private(set) var name: String
    private(set) var reason: ReportReason?

    /// Reads it; nil if there is no name.
    init?(name text: String) {
        var words = text.split(whereSeparator: \.isWhitespace)
        if words.count > 1, let last = words.last, let reason = ReportReason(word: String(last)) {
            self.reason = reason
            words.removeLast()
        }
        guard !words.isEmpty else { return nil }
        name = words.joined(separator: " ")
    }

    var ban: Act { .ban(name, reason) }

    /// Nil if there is no time.
    var timeOut: Act? {
        let words = name.split(separator: " ")
        guard words.count > 1, let last = words.last, let time = ModerationLine.milliseconds(String(last)) else {
            return nil
        }
        return .timeOut(words.dropLast().joined(separator: " "), time, reason)
    }

    /// Reads `30s`, `10m`, `2h`, `7d` or `off`, in milliseconds; nil if the relay takes no such time.
    static func milliseconds(_ word: String) -> Int64? {
        if word == "off" { return 0 }
        let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = word.last.flatMap({ units[$0] }), let number = Int64(word.dropLast()), number > 0,
            number < 100_000
        else { return nil }
        let (limits, time) = (Limits(), number * unit)
        return (limits.timeoutMinMilliseconds...limits.timeoutMaxMilliseconds).contains(time) ? time : nil
    }
}
