import Foundation
import Glibc
import Synchronization
import Testing

@testable import RoostLoad

@Suite struct CostSamplerTests {
    private func reading(_ cpu: Double, _ rss: Int, peak: Int = 0, descriptors: Int = 0) -> ProcessProbe.Reading {
        ProcessProbe.Reading(cpuSeconds: cpu, rss: rss, rssPeak: peak, descriptors: descriptors)
    }

    @Test func sumsUpBetweenTheMarks() throws {
        var notes = CostSampler.Notes()
        notes.atStart = reading(1, 1_000, peak: 1_100, descriptors: 10)
        notes.connected = reading(2, 3_000, descriptors: 110)
        notes.cpuAtBegin = 3
        notes.cpuAtEnd = 5
        notes.loadBeganAt = 98_000_000_000
        notes.measuredBeganAt = 100_000_000_000
        notes.measuredEndedAt = 102_000_000_000
        // Ends of spans of a second: one before the load, one of the warm-up, two of the load, one after it.
        for (at, rss) in [(98.0, 1), (99.0, 2), (101.0, 3), (102.01, 9_000), (103.0, 4)] {
            notes.samples.append(
                CostSampler.Sample(at: UInt64(at * 1e9), cpu: 0.5, rss: rss, descriptors: rss == 3 ? 200 : 50))
        }
        let cost = try #require(
            CostSampler.cost(notes, atEnd: reading(6, 2_500, peak: 1_100), delivered: 4_000, sessions: 100))
        #expect(cost.cpuSeconds == 2)
        #expect(cost.microsecondsPerDelivery == 500)
        #expect(cost.rssBefore == 1_000)
        #expect(cost.rssConnected == 3_000)
        #expect(cost.rssEnd == 2_500)
        #expect(cost.rssPeak == 9_000)
        #expect(cost.bytesPerSession == 20_480)
        #expect(cost.descriptorsPeak == 200)
        #expect(cost.samples.map(\.second) == [-2, 0, 1])
        #expect(cost.samples.map(\.rss) == [2, 3, 9_000])
    }

    @Test func takesAPeakBetweenSamplesFromTheKernel() throws {
        var notes = CostSampler.Notes()
        notes.atStart = reading(0, 1_000, peak: 1_000)
        let cost = try #require(
            CostSampler.cost(notes, atEnd: reading(0, 1_200, peak: 5_000), delivered: 0, sessions: 0))
        #expect(cost.rssPeak == 5_000)
        #expect(cost.microsecondsPerDelivery == nil)
        #expect(cost.bytesPerSession == nil)
    }

    @Test func withoutAProcessOnlyMetricsAreReported() throws {
        var notes = CostSampler.Notes()
        #expect(CostSampler.cost(notes, atEnd: nil, delivered: 1, sessions: 1) == nil)
        notes.metricsAtBegin = MetricsText("# TYPE a counter\na 1\n")
        notes.metricsAtEnd = MetricsText("# TYPE a counter\na 4\n")
        let cost = try #require(CostSampler.cost(notes, atEnd: nil, delivered: 1, sessions: 1))
        #expect(cost.metrics == ["a": 3])
        #expect(cost.microsecondsPerDelivery == nil)
        #expect(cost.samples.isEmpty)
    }

    @Test func usageBeforeTheLoadDoesNotCount() throws {
        var notes = CostSampler.Notes()
        notes.atStart = reading(0, 1)
        notes.metricsAtEnd = MetricsText("# TYPE a counter\na 4\n")
        #expect(CostSampler.cost(notes, atEnd: nil, delivered: 1, sessions: 1)?.metrics.isEmpty == true)
    }

    @Test func watchesAProcessUntilItIsStopped() throws {
        let seen = Mutex<[CostSampler.Sample]>([])
        let hasSeen = DispatchSemaphore(value: 0)
        let sampler = CostSampler(pid: getpid(), metrics: nil, intervalSeconds: 0.01) { sample in
            seen.withLock { $0.append(sample) }
            hasSeen.signal()
        }
        sampler.start()
        sampler.loadBegan()
        sampler.measuredBegan(at: Deadline.now)
        for _ in 0..<3 { hasSeen.wait() }
        sampler.measuredEnded(at: Deadline.now)
        let cost = try #require(sampler.finish(delivered: 10, sessions: 1))
        let samples = seen.withLock { $0 }
        #expect(samples.count >= 3)
        #expect(samples.allSatisfy { $0.isKnown && $0.rss > 0 })
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.at < $1.at })
        #expect(cost.rssBefore > 0)
        // Stopping twice has the same effect as stopping once.
        sampler.stop()
        #expect(seen.withLock { $0.count } == samples.count)
    }

    @Test func drawsWithoutAProcess() {
        let hasSeen = DispatchSemaphore(value: 0)
        let sampler = CostSampler(pid: nil, metrics: nil, intervalSeconds: 0.01) { sample in
            if !sample.isKnown { hasSeen.signal() }
        }
        sampler.start()
        hasSeen.wait()
        #expect(sampler.finish(delivered: 0, sessions: 0) == nil)
    }
}
