/// Tolerances of the ledgers that judge by time. Constants; no state. All in nanoseconds.
enum Slack {
    /// After something had to be seen, until it is a fault that it isn't.
    static let truth = UInt64(HarnessLimits.truthSlackSeconds * 1_000_000_000)
    /// How much before the end of the grace a user may be shown as gone: the relay counts milliseconds, and the harness
    /// may notice a drop a little after it.
    static let early: UInt64 = 1_000_000_000
    /// Typing that begins closer than this to a moment by which the relay decides whether to tell of it isn't timed.
    static let typing: UInt64 = 250_000_000

    /// A sum that stays at the end of time instead of trapping.
    static func sum(_ time: UInt64, _ span: UInt64) -> UInt64 {
        let (sum, hasOverflowed) = time.addingReportingOverflow(span)
        return hasOverflowed ? .max : sum
    }
}
