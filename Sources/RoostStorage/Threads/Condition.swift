import Glibc

/// A lock, and a change under it that threads wait for. A `Mutex` can't be waited on.
///
/// `@unchecked Sendable`: POSIX synchronizes its memory, and nothing else is here.
final class Condition: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
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

    func locked<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Wakes one thread that waits. Called with the lock.
    func wakeOne() { pthread_cond_signal(changed) }

    /// Wakes all threads that wait. Called with the lock.
    func wakeAll() { pthread_cond_broadcast(changed) }

    /// Waits as long as the condition holds. Called with the lock, which others have meanwhile.
    func wait(while isHeld: () -> Bool) {
        while isHeld() { pthread_cond_wait(changed, mutex) }
    }

    /// Waits like `wait(while:)`, but not for longer than this.
    func wait(milliseconds: Int, while isHeld: () -> Bool) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + milliseconds * 1_000_000
        end.tv_sec += nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while isHeld() {
            guard pthread_cond_timedwait(changed, mutex, &end) == 0 else { return }
        }
    }
}
