import RoostWire

/// The pace of presence in a second. A round of changes takes what it needs; one that took much makes the next one
/// later, so that it has more changes for each session and fewer frames for each change. Nothing is left out: a user
/// who changed meanwhile is sent with the present state. Plain arithmetic.
struct PresencePace {
    /// Frames in a second.
    private let perSecond: Int64
    /// Frames that delay nothing.
    private let burst: Int64
    /// Frames sent beyond the pace, in thousandths of a frame.
    private var debt: Int64 = 0
    private var at: Int64

    init(perSecond: Int, burst: Int, at now: Int64) {
        self.perSecond = Int64(max(1, perSecond))
        self.burst = Int64(burst)
        at = now
    }

    /// Notes a frame with this many users.
    mutating func note(users: Int, at now: Int64) {
        let paid = max(0, now - at).multipliedReportingOverflow(by: perSecond)
        debt = paid.overflow ? 0 : max(0, debt - paid.partialValue)
        debt += 1_000 * Int64(1 + users / PresencePace.usersPerFrame)
        at = max(at, now)
    }

    /// When the next round may begin, in monotonic milliseconds; long ago if at any time.
    var readyAt: Int64 {
        let beyond = debt - 1_000 * burst
        return beyond > 0 ? at + (beyond + perSecond - 1) / perSecond : Int64.min / 2
    }

    /// Users in a frame that take as long to write down as a frame takes to send.
    private static let usersPerFrame = 32
}
