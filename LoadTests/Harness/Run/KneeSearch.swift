/// Looks for the highest rate that holds: raises it by a factor until it doesn't, then halves the interval a few times.
/// It only decides on rates; the caller runs them and reports the outcome. A value.
public struct KneeSearch: Sendable, Equatable {
    /// The outcome of a step.
    public enum Outcome: String, Codable, Sendable {
        case held
        /// A threshold or the contract was broken: the relay's end.
        case broken
        /// The harness didn't keep up: its own end, which says nothing of the relay.
        case invalid
    }

    /// A rate that didn't hold.
    public struct Limit: Sendable, Equatable, Codable {
        /// Messages a second.
        public var rate: Double
        /// `broken` or `invalid`.
        public var why: Outcome
    }

    /// Steps up or down before it gives up: a factor of 16,000 with steps of 1.5.
    static let rampMax = 24
    /// Each halves the interval, on a scale of factors: 1.5 becomes 1.03 after four.
    static let bisectionsMax = 8

    /// The rate to try; nil: it is over.
    public private(set) var next: Double?
    /// The highest that held; nil: none did.
    public private(set) var knee: Double?
    /// The lowest that didn't, and why; nil: all held, up to the highest rate there is.
    public private(set) var limit: Limit?

    private let factor: Double
    private var ramps = 0
    private var bisectionsLeft: Int

    /// - Parameters:
    ///   - from: The first rate, events a second.
    ///   - factor: More than 1.
    public init(from: Double, factor: Double, bisections: Int = 4) {
        next = min(max(from, 0.1), HarnessLimits.rateMax)
        self.factor = max(1.01, factor)
        bisectionsLeft = min(max(0, bisections), Self.bisectionsMax)
    }

    /// Notes what came out at `next`, and decides on the one after it.
    public mutating func note(_ outcome: Outcome) {
        guard let rate = next else { return }
        // Chance may let a higher rate hold than one that broke. The knee stays below the lowest that broke.
        if outcome == .held { knee = max(knee ?? 0, rate) } else { limit = Limit(rate: rate, why: outcome) }
        switch (knee, limit) {
        case (nil, let limit?): ramp(to: limit.rate / factor, isOver: limit.rate / factor < 0.1)
        case (let knee?, nil):
            ramp(to: min(knee * factor, HarnessLimits.rateMax), isOver: knee >= HarnessLimits.rateMax)
        case (let knee?, let limit?): bisect(knee, limit.rate)
        case (nil, nil): next = nil
        }
    }

    private mutating func ramp(to rate: Double, isOver: Bool) {
        ramps += 1
        next = isOver || ramps > Self.rampMax ? nil : rate
    }

    // By ratio and not by difference, since that is how rates differ.
    private mutating func bisect(_ low: Double, _ high: Double) {
        guard bisectionsLeft > 0, high / low > 1.01 else { return next = nil }
        bisectionsLeft -= 1
        next = (low * high).squareRoot()
    }
}
