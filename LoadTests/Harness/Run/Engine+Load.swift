import Histogram

/// The load itself: arrivals by the schedule and never by what the relay does, so that a stall costs all who wait.
extension Engine {
    /// Returns the seconds of measured load that were run.
    func runLoad() -> Double {
        var usage = OwnUsage.ofThread()
        defer { usageShares = OwnUsage.ofThread().shares(since: usage) }
        let begin = SocketLoop.now()
        crowd.beginLoad(at: begin)
        observe(.warmup)
        var schedule = crowd.scenario.messages.map {
            ArrivalSchedule(
                rate: $0.rate, arrivals: $0.arrivals, seed: crowd.scenario.seed &+ 1)
        }
        var nextSecond = begin + 1_000_000_000
        while true {
            let now = SocketLoop.now()
            if crowd.stage == .warmingUp, now >= crowd.measureFrom {
                crowd.stage = .measuring
                usage = .ofThread()
                observe(.measuring)
            }
            if now >= nextSecond {
                endSecond(at: now)
                nextSecond += 1_000_000_000
            }
            guard now < crowd.measureTo, !isInterrupted() else { break }
            let arrival = emit(&schedule, since: begin, at: now)
            turn(until: min(arrival, nextSecond, crowd.measureTo, now + HarnessLimits.pollNanoseconds))
        }
        let end = min(SocketLoop.now(), crowd.measureTo)
        crowd.measureTo = end
        return end > crowd.measureFrom ? Double(end - crowd.measureFrom) / 1e9 : 0
    }

    /// Lets all messages come that are due; returns when the next one is. At most a batch, so that what has come is
    /// read between: then the rest is late, and says so.
    private func emit(_ schedule: inout ArrivalSchedule?, since begin: UInt64, at now: UInt64) -> UInt64 {
        for _ in 0..<HarnessLimits.arrivalsPerTurn {
            guard let due = schedule?.nextDue else { return .max }
            guard begin + due <= now else { return begin + due }
            schedule?.advance()
            guard begin + due < crowd.measureTo else { return .max }
            crowd.arrive(due: begin + due, at: now)
        }
        return now
    }

    func endSecond(at now: UInt64) {
        let second = crowd.takeSecond()
        timeline.append(second)
        observe(.second(snapshot(second)))
    }

    private func snapshot(_ second: RunResult.Second) -> Snapshot {
        Snapshot(
            phase: second.second < 0 ? "warm-up" : "measuring",
            elapsed: Double(timeline.count), total: crowd.scenario.warmup + crowd.scenario.seconds,
            sessions: second.sessions, sentPerSecond: second.sent, ackedPerSecond: second.acked,
            deliveredPerSecond: second.delivered, p50: second.delivery.percentile(50),
            p99: second.delivery.percentile(99), faults: crowd.faultsSoFar, relayCPU: nil, relayRSS: nil,
            late99: crowd.recorder.lateness.valueAtPercentile(99))
    }
}
