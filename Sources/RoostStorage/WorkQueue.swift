import Glibc

/// A bounded queue from any thread to one. `add` never waits: at the bound it refuses. It has a lock and a condition
/// of its own, since `Mutex` can't be waited on.
///
/// `@unchecked Sendable`: everything is read and written under `mutex`.
final class WorkQueue<Work: Sendable>: @unchecked Sendable {
    private let bound: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Work] = []
    private var isStopped = false

    init(bound: Int) {
        self.bound = bound
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Adds work; false when the queue is full or stopped.
    func add(_ work: Work) -> Bool {
        locked {
            guard !isStopped, waiting.count < bound else { return false }
            waiting.append(work)
            pthread_cond_signal(changed)
            return true
        }
    }

    /// Takes everything that waits, in order. If `isPatient`, waits for something first; then nil means that the queue
    /// is stopped and empty. If not, an empty array means that there is nothing now.
    func takeAll(isPatient: Bool) -> [Work]? {
        locked {
            while isPatient, waiting.isEmpty, !isStopped { pthread_cond_wait(changed, mutex) }
            guard !waiting.isEmpty || !isStopped else { return nil }
            defer { waiting.removeAll(keepingCapacity: false) }
            return waiting
        }
    }

    /// Nothing is added from now on; what waits is still taken.
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
