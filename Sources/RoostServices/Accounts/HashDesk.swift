import Dispatch
import Synchronization

/// A password check that a client waits for. Two threads may work on it: the first to end gives the answer.
final class HashJob: Sendable {
    let began = ContinuousClock.now
    private let isAnswered = Atomic(false)
    private let work: @Sendable () -> @Sendable () -> Void

    /// - Parameter work: may be done twice; what it returns gives the answer, and is called once.
    init(_ work: @escaping @Sendable () -> @Sendable () -> Void) { self.work = work }

    func run() {
        guard !isAnswered.load(ordering: .relaxed) else { return }
        let answer = work()
        if !isAnswered.exchange(true, ordering: .relaxed) { answer() }
    }
}

/// The bounded queue between those who ask and the threads that hash. Most of these get the processor only while it is
/// idle; what they don't end in time is given to one that doesn't wait for that.
final class HashDesk: Sendable {
    private struct State {
        var waiting: [HashJob] = []
        /// Jobs that wait or are under way, and aren't late; the oldest first.
        var open: [HashJob] = []
        var isStopped = false
    }

    let busySeconds: Int64
    private let queueMax: Int
    /// Places that are kept.
    private let reserve: Int
    private let patience: Duration
    private let state = Mutex(State())
    // One signal for each job.
    private let signal = DispatchSemaphore(value: 0)
    // One whenever there is an open job and was none.
    private let lateSignal = DispatchSemaphore(value: 0)

    init(limits: ServicesLimits) {
        queueMax = limits.hashQueue
        reserve = limits.hashReserve
        busySeconds = Int64(limits.busySeconds)
        patience = .milliseconds(limits.hashLateMilliseconds)
    }

    /// Whether there was room for it.
    func add(_ job: HashJob, mayUseReserve: Bool = true) -> Bool {
        let most = mayUseReserve ? queueMax : max(0, queueMax - reserve)
        let (isTaken, isFirst) = state.withLock { state in
            guard state.waiting.count < most, !state.isStopped else { return (false, false) }
            state.waiting.append(job)
            state.open.append(job)
            return (true, state.open.count == 1)
        }
        if isTaken { signal.signal() }
        if isFirst { lateSignal.signal() }
        return isTaken
    }

    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Waits for a job; nil when the pool is gone. Accepted jobs are done first: clients wait for them.
    func next() -> HashJob? {
        while true {
            signal.wait()
            let (job, isStopped) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isStopped)
            }
            if let job { return job }
            // Otherwise the late one has taken what this signal was for.
            if isStopped {
                // The next thread is to stop, too.
                signal.signal()
                return nil
            }
        }
    }

    /// Waits until a job has been open for too long; nil when the pool is gone and nothing is open.
    func nextLate() -> HashJob? {
        while true {
            let (job, pause, isOver) = state.withLock { state -> (HashJob?, Duration?, Bool) in
                guard let first = state.open.first else { return (nil, nil, state.isStopped) }
                let age = ContinuousClock.now - first.began
                guard age >= patience else { return (nil, patience - age, false) }
                state.open.removeFirst()
                state.waiting.removeAll { $0 === first }
                return (first, nil, false)
            }
            if let job { return job }
            if isOver { return nil }
            guard let pause else {
                lateSignal.wait()
                continue
            }
            _ = lateSignal.wait(timeout: .now() + .milliseconds(Int(pause.wholeMilliseconds) + 1))
        }
    }

    /// The job has its answer.
    func end(_ job: HashJob) { state.withLock { state in state.open.removeAll { $0 === job } } }

    func stop() {
        state.withLock { $0.isStopped = true }
        signal.signal()
        lateSignal.signal()
    }
}
