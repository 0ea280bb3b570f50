extension Report {
    /// The figure with this name (`Figure.all`), in the unit that its name says. Returns nil if there is no such figure
    /// or it was not measured.
    public func figure(named name: String) -> Double? {
        if let fault = Fault(rawValue: name) { return Double(result.faults[fault]) }
        switch name {
        case "errors": return Double(result.errors.values.reduce(0, +))
        case "lost_connections": return Double(result.counts.lostConnections)
        case "missed_signals": return Double(result.counts.missedSignals)
        case "cpu_us_per_delivery": return cost?.microsecondsPerDelivery
        case "kib_per_session": return cost?.bytesPerSession.map { $0 / 1_024 }
        case "rss_growth_mib": return cost.map { Double($0.rssEnd - $0.rssConnected) / 1_024 }
        case "storm_seconds": return result.disturbances.filter { $0.kind == .storm }.map(\.welcomed).max()
        case "live_seconds": return result.disturbances.map(\.live).max()
        case "recovery_seconds": return recoverySeconds
        case "behind_sessions": return result.timeline.last.map { Double($0.behind) }
        case "presence_frames": return Double(result.counts.presenceFrames)
        case "frames_per_presence": return framesPerPresence
        case "delayed": return Double(result.counts.delayed)
        case "unsent": return Double(result.counts.unsent)
        case "deliveries_per_second": return rate(of: result.counts.delivered)
        case "acks_per_second": return wantsAcks ? rate(of: result.counts.acked) : nil
        case "catch_up_per_second": return catchUpRate
        default: return latency(named: name)
        }
    }

    // A name such as `delivery_p99_ms` or `catch_up_max_ms`, or `p99_ms`, which is of deliveries.
    private func latency(named name: String) -> Double? {
        guard name.hasSuffix("_ms") else { return nil }
        let words = name.dropLast(3)
        let cut = words.lastIndex(of: "_")
        let kindName = cut.map { String(words[..<$0]) } ?? LatencyKind.delivery.rawValue
        let level = cut.map { String(words[words.index(after: $0)...]) } ?? String(words)
        guard let kind = LatencyKind(rawValue: kindName), let measured = result.corrected[kind], measured.total > 0
        else { return nil }
        if level == "max" { return Double(measured.max) / 1e6 }
        guard let percentile = Figure.percentiles.first(where: { $0.name == level }) else { return nil }
        return Double(measured.percentile(percentile.percent)) / 1e6
    }

    // A run in which nothing was due has no rate. If messages were due and none arrived, the rate is 0.
    private func rate(of count: UInt64) -> Double? {
        guard result.seconds > 0, result.counts.due > 0 else { return nil }
        return Double(count) / result.seconds
    }

    // Signals may be sent without a reply.
    private var wantsAcks: Bool { result.counts.acked > 0 || scenario.messages?.mode == .send }

    // What coalescing makes of many changes: below 1, frames tell of several users.
    private var framesPerPresence: Double? {
        guard result.counts.presences > 0 else { return nil }
        return Double(result.counts.presenceFrames) / Double(result.counts.presences)
    }

    // All devices return together, so the time of the slowest one is the time of all.
    private var catchUpRate: Double? {
        guard let slowest = result.corrected[.catchUp]?.max, slowest > 0 else { return nil }
        return Double(result.counts.caughtUpMessages) * 1e9 / Double(slowest)
    }
}
