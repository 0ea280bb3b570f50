import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire
import Testing

/// Samples of how the relay is.
@Suite struct StatisticsTests {
    /// A process whose commits take longer and longer.
    private final class Process: Surroundings {
        var commits = BucketHistogram(bounds: BucketHistogram.works)

        func address(of attachment: AnyObject) -> String? { nil }

        func figures(at now: Moment) -> HostFigures {
            HostFigures(commits: commits, turns: BucketHistogram(bounds: BucketHistogram.works))
        }
    }

    private let process = Process()

    private func olga(at relay: RelayHarness, as name: String = "olga") -> HarnessClient {
        let olga = relay.open()
        olga.send(#"{"type":"hello","id":0,"token":"admin:\#(name)","operator":true}"#)
        return olga
    }

    @Test func nothingIsSampledWithoutAHost() {
        let relay = RelayHarness()
        let olga = olga(at: relay)
        _ = olga.request("admin.statistics")
        relay.advance(10_000)
        #expect(olga.frames("statistics").isEmpty)
    }

    @Test func samplesComeAtTheirTimeAndTellWhatWasNew() {
        let relay = RelayHarness()
        relay.relay.host = process
        relay.advance(10)
        let olga = olga(at: relay)
        _ = olga.request("admin.statistics")
        process.commits.record(400, times: 100)
        relay.advance(2_000)
        process.commits.record(4_000, times: 10)
        relay.advance(2_000)
        relay.advance(2_000)
        let samples = olga.frames("statistics")
        #expect(samples.count == 3)
        #expect(samples.map { $0["commit"]?.number("count") } == [100, 10, nil])
        #expect((250...500).contains(samples[0]["commit"]?.number("p99") ?? 0))
        #expect((2_500...5_000).contains(samples[1]["commit"]?.number("p50") ?? 0))
        _ = olga.request("admin.statistics", ["active": false])
        relay.advance(10_000)
        #expect(olga.frames("statistics").count == 3)
    }

    @Test func theHistoryHasABound() {
        let relay = RelayHarness(limits: .with { $0.statisticsKept = 3 })
        relay.relay.host = process
        // Pings in between would end a session.
        relay.advance(200_000)
        let olga = olga(at: relay)
        let history = olga.request("admin.statistics")?["statistics"]?.list("history") ?? []
        let times = history.compactMap { $0.number("time") }
        #expect(times.count == 4)
        #expect(times.last.map { relay.now.wall.milliseconds - $0 < 2_000 } == true)
        #expect(zip(times.prefix(3), times.prefix(3).dropFirst()).allSatisfy { $1 - $0 == 20_000 })
        let one = olga.request("admin.statistics", ["limit": 1])?["statistics"]?.list("history") ?? []
        #expect(one.compactMap { $0.number("time") } == times.suffix(1))
    }

    @Test func slowSessionsMissSamples() {
        let relay = RelayHarness()
        relay.relay.host = process
        let olga = olga(at: relay)
        _ = olga.request("admin.statistics")
        olga.isReading = false
        let before = olga.session.outbox.bytes
        for _ in 0..<1_000 {
            relay.advance(2_000)
            olga.pong()
        }
        #expect(olga.session.outbox.bytes - before < 100_000)
        #expect(olga.closeCode == nil)
    }

    @Test func aSessionThatLosesTheScopeGetsNoMoreSamples() {
        let relay = RelayHarness()
        relay.relay.host = process
        let alice = relay.open()
        alice.send(#"{"type":"hello","id":0,"token":"admin:alice","device":"phone"}"#)
        _ = alice.request("admin.statistics")
        relay.advance(2_000)
        let told = alice.frames("statistics").count
        #expect(told > 0)
        _ = alice.request("refresh", ["token": "alice"])
        relay.advance(10_000)
        #expect(alice.frames("statistics").count == told)
        #expect(alice.outcome("admin.statistics") == "forbidden")
    }

    @Test func soManyAreToldAndNoMore() {
        let relay = RelayHarness(limits: .with { $0.operatorsMax = 2 })
        relay.relay.host = process
        let alice = relay.open()
        alice.send(#"{"type":"hello","id":0,"token":"admin:alice","device":"phone"}"#)
        let olga = olga(at: relay)
        #expect(alice.outcome("admin.statistics") == "ok")
        #expect(olga.outcome("admin.statistics") == "ok")
        let third = self.olga(at: relay, as: "third")
        #expect(third.outcome("admin.statistics") == "busy")
        let fourth = relay.open()
        fourth.send(#"{"type":"hello","id":0,"token":"admin:fourth","operator":true}"#)
        #expect(fourth.codes == ["busy"])
        // A closed session makes room.
        alice.drop()
        #expect(third.outcome("admin.statistics") == "ok")
    }

    @Test func quantilesStandWithinTheirBucket() {
        var histogram = BucketHistogram(bounds: [10, 20, 40])
        #expect(histogram.quantile(0.99) == 0)
        histogram.record(5, times: 50)
        histogram.record(30, times: 50)
        #expect(histogram.quantile(0.5) == 10)
        #expect(histogram.quantile(0.75) == 30)
        #expect(histogram.quantile(1) == 40)
        let before = histogram
        histogram.record(1_000)
        #expect(histogram.since(before).count == 1)
        #expect(histogram.since(before).quantile(0.5) == 40)
        #expect(before.since(histogram) == before)
    }
}
