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
        var schedule = crowd.course.scenario.messages.map {
            ArrivalSchedule(
                rate: $0.rate, arrivals: $0.arrivals, seed: crowd.course.scenario.seed &+ 1, stages: $0.stages,
                offset: crowd.course.scenario.warmup)
        }
        var nextSecond = begin + 1_000_000_000
        while true {
            let now = SocketLoop.now()
            if crowd.course.stage == .warmingUp, now >= crowd.course.measureFrom {
                crowd.course.beginMeasuring()
                usage = .ofThread()
                observe(.measuring)
            }
            if now >= nextSecond {
                endSecond(at: now)
                nextSecond += 1_000_000_000
            }
            guard now < crowd.course.measureTo, !isInterrupted() else { break }
            let arrival = emit(&schedule, since: begin, at: now)
            let planned = min(arrival, crowd.course.measureTo)
            turn(until: min(planned, nextSecond, now + HarnessLimits.pollNanoseconds), planned: planned)
        }
        emitRest(&schedule, since: begin)
        let end = min(SocketLoop.now(), crowd.course.measureTo)
        crowd.course.endLoad(at: end)
        return end > crowd.course.measureFrom ? Double(end - crowd.course.measureFrom) / 1e9 : 0
    }

    /// Lets all messages come that are due; returns when the next one is. At most a batch, so that what has come is
    /// read between: then the rest is late, and says so.
    private func emit(_ schedule: inout ArrivalSchedule?, since begin: UInt64, at now: UInt64) -> UInt64 {
        for _ in 0..<HarnessLimits.arrivalsPerTurn {
            guard let due = schedule?.nextDue else { return .max }
            guard begin + due <= now else { return begin + due }
            schedule?.advance()
            guard begin + due < crowd.course.measureTo else { return .max }
            crowd.ring(upTo: begin + due, at: now)
            crowd.traffic.arrive(due: begin + due, at: now)
        }
        return schedule.map { begin + $0.nextDue } ?? .max
    }

    /// Emits all that was due before the end, however late the end was noticed.
    private func emitRest(_ schedule: inout ArrivalSchedule?, since begin: UInt64) {
        let now = SocketLoop.now()
        guard now >= crowd.course.measureTo else { return }
        while emit(&schedule, since: begin, at: now) <= now {}
        crowd.ring(upTo: crowd.course.measureTo, at: now)
    }

    func endSecond(at now: UInt64) {
        let second = crowd.books.takeSecond(
            sessions: crowd.attendance.readyCount, behind: crowd.attendance.behindCount)
        timeline.append(second)
        observe(.second(figures(second)))
    }

    private func figures(_ second: RunResult.Second) -> LiveFigures {
        LiveFigures(
            phase: second.second < 0 ? "warm-up" : "measuring",
            elapsed: Double(timeline.count), total: crowd.course.scenario.warmup + crowd.course.scenario.seconds,
            sessions: second.sessions, sentPerSecond: second.sent, ackedPerSecond: second.acked,
            deliveredPerSecond: second.delivered, p50: second.delivery.percentile(50),
            p99: second.delivery.percentile(99), faults: crowd.books.faultsSoFar, relayCPU: nil, relayRSS: nil,
            late99: crowd.books.recorder.lateness.valueAtPercentile(99))
    }
}
