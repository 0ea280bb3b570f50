#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A value that one thread at a time reads or changes. It does what `Mutex` of the standard library does, which needs
/// iOS 18 and macOS 15; apps on iOS 17 link the modules that use this. Never wait for anything while it is locked, and
/// never lock it twice on one thread.
package final class Locked<Value>: @unchecked Sendable {
    /// On the heap, because POSIX allows no copy of a mutex, not even a move (pthread_mutex_init(3)).
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // The mutex is what makes it safe.
    nonisolated(unsafe) private var value: Value

    package init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        let failure = pthread_mutex_init(mutex, nil)
        precondition(failure == 0, "pthread_mutex_init failed: \(failure)")
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls the body with the value while no other thread may read or change it.
    /// - Returns: what the body returns.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
