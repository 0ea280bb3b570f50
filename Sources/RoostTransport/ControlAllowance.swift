/// Number of control frames and empty fragments that a peer may still send. They carry nothing that could be charged
/// for, so they have a rate of their own: so many each second, and a burst.
struct ControlAllowance {
    // In thousandths, so that a low rate loses nothing.
    private var left: Int64 = 0
    private var filledAt: Int64?

    /// Takes one. Returns false if none is left. `now` is in monotonic milliseconds.
    mutating func take(at now: Int64, perSecond: Int, burst: Int) -> Bool {
        let full = Int64(burst) * 1_000
        if let filledAt {
            // No burst takes longer than an hour to fill.
            let passed = min(max(now - filledAt, 0), 3_600_000)
            left = min(left + passed * Int64(perSecond), full)
        } else {
            left = full
        }
        filledAt = now
        guard left >= 1_000 else { return false }
        left -= 1_000
        return true
    }
}
