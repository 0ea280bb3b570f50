import SeededRandom

/// The moments at which events are due, in an open loop. They follow from the rate and the seed alone, never from how
/// fast the relay answers. So a stall of the relay can't thin out the load that would show it (coordinated omission). A
/// value of one thread; drawing doesn't allocate.
struct ArrivalSchedule: Sendable {
    /// When the next event is due, in nanoseconds from the beginning.
    private(set) var nextDue: UInt64 = 0

    private let arrivals: Scenario.Messages.Arrivals
    private let rate: Double
    private var random: SeededGenerator
    /// Number of events before the next one.
    private var index: UInt64 = 0
    /// When the next event is due, with fractions of a nanosecond. Rounding each gap would make it a little too short.
    private var moment = 0.0

    /// `rate` is in events a second and more than 0. With constant gaps the first event is due at once, otherwise after
    /// a first gap.
    init(rate: Double, arrivals: Scenario.Messages.Arrivals, seed: UInt64) {
        precondition(rate > 0 && rate.isFinite, "checked by the scenario's reader")
        self.rate = rate
        self.arrivals = arrivals
        // Its own random stream, so that choices drawn from the same seed don't depend on the gaps.
        random = SeededGenerator(seed: ~seed)
        if arrivals == .poisson { advance() }
    }

    /// Advances to the next event.
    mutating func advance() {
        index += 1
        switch arrivals {
        // Computed from the index and not from the event before, so that errors don't add up over hours.
        case .constant: moment = Double(index) * 1e9 / rate
        case .poisson: moment += random.exponential(mean: 1e9 / rate)
        }
        nextDue = UInt64(moment)
    }
}
