import Glibc

/// A bounded queue from any thread to one. `add` never waits; it refuses when the queue is full. It has its own lock
/// and condition, because a `Mutex` can't be waited on.
///
/// `@unchecked Sendable`: everything is read and written under `mutex`.
final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    /// How long to wait for work.
    enum Patience {
        case none
        case milliseconds(Int)
        case endless
    }

    private let bound: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Work] = []
    private var isStopped = false

    init(bound: Int) {
        self.bound = bound
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Adds work. Returns false if the queue is full or stopped.
    func add(_ work: Work) -> Bool {
        locked {
            guard !isStopped, waiting.count < bound else { return false }
            waiting.append(work)
            pthread_cond_signal(changed)
            return true
        }
    }

    /// Takes everything that waits, in order; first waits for work as long as `patience` allows. Returns an empty array
    /// if none came in that time, nil if the queue is stopped and empty.
    func takeAll(_ patience: Patience) -> [Work]? {
        locked {
            switch patience {
            case .none: break
            case .milliseconds(let count): wait(milliseconds: count)
            case .endless: while waiting.isEmpty, !isStopped { pthread_cond_wait(changed, mutex) }
            }
            guard !waiting.isEmpty || !isStopped else { return nil }
            defer { waiting.removeAll(keepingCapacity: false) }
            return waiting
        }
    }

    private func wait(milliseconds count: Int) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + count * 1_000_000
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while waiting.isEmpty, !isStopped {
            guard pthread_cond_timedwait(changed, mutex, &end) == 0 else { return }
        }
    }

    /// Refuses further work; waiting work can still be taken.
    func stop() {
        locked {
            isStopped = true
            pthread_cond_signal(changed)
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
