/// Time that the relay needed after something that many sessions had to recover from: until every session was live
/// again, and delivery was as fast as before. A disturbance counts from its last `welcome`.
extension Report {
    // Below this a p99 says how long one commit took, and not how the relay feels.
    static let calmP99Least: UInt64 = 10_000_000
    // Fast again: within this many times of before.
    static let recoveredFactor = 1.5
    // One good second among bad ones is chance.
    static let recoveredSeconds = 3

    /// The p99 of deliveries in the measured seconds before the first disturbance, at least 10 ms; nil: there was no
    /// such second, or nothing was delivered in it.
    var calmP99: UInt64? {
        guard let first = result.disturbances.map(\.at).min() else { return nil }
        var calm = Distribution()
        for second in result.timeline where second.second >= 0 && Double(second.second + 1) <= first {
            calm.merge(second.delivery)
        }
        return calm.total > 0 ? max(calm.percentile(99), Self.calmP99Least) : nil
    }

    /// Seconds from the last `welcome` until every session was live and three seconds in a row began in which the p99
    /// of deliveries was within 1.5 times of before. nil: that wasn't before the next disturbance or the end.
    func recoverySeconds(of disturbance: RunResult.Disturbance) -> Double? {
        guard disturbance.live.isFinite, disturbance.welcomed.isFinite, let calm = calmP99 else { return nil }
        let welcomed = disturbance.end + disturbance.welcomed
        let next = result.disturbances.map(\.at).filter { $0 > disturbance.end }.min() ?? .infinity
        let bound = UInt64(Double(calm) * Self.recoveredFactor)
        var since: Double?
        var good = 0
        for second in result.timeline {
            let begin = Double(second.second)
            // The second of the last `welcome` counts too: what is late in it may have come before.
            guard begin + 1 > welcomed, begin + 1 <= min(next, result.seconds) else { continue }
            guard second.delivery.total > 0, second.delivery.percentile(99) <= bound else {
                good = 0
                continue
            }
            if good == 0 { since = begin }
            good += 1
            if good == Self.recoveredSeconds { break }
        }
        guard good == Self.recoveredSeconds, let since else { return nil }
        return max(disturbance.live, since - welcomed, 0)
    }

    /// That of the slowest disturbance; infinite: there was no recovery from one. nil: there was none, or no load whose
    /// latency could recover.
    var recoverySeconds: Double? {
        guard !result.disturbances.isEmpty, calmP99 != nil else { return nil }
        return result.disturbances.map { recoverySeconds(of: $0) ?? .infinity }.max()
    }
}
