import CCurl
import Synchronization

/// One transfer, from its caller to the loop and back. It is answered exactly once.
final class TransferOrder: Sendable {
    let url: OutgoingURL
    let work: TransferWork
    let deadline: ContinuousClock.Instant
    private let continuation = Mutex<CheckedContinuation<TransferEnd, Never>?>(nil)
    private let isCancelledFlag = Atomic<Bool>(false)

    init(url: OutgoingURL, work: TransferWork, deadline: ContinuousClock.Instant) {
        self.url = url
        self.work = work
        self.deadline = deadline
    }

    /// Whether its caller no longer waits. Set before the loop is woken, so that the loop sees it in whatever order an
    /// order and its cancellation arrive.
    var isCancelled: Bool { isCancelledFlag.load(ordering: .acquiring) }

    func cancel() { isCancelledFlag.store(true, ordering: .releasing) }

    func expect(_ continuation: CheckedContinuation<TransferEnd, Never>) {
        self.continuation.withLock { $0 = continuation }
    }

    func finish(_ end: TransferEnd) {
        let waiting = continuation.withLock { held in
            defer { held = nil }
            return held
        }
        waiting?.resume(returning: end)
    }
}

/// Messages that the loop's thread hasn't seen yet. Any thread posts; the loop's thread drains. It owns libcurl's multi
/// handle, of which other threads use nothing but the call that wakes its thread.
final class TransferInbox: Sendable {
    private struct State {
        var orders: [TransferOrder] = []
        /// Orders that were taken in and haven't ended.
        var open = 0
        var isStopped = false
    }

    /// Closed by the loop's thread after it has seen the stop, which is posted under the lock like everything else.
    nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let most: Int
    private let state = Mutex(State())

    init(_ multi: UnsafeMutableRawPointer, most: Int) {
        self.multi = multi
        self.most = most
    }

    /// Nil if the order was taken in; else why not.
    func post(_ order: TransferOrder) -> TransferEnd.Cause? {
        state.withLock { state in
            if state.isStopped { return .stopped }
            if state.open >= most { return .busy }
            state.open += 1
            state.orders.append(order)
            curl_multi_wakeup(multi)
            return nil
        }
    }

    /// Has the loop look at the abandoned orders.
    func wake() {
        state.withLock { state in
            if !state.isStopped { curl_multi_wakeup(multi) }
        }
    }

    func stop() {
        state.withLock { state in
            if !state.isStopped { curl_multi_wakeup(multi) }
            state.isStopped = true
        }
    }

    func take() -> (orders: [TransferOrder], isStopped: Bool) {
        state.withLock { state in
            defer { state.orders = [] }
            return (state.orders, state.isStopped)
        }
    }

    func ended() { state.withLock { $0.open -= 1 } }
}
