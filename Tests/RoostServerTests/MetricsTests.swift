import RoostWire
import Testing

@testable import RoostServer

/// The text of the metrics.
@Suite struct MetricsTests {
    @Test func histogramsAreCumulative() {
        var histogram = BucketHistogram(bounds: [1, 10, 100])
        for value: Int64 in [1, 2, 10, 101, -5] { histogram.record(value) }
        histogram.record(50, times: 3)
        var page = Exposition()
        page.histogram("h_seconds", "Help.", histogram, unit: 1_000)
        #expect(
            page.text == """
                # HELP h_seconds Help.
                # TYPE h_seconds histogram
                h_seconds_bucket{le="0.001"} 2
                h_seconds_bucket{le="0.01"} 4
                h_seconds_bucket{le="0.1"} 7
                h_seconds_bucket{le="+Inf"} 8
                h_seconds_sum 0.264
                h_seconds_count 8

                """)
    }

    @Test func labelsTellSamplesApart() {
        var page = Exposition()
        page.labelled("n_total", .counter, "Help.", by: "reason", [("one", 1), ("other", 0)])
        #expect(page.text.hasSuffix("n_total{reason=\"one\"} 1\nn_total{reason=\"other\"} 0\n"))
    }

    // MARK: When the disk is full

    @Test func theStoreGrowsAsInTheLastHour() {
        var growth = StoreGrowth()
        growth.note(1_000, at: 0)
        #expect(growth.bytesPerSecond == nil)
        // Too soon to be noted.
        growth.note(9_000, at: 59_999)
        #expect(growth.bytesPerSecond == nil)
        growth.note(7_000, at: 60_000)
        #expect(growth.bytesPerSecond == 100)
        for minute: Int64 in 2...200 { growth.note(7_000 + minute * 600, at: minute * 60_000) }
        #expect(growth.bytesPerSecond == 10)
    }

    @Test func aStoreThatDoesNotGrowIsNeverFull() {
        var growth = StoreGrowth()
        for minute: Int64 in 0...10 { growth.note(5_000 - minute, at: minute * 60_000) }
        #expect(growth.bytesPerSecond == nil)
    }
}
