import RoostTestKit

/// The moments at which events are due, in an open loop: they follow from the rate and the seed alone, never from how
/// fast the relay answers, so a stall doesn't thin out the load that would show it (coordinated omission). A value of
/// one thread; drawing doesn't allocate. It doesn't know what is due, nor whether anybody was in time.
struct ArrivalSchedule: Sendable {
    /// Nanoseconds from the beginning to the next event.
    private(set) var nextDue: UInt64 = 0

    private let arrivals: Scenario.Messages.Arrivals
    private let rate: Double
    private var random: SeededGenerator
    /// Events before the next one.
    private var index: UInt64 = 0
    /// The next event, in fractions of a nanosecond: whole ones would make each gap a little too short.
    private var moment = 0.0

    /// `rate` events a second; more than 0. With constant gaps the first event is due at once, else after a first gap.
    init(rate: Double, arrivals: Scenario.Messages.Arrivals, seed: UInt64) {
        precondition(rate > 0 && rate.isFinite, "checked by the scenario's reader")
        self.rate = rate
        self.arrivals = arrivals
        // A stream of its own: the picks that are drawn from the same seed don't follow from the gaps.
        random = SeededGenerator(seed: ~seed)
        if arrivals == .poisson { advance() }
    }

    /// Goes on to the event after this one.
    mutating func advance() {
        index += 1
        switch arrivals {
        // From the index and not from the event before: errors don't add up over hours.
        case .constant: moment = Double(index) * 1e9 / rate
        case .poisson: moment += random.exponential(mean: 1e9 / rate)
        }
        nextDue = UInt64(moment)
    }
}
