import Foundation
import Glibc
import Synchronization

/// SIGTERM and SIGINT. The first one drains, the second one ends the process. Before there is anything to drain, the
/// first one ends it too: opening the store may take long, for as long as another program has a lock on it.
final class StopSignals: Sendable {
    private let drain = Mutex<(@Sendable () -> Void)?>(nil)

    /// Blocks the signals in the calling thread, which must be the first one: every later thread inherits that, so only
    /// a thread that waits for them gets them. It isn't one of Swift's pool: on a machine with one core the pool has
    /// only one, and token checks would have to wait.
    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        Thread.detachNewThread { self.wait() }
    }

    /// From now on the first signal calls `drain`, on another thread.
    func onFirst(_ drain: @escaping @Sendable () -> Void) { self.drain.withLock { $0 = drain } }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }

    private func wait() {
        var set = Self.set
        var received: Int32 = 0
        while true {
            guard sigwait(&set, &received) == 0 else { continue }
            let drain = drain.withLock { drain in
                defer { drain = nil }
                return drain
            }
            // 128 + signal number, as a shell reports it.
            guard let drain else { _exit(128 + received) }
            drain()
        }
    }
}
