/// Whether the harness itself kept up, so that the figures speak of the relay: every rule, its bound and its reason.
/// Pure; it doesn't know of thresholds.
enum Validity {
    // A tenth of the 100 ms that people begin to notice; what is later belongs to the harness, at p99.
    static let latenessP99Max: UInt64 = 10_000_000
    // In a turn this long a frame may lie unread for as long as a fast relay needs for all else.
    static let longTurn: UInt64 = 20_000_000
    // A frame that comes at any moment meets a long turn with this probability, so p99 is still the relay's. Time is
    // counted and not turns: a busy loop makes thousands of short ones, among which a stall of seconds is nothing. The
    // single longest turn is no rule, because a shared machine takes a core away for 100 ms now and then.
    static let longTurnShareMax = 0.01
    // One thread with less left than this queues what it measures.
    static let cpuShareMax = 0.95
    // Over it the processes fight for cores, and every figure says how the kernel shared them out.
    static let waitShareMax = 0.25
    // With less the relay got another load than the scenario says. What its own absence prevented doesn't count here.
    static let sentShareMin = 0.97

    /// One rule, applied.
    struct Check: Sendable {
        /// Within a sentence.
        var name: String
        var actual: String
        var bound: String
        var holds: Bool

        /// The name as the head of a row: `Share of one core that it used`.
        var title: String {
            let rest = name.hasPrefix("the ") ? name.dropFirst(4) : name[...]
            return rest.prefix(1).uppercased() + rest.dropFirst()
        }
    }

    /// Every rule of which something was measured.
    static func checks(of result: RunResult) -> [Check] {
        var checks: [Check] = []
        let health = result.health
        if health.lateness.total > 0 {
            let late = health.lateness.percentile(99)
            checks.append(
                Check(
                    name: "the time from due to sent (p99)", actual: Readable.span(Double(late)),
                    bound: "at most " + Readable.span(Double(latenessP99Max)), holds: late <= latenessP99Max))
        }
        if let share = longTurnShare(of: health.turns, seconds: result.seconds) {
            checks.append(
                Check(
                    name: "the share of its time in turns of the loop longer than " + Readable.span(Double(longTurn)),
                    actual: Readable.percent(share), bound: "at most " + Readable.percent(longTurnShareMax),
                    holds: share <= longTurnShareMax))
        }
        checks.append(atMost("the share of one core that it used", health.cpuShare, cpuShareMax))
        checks.append(atMost("the share of its time that it waited for a core", health.waitShare, waitShareMax))
        if result.counts.due > 0 {
            let share = Double(result.counts.sent + result.counts.unsent) / Double(result.counts.due)
            checks.append(
                Check(
                    name: "the share of messages sent of those due", actual: Readable.percent(share),
                    bound: "at least " + Readable.percent(sentShareMin), holds: share >= sentShareMin))
        }
        return checks
    }

    /// A sentence for each rule that doesn't hold; empty: the harness kept up.
    static func reasons(of result: RunResult) -> [String] {
        checks(of: result).filter { !$0.holds }.map {
            "The harness did not keep up: \($0.name) was \($0.actual); \($0.bound) is sound."
        }
    }

    private static func atMost(_ name: String, _ share: Double, _ bound: Double) -> Check {
        Check(
            name: name, actual: Readable.percent(share), bound: "at most " + Readable.percent(bound),
            holds: share <= bound)
    }

    // nil: nothing was measured. The share is of the measured seconds, and not of the turns: a loop that mostly waits
    // is free then.
    static func longTurnShare(of turns: Distribution, seconds: Double) -> Double? {
        guard turns.total > 0, seconds > 0 else { return nil }
        let long = zip(turns.values, turns.counts).filter { $0.0 > longTurn }
        return long.reduce(0) { $0 + Double($1.0) * Double($1.1) } / (seconds * 1e9)
    }
}
