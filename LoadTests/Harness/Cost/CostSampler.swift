import Glibc
import Synchronization

/// Measures what the relay uses under load: once a second, and at the marks that the engine sets.
///
/// It owns a thread that sleeps between the seconds, reads /proc and `/metrics`, and calls the observer, which draws.
/// Marks may be set from any thread. A mark reads /proc once, which takes some 50 µs, and never waits for the sampler's
/// thread. Without a process and without metrics, it only calls the observer.
final class CostSampler: Sendable {
    /// A sample that the observer gets each second, from the set-up to the end.
    struct Sample: Sendable, Equatable {
        /// End of the measured span, monotonic, in ns.
        var at: UInt64
        /// Cores used since the last sample.
        var cpu: Double
        /// Resident memory in KiB.
        var rss: Int
        var descriptors: Int
        /// Whether the relay could be read. If not, the other values are 0.
        var isKnown = true
    }

    /// The records of the marks and of the thread.
    struct Notes {
        var samples: [Sample] = []
        var atStart: ProcessProbe.Reading?
        var connected: ProcessProbe.Reading?
        var loadBeganAt: UInt64?
        var measuredBeganAt: UInt64?
        var measuredEndedAt: UInt64?
        var cpuAtBegin: Double?
        var cpuAtEnd: Double?
        var metricsAtBegin: MetricsText?
        var metricsAtEnd: MetricsText?
        /// Orders for the thread when it wakes.
        var orders: [Order] = []
    }

    enum Order { case align, fetchAtBegin, fetchAtEnd, stop }

    /// The process that is measured, and what those before it used: a relay may be started again.
    private let subject: Mutex<(probe: ProcessProbe?, spent: Double)>
    let metrics: MetricsProbe?
    let observe: @Sendable (Sample) -> Void
    let interval: UInt64
    let notes = Mutex(Notes())
    private let thread = Mutex<pthread_t?>(nil)
    /// Marks write into this pipe to wake the thread at once. Without a pipe (-1) it wakes with the next second.
    let wake: (read: Int32, write: Int32)

    /// Reads the process once, before anybody has connected. Tests use a shorter `intervalSeconds`.
    init(
        pid: Int32?, metrics: MetricsProbe?, intervalSeconds: Double = 1,
        observe: @escaping @Sendable (Sample) -> Void = { _ in }
    ) {
        subject = Mutex((pid.flatMap(ProcessProbe.init), 0))
        self.metrics = metrics
        self.observe = observe
        interval = UInt64(max(0.001, intervalSeconds) * 1_000_000_000)
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        wake = (ends[0], ends[1])
        let reading = self.reading()
        notes.withLock { $0.atStart = reading }
    }

    deinit {
        guard wake.read >= 0 else { return }
        close(wake.read)
        close(wake.write)
    }

    // MARK: Thread

    /// A seventieth of the engine's weight, which is enough for some milliseconds a second.
    static let niceness: Int32 = 19

    func start() {
        thread.withLock { thread in
            guard thread == nil else { return }
            var made = pthread_t()
            let context = Unmanaged.passRetained(self)
            let result = pthread_create(
                &made, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<CostSampler>.fromOpaque(context).takeRetainedValue().watch()
                    return nil
                }, context.toOpaque())
            if result == 0 { thread = made } else { context.release() }
        }
    }

    /// Ends the thread and waits for it, at most as long as it takes to fetch the metrics once and to draw once.
    func stop() {
        order(.stop)
        let running = thread.withLock { thread -> pthread_t? in
            defer { thread = nil }
            return thread
        }
        if let running { pthread_join(running, nil) }
    }

    // MARK: The process

    /// Another process is measured from now on, or none until it is there. Called before the one so far is ended, whose
    /// CPU time stays in the sum.
    func follow(_ pid: Int32?) {
        subject.withLock { subject in
            subject.spent += subject.probe?.cpuSeconds() ?? 0
            subject.probe = pid.flatMap(ProcessProbe.init)
        }
    }

    /// The process's use so far; its CPU time includes that of the processes before it.
    func reading() -> ProcessProbe.Reading? {
        subject.withLock { subject in
            guard var reading = subject.probe?.read() else { return nil }
            reading.cpuSeconds += subject.spent
            return reading
        }
    }

    /// CPU time so far, with that of the processes before.
    func cpuSeconds() -> Double? {
        subject.withLock { subject in subject.probe?.cpuSeconds().map { $0 + subject.spent } }
    }

    // MARK: Marks

    /// Mark: all sessions are connected and idle, and the warm-up begins.
    func loadBegan() {
        let reading = self.reading()
        notes.withLock {
            $0.connected = reading
            $0.loadBeganAt = Deadline.now
        }
        order(.align)
    }

    /// Mark: the measured load begins.
    func measuredBegan(at now: UInt64) {
        let cpu = cpuSeconds()
        notes.withLock {
            $0.cpuAtBegin = cpu
            $0.measuredBeganAt = now
        }
        order(.fetchAtBegin)
        order(.align)
    }

    /// Mark: the measured load has ended. Messages that are under way may still arrive.
    func measuredEnded(at now: UInt64) {
        let cpu = cpuSeconds()
        notes.withLock {
            $0.cpuAtEnd = cpu
            $0.measuredEndedAt = now
        }
        order(.fetchAtEnd)
    }

    private func order(_ order: Order) {
        notes.withLock { $0.orders.append(order) }
        // If the pipe is full, the thread wakes anyway.
        var byte: UInt8 = 0
        if wake.write >= 0 { _ = write(wake.write, &byte, 1) }
    }
}
