import Glibc
import Synchronization

/// The sampler's thread.
extension CostSampler {
    /// Runs until it is ordered to stop.
    func watch() {
        // Lowers the priority of this thread only (setpriority(2); 0 is PRIO_PROCESS), so that it doesn't disturb the
        // engine.
        _ = setpriority(__priority_which_t(0), 0, CostSampler.niceness)
        var last = (at: Deadline.now, cpu: cpuSeconds())
        var due = last.at &+ interval
        while true {
            sleep(until: due)
            let orders = notes.withLock { notes in
                defer { notes.orders = [] }
                return notes.orders
            }
            for order in orders {
                switch order {
                // From a mark on, samples and seconds of the load begin at the same time.
                case .align:
                    last = (Deadline.now, cpuSeconds())
                    due = last.at &+ interval
                case .fetchAtBegin: fetch { $0.metricsAtBegin = $1 }
                case .fetchAtEnd: fetch { $0.metricsAtEnd = $1 }
                case .stop: return
                }
            }
            let now = Deadline.now
            guard now >= due else { continue }
            last = (now, take(now, since: last))
            // After a long wait, missed seconds are not made up.
            due = max(due &+ interval, now)
        }
    }

    /// Takes a sample and shows it. Returns the process's CPU time so far.
    private func take(_ now: UInt64, since last: (at: UInt64, cpu: Double?)) -> Double? {
        guard let reading = self.reading() else {
            observe(Sample(at: now, cpu: 0, rss: 0, descriptors: 0, isKnown: false))
            return nil
        }
        let span = Double(max(1, now &- last.at)) / 1_000_000_000
        let sample = Sample(
            at: now, cpu: last.cpu.map { max(0, reading.cpuSeconds - $0) / span } ?? 0, rss: reading.rss,
            descriptors: reading.descriptors)
        // The run's bounded length also bounds the samples.
        notes.withLock { if Double($0.samples.count) < HarnessLimits.secondsMax { $0.samples.append(sample) } }
        observe(sample)
        return reading.cpuSeconds
    }

    private func fetch(_ keep: (inout Notes, MetricsText?) -> Void) {
        let page = metrics?.fetch()
        notes.withLock { keep(&$0, page) }
    }

    private func sleep(until due: UInt64) {
        let now = Deadline.now
        guard due > now else { return }
        let milliseconds = Int32(clamping: (due - now + 999_999) / 1_000_000)
        var descriptor = pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)
        // poll(2) ignores a negative descriptor and only waits.
        guard poll(&descriptor, 1, milliseconds) > 0 else { return }
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(wake.read, &bytes, MemoryLayout.size(ofValue: bytes))
    }
}
