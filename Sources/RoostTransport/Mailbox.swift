internal import CLibwebsockets
import Synchronization

/// How other threads reach a loop. Only a post to an empty mailbox wakes the loop, so a burst costs one wake. It sets
/// no bound of its own: what is posted are answers to what the loop asked for, and the asking is bounded.
public final class Mailbox<Letter: Sendable>: Sendable {
    private let letters = Mutex<[Letter]>([])
    private let wake: Wake

    init(wake: Wake) { self.wake = wake }

    /// Leaves a letter for the loop's handler. From any thread; never blocks for long.
    public func post(_ letter: Letter) {
        let wasEmpty = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if wasEmpty { wake.send() }
    }

    /// Takes everything, in order. On the loop thread.
    func take() -> [Letter] {
        letters.withLock { letters in
            let taken = letters
            letters = []
            return taken
        }
    }
}

/// Wakes a loop from any thread. Unchecked because it holds raw pointers: both are allocated for the life of the
/// process, and ev_async_send is the one call of libev that is safe from other threads (its manual, "ev_async").
struct Wake: @unchecked Sendable {
    private let loop: OpaquePointer
    private let watcher: UnsafeMutablePointer<ev_async>

    init(loop: OpaquePointer, watcher: UnsafeMutablePointer<ev_async>) {
        self.loop = loop
        self.watcher = watcher
    }

    func send() { ev_async_send(loop, watcher) }
}
