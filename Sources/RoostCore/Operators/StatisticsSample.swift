import RoostFraming
import RoostWire

/// The relay's statistics at a moment. Totals count from its start; times are those since the sample before.
struct StatisticsSample {
    /// Times since the start.
    struct Histograms {
        /// In milliseconds, as `DeliveryTimes` and `Counters` keep them.
        let stored, acked, presence: BucketHistogram
        /// In microseconds.
        let commits, turns: BucketHistogram
    }

    private let numbers: [(name: StaticString, value: Int64)]
    private let times: [(name: StaticString, count: Int, median: Int64, high: Int64)]

    init(
        _ counters: Counters, _ host: HostFigures, waitingBytes: Int, _ now: Histograms, since before: Histograms?,
        at moment: Moment
    ) {
        let (sessions, presence) = (counters.sessions, counters.presence)
        let here = presence.online + presence.away + presence.busy
        let shed = counters.signalsDropped + counters.ephemeralOwed + counters.behind.readsShed
        var numbers: [(StaticString, Int)] = [
            ("sessions", sessions.opened - sessions.ended), ("operators", sessions.operators),
            ("strangers", host.strangers), ("behind", counters.behind.sessions), ("waitingBytes", waitingBytes),
            ("users", counters.users), ("online", presence.online), ("away", presence.away), ("busy", presence.busy),
            ("offline", counters.users - here), ("active", presence.active), ("idle", presence.idle),
            ("background", presence.background), ("opened", sessions.opened), ("ended", sessions.ended),
            ("commands", counters.commands), ("messages", counters.messages), ("deliveries", counters.deliveries),
            ("signals", counters.signals), ("changes", presence.changes), ("joins", presence.joins),
            ("refused", counters.errors.reduce(0, +)), ("refusedRequests", host.refusedRequests), ("shed", shed),
            ("gaps", counters.gaps), ("storeBytes", host.storeBytes), ("memoryBytes", host.memoryBytes),
            ("processorMilliseconds", Int(host.processorMilliseconds)),
        ]
        if let free = host.freeBytes { numbers.append(("freeBytes", free)) }
        self.numbers = [("time", moment.wall.milliseconds)] + numbers.map { ($0.0, Int64($0.1)) }
        times = [
            StatisticsSample.time("stored", now.stored, before?.stored, unit: 1_000),
            StatisticsSample.time("acked", now.acked, before?.acked, unit: 1_000),
            StatisticsSample.time("presence", now.presence, before?.presence, unit: 1_000),
            StatisticsSample.time("commit", now.commits, before?.commits, unit: 1),
            StatisticsSample.time("turn", now.turns, before?.turns, unit: 1),
        ]
    }

    private static func time(
        _ name: StaticString, _ now: BucketHistogram, _ before: BucketHistogram?, unit: Double
    ) -> (StaticString, Int, Int64, Int64) {
        let recent = before.map { now.since($0) } ?? now
        return (name, recent.count, Int64(recent.quantile(0.5) * unit), Int64(recent.quantile(0.99) * unit))
    }

    func write(to builder: FrameBuilder) {
        for (name, value) in numbers { builder.member(name, value) }
        for (name, count, median, high) in times where count > 0 {
            builder.beginObject(name)
            builder.member("count", Int64(count))
            builder.member("p50", median)
            builder.member("p99", high)
            builder.endObject()
        }
    }
}
