import Synchronization

extension CostSampler {
    /// Stops the thread and sums up. `delivered` is the number of deliveries in the measured load, `sessions` the
    /// number of sessions after the set-up. Returns nil if neither the process nor its metrics could be read.
    func finish(delivered: UInt64, sessions: UInt64) -> Report.Cost? {
        stop()
        let end = reading()
        return notes.withLock { Self.cost($0, atEnd: end, delivered: delivered, sessions: sessions) }
    }

    static func cost(
        _ notes: Notes, atEnd end: ProcessProbe.Reading?, delivered: UInt64, sessions: UInt64
    ) -> Report.Cost? {
        let metrics = notes.metricsAtEnd.map { $0.change(since: notes.metricsAtBegin ?? MetricsText("")) }
        guard notes.atStart != nil || metrics != nil else { return nil }
        var cost = Report.Cost()
        // Without a first page, a difference would cover the relay's whole life.
        if notes.metricsAtBegin != nil { cost.metrics = metrics ?? [:] }
        guard let start = notes.atStart else { return cost }
        if let before = notes.cpuAtBegin, let after = notes.cpuAtEnd {
            cost.cpuSeconds = max(0, after - before)
            if delivered > 0 { cost.microsecondsPerDelivery = cost.cpuSeconds * 1_000_000 / Double(delivered) }
        }
        cost.rssBefore = start.rss
        cost.rssConnected = notes.connected?.rss ?? start.rss
        cost.rssEnd = end?.rss ?? notes.samples.last?.rss ?? cost.rssConnected
        cost.rssPeak = peak(notes, cost, end)
        if let connected = notes.connected, sessions > 0 {
            cost.bytesPerSession = Double(connected.rss - start.rss) * 1_024 / Double(sessions)
        }
        let descriptors = [start, notes.connected, end].compactMap { $0?.descriptors }
        cost.descriptorsPeak = (descriptors + notes.samples.map(\.descriptors)).max() ?? 0
        cost.samples = samples(notes)
        return cost
    }

    // Memory can be higher between two samples. The kernel knows the peak of the process's life. If that has risen
    // since the beginning, it is the peak of the run.
    private static func peak(_ notes: Notes, _ cost: Report.Cost, _ end: ProcessProbe.Reading?) -> Int {
        if let end, let start = notes.atStart, end.rssPeak > start.rssPeak { return end.rssPeak }
        return ([cost.rssBefore, cost.rssConnected, cost.rssEnd] + notes.samples.map(\.rss)).max() ?? 0
    }

    /// Returns the samples of the load. A sample belongs to the second in which its middle lies.
    private static func samples(_ notes: Notes) -> [Report.Cost.Sample] {
        guard let zero = notes.measuredBeganAt else { return [] }
        let first = notes.loadBeganAt ?? zero
        let last = notes.measuredEndedAt ?? .max
        return notes.samples.compactMap { sample in
            let middle = sample.at &- 500_000_000
            guard middle >= first, middle < last else { return nil }
            let second = (Double(middle) - Double(zero)) / 1_000_000_000
            return Report.Cost.Sample(
                second: Int(second.rounded(.down)), cpu: sample.cpu, rss: sample.rss, descriptors: sample.descriptors)
        }
    }
}
