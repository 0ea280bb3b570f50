import Foundation
import SeededRandom

@testable import RoostLoad

/// Made-up runs that look like real ones: latencies spread evenly on a logarithmic scale with a tail, a timeline that
/// follows a load, and a process that grows. The same seed gives the same run.
struct SampleRun {
    var generator: SeededGenerator
    var scenario: Scenario
    var result = RunResult()
    var cost: Report.Cost?

    static let machine = Report.Machine(
        system: "Linux 6.1.0 x86_64", processor: "Example CPU at 3.0 GHz", cores: 2, memoryMiB: 24_000)

    init(seed: UInt64 = 1, seconds: Int = 12, rate: Int = 200) throws {
        generator = SeededGenerator(seed: seed)
        scenario = Scenario(name: "pairs", about: "How fast is a message from one person to another at a steady load?")
        scenario.seconds = Double(seconds)
        scenario.warmup = 5
        scenario.users = 1_000
        scenario.conversations.pairs = 500
        scenario.messages = Scenario.Messages(rate: Double(rate), bytes: 180...220)
        scenario.thresholds = [
            Threshold(figure: "delivery_p99_ms", bound: 200), Threshold(figure: "lost", bound: 0),
            Threshold(figure: "deliveries_per_second", bound: Double(rate) / 2),
        ]
        result.relay = "roost 0.1.0"
        result.durability = "full"
        result.seconds = Double(seconds)
        try fillTimeline(seconds: seconds, rate: rate)
        try fillLatencies()
        fillCost(seconds: seconds)
    }

    var report: Report {
        Report(
            scenario: scenario, result: result, cost: cost, machine: Self.machine,
            command: "roost-load run pairs --seed 1 --seconds \(Int(scenario.seconds))", workers: 1,
            started: "2026-03-01T09:30:00Z")
    }

    static func distribution(_ counts: [UInt64: UInt64]) throws -> Distribution {
        let sorted = counts.sorted { $0.key < $1.key }
        let stored = ["values": sorted.map(\.key), "counts": sorted.map(\.value)]
        return try JSONDecoder().decode(Distribution.self, from: JSONEncoder().encode(stored))
    }

    // Nanoseconds around `median`; one in `tail` of them is many times longer.
    private mutating func latencies(_ count: Int, median: Double, tail: Int = 300) throws -> Distribution {
        var counts: [UInt64: UInt64] = [:]
        for _ in 0..<count {
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
            var value = median * exp(normal * 0.4)
            if Int.random(in: 0..<tail, using: &generator) == 0 {
                value *= Double.random(in: 4..<30, using: &generator)
            }
            let step = max(1, UInt64(value / 512))
            counts[UInt64(value) / step * step, default: 0] += 1
        }
        return try Self.distribution(counts)
    }

    private mutating func fillTimeline(seconds: Int, rate: Int) throws {
        var sum = Distribution()
        for second in -5..<(seconds + 2) {
            var one = RunResult.Second(second: second)
            let isLoad = second < seconds
            one.due = isLoad ? UInt64.random(in: UInt64(rate * 95 / 100)...UInt64(rate), using: &generator) : 0
            one.sent = one.due
            one.acked = one.due
            one.delivered = isLoad ? one.due : second == seconds ? 12 : 0
            one.sessions = 1_000
            let isBusy = second == seconds / 2 || second == seconds / 2 + 1
            one.delivery = try latencies(Int(one.delivered), median: isBusy ? 9e6 : 1.4e6)
            result.timeline.append(one)
            guard second >= 0 else { continue }
            sum.merge(one.delivery)
            result.counts.due += one.due
            result.counts.sent += one.sent
            result.counts.acked += one.acked
            result.counts.delivered += one.delivered
        }
        result.counts.expected = result.counts.delivered
        result.counts.sessions = 1_000
        result.counts.connects = 1_000
        result.counts.frames = result.counts.delivered * 2 + 5_000
        result.corrected[.delivery] = sum
    }

    private mutating func fillLatencies() throws {
        let count = Int(result.counts.acked)
        result.uncorrected[.delivery] = try latencies(count, median: 1.2e6, tail: 600)
        result.corrected[.ack] = try latencies(count, median: 1.1e6)
        result.uncorrected[.ack] = try latencies(count, median: 1.0e6, tail: 600)
        result.corrected[.connect] = try latencies(1_000, median: 21e6)
        result.uncorrected[.connect] = result.corrected[.connect]
        result.health.lateness = try latencies(count, median: 4e4)
        result.health.turns = try latencies(count, median: 9e4, tail: 5_000)
        result.health.cpuShare = 0.41
        result.health.waitShare = 0.03
    }

    private mutating func fillCost(seconds: Int) {
        var cost = Report.Cost()
        (cost.rssBefore, cost.rssConnected) = (21_400, 25_100)
        for second in -5..<seconds {
            let cpu = Double.random(in: 0.26..<0.34, using: &generator)
            let rss = 25_100 + (second + 5) * 42 + Int.random(in: 0..<300, using: &generator)
            cost.samples.append(Report.Cost.Sample(second: second, cpu: cpu, rss: rss, descriptors: 1_031))
            if second >= 0 { cost.cpuSeconds += cpu }
        }
        cost.rssPeak = cost.samples.map(\.rss).max() ?? 0
        cost.rssEnd = cost.samples.last?.rss ?? 0
        cost.descriptorsPeak = 1_031
        cost.microsecondsPerDelivery = cost.cpuSeconds * 1e6 / Double(result.counts.delivered)
        cost.bytesPerSession = Double(cost.rssConnected - cost.rssBefore) * 1_024 / 1_000
        cost.metrics = ["roost_commits_total": 8_412, "roost_frames_sent_total": 251_093, "roost_sessions": 1_000]
        self.cost = cost
    }
}
