import Foundation
import Glibc
import Synchronization

/// SIGTERM, SIGINT and SIGHUP. The first one of the former drains, the second one ends the process. Before there is
/// anything to drain, the first one ends it too: opening the store may take long, for as long as another program has a
/// lock on it. SIGHUP reloads, and does nothing before there is something to reload.
final class ProcessSignals: Sendable {
    private let drain = Mutex<(@Sendable () -> Void)?>(nil)
    private let reload = Mutex<(@Sendable () -> Void)?>(nil)

    /// Blocks the signals in the calling thread, which must be the first one: every later thread inherits that, so only
    /// a thread that waits for them gets them. It isn't one of Swift's pool: on a machine with one core the pool has
    /// only one, and token checks would have to wait.
    init() {
        var set = Self.set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        Thread.detachNewThread { self.wait() }
    }

    /// Blocks SIGHUP in the calling thread, the first one, as `init` does later.
    static func holdReloads() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGHUP)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// From now on the first signal calls `drain`, on another thread.
    func onFirst(_ drain: @escaping @Sendable () -> Void) { self.drain.withLock { $0 = drain } }

    /// From now on SIGHUP calls `reload`, on another thread, one call at a time.
    func onReload(_ reload: @escaping @Sendable () -> Void) { self.reload.withLock { $0 = reload } }

    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGHUP)
        return set
    }

    private func wait() {
        var set = Self.set
        var received: Int32 = 0
        while true {
            guard sigwait(&set, &received) == 0 else { continue }
            guard received != SIGHUP else {
                reload.withLock { $0 }?()
                continue
            }
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
