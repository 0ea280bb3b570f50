import SeededRandom

/// The moments at which events are due, in an open loop. They follow from the rate and the seed alone, never from how
/// fast the relay answers. So a stall of the relay can't thin out the load that would show it (coordinated omission). A
/// value of one thread; drawing doesn't allocate.
struct ArrivalSchedule: Sendable {
    /// A span with one rate, until the next one begins.
    private struct Span {
        /// When it begins, in nanoseconds.
        var begin: Double
        /// Expected number of events before it.
        var before: Double
        /// Events a second.
        var rate: Double
    }

    /// When the next event is due, in nanoseconds from the beginning.
    private(set) var nextDue: UInt64 = 0

    private let arrivals: Scenario.Messages.Arrivals
    private var random: SeededGenerator
    private let spans: [Span]
    /// The span of the next event.
    private var span = 0
    /// Number of events before the next one.
    private var index: UInt64 = 0
    /// Expected number of events before the next one. Time is this, stretched by the rate: so the rate may change at
    /// any moment, and the events stay a Poisson process.
    private var count = 0.0

    /// `rate` is in events a second and more than 0. With constant gaps the first event is due at once, otherwise after
    /// a first gap.
    /// - Parameters:
    ///   - stages: by what the rate is multiplied from when on, in rising order.
    ///   - offset: seconds from the beginning to the zero of the stages.
    init(
        rate: Double, arrivals: Scenario.Messages.Arrivals, seed: UInt64, stages: [Scenario.Messages.Stage] = [],
        offset: Double = 0
    ) {
        precondition(rate > 0 && rate.isFinite, "checked by the scenario's reader")
        self.arrivals = arrivals
        // Its own random stream, so that choices drawn from the same seed don't depend on the gaps.
        random = SeededGenerator(seed: ~seed)
        var spans = [Span(begin: 0, before: 0, rate: rate)]
        for stage in stages {
            let begin = (stage.at + offset) * 1e9
            let last = spans[spans.count - 1]
            let before = last.before + (begin - last.begin) * last.rate / 1e9
            spans.append(Span(begin: begin, before: before, rate: rate * stage.factor))
        }
        self.spans = spans
        if arrivals == .poisson { advance() }
    }

    /// Advances to the next event.
    mutating func advance() {
        index += 1
        switch arrivals {
        // Counted and not added to the moment before, so that errors don't add up over hours.
        case .constant: count = Double(index)
        case .poisson: count += random.exponential(mean: 1)
        }
        while span + 1 < spans.count, count >= spans[span + 1].before { span += 1 }
        nextDue = UInt64(spans[span].begin + (count - spans[span].before) * 1e9 / spans[span].rate)
    }
}
