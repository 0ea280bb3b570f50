/// When rounds of presence begin: at fixed ticks, whatever else changes, and for each change not before devices that
/// return at once have done so. Plain arithmetic.
struct PresenceTicks {
    /// Milliseconds between two ticks.
    private let interval: Int64
    /// When the next round begins, in monotonic milliseconds; nil if nothing waits for it.
    private(set) var next: Int64?

    init(every interval: Int64) { self.interval = interval }

    /// The tick that sends a change of this moment.
    func tick(of moment: Int64) -> Int64 { TickGrid.next(after: moment + interval / 2 - 1, every: interval) }

    /// A change of this moment waits.
    mutating func expect(_ moment: Int64) {
        let tick = tick(of: moment)
        next = min(next ?? tick, tick)
    }

    /// A round begins.
    mutating func begin() { next = nil }
}
