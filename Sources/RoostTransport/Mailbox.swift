internal import CLibwebsockets
import Synchronization

/// Passes letters from other threads to a loop. Only a post to an empty mailbox wakes the loop, so a burst costs one
/// wake-up. The mailbox has no bound: letters answer requests of the loop, and those are bounded.
public final class Mailbox<Letter: Sendable>: Sendable {
    private let letters = Mutex<[Letter]>([])
    private let wake: Wake

    init(wake: Wake) { self.wake = wake }

    /// Posts a letter for the loop's handler. May be called from any thread; never blocks for long.
    public func post(_ letter: Letter) {
        let wasEmpty = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if wasEmpty { wake.send() }
    }

    /// Takes all letters in order. Loop thread only.
    func take() -> [Letter] {
        letters.withLock { letters in
            let taken = letters
            letters = []
            return taken
        }
    }
}

/// Wakes a loop from any thread. It is `@unchecked Sendable` because it holds raw pointers. Both live as long as the
/// process, and ev_async_send is the one call of libev that is safe from other threads (libev's manual, "ev_async").
struct Wake: @unchecked Sendable {
    private let loop: OpaquePointer
    private let watcher: UnsafeMutablePointer<ev_async>

    init(loop: OpaquePointer, watcher: UnsafeMutablePointer<ev_async>) {
        self.loop = loop
        self.watcher = watcher
    }

    func send() { ev_async_send(loop, watcher) }
}
