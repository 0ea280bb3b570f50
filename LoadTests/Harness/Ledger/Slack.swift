/// Tolerances of the ledgers that judge by time, in nanoseconds. Constants; no state.
enum Slack {
    /// Time for which a change may be invisible before that is a fault.
    static let truth = UInt64(HarnessLimits.truthSlackSeconds * 1_000_000_000)
    /// Time before the end of the grace from which a user may be shown as gone. The relay counts in milliseconds, and
    /// the harness may notice a drop a little late.
    static let early: UInt64 = 1_000_000_000
    /// A beginning of typing is not timed if it is closer than this to a moment that decides whether the relay reports
    /// it.
    static let typing: UInt64 = 250_000_000

    /// A sum that stops at the end of time instead of trapping.
    static func sum(_ time: UInt64, _ span: UInt64) -> UInt64 {
        let (sum, hasOverflowed) = time.addingReportingOverflow(span)
        return hasOverflowed ? .max : sum
    }
}
