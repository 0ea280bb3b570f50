/// Limits the log's lines of one kind in a second. A flood of refusals says nothing new after some of them, and would
/// fill the disk.
struct LogBudget {
    /// Lines of one kind in a second: a person can't read more, and a day of them is a gigabyte.
    static let perSecond = 50

    private struct Kind {
        var second = Int64.min
        var written = 0
        var leftOut = 0
    }

    // One for each kind of event that the relay itself names, so there are few.
    private var kinds: [String: Kind] = [:]

    /// Whether a line of this kind may be written now. Returns how many were left out before it, or nil if it is left
    /// out, too.
    /// - Parameter now: monotonic milliseconds.
    mutating func take(_ kind: String, at now: Int64) -> Int? {
        var state = kinds[kind] ?? Kind()
        defer { kinds[kind] = state }
        if now / 1_000 != state.second {
            state.second = now / 1_000
            state.written = 0
        }
        guard state.written < LogBudget.perSecond else {
            state.leftOut += 1
            return nil
        }
        state.written += 1
        defer { state.leftOut = 0 }
        return state.leftOut
    }
}
