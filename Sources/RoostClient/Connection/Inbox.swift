import RoostLock

/// Messages that arrived on one connection, passed in batches from the socket's thread to the actor. It is bounded. If
/// the client can't keep up, the connection counts as closed, and the server delivers again what was not acked. It
/// doesn't know what messages mean.
final class Inbox: Sendable {
    private struct State {
        var events: [SocketEvent] = []
        var bytes = 0
        var isFinished = false
        var waiting: CheckedContinuation<[SocketEvent], Never>?

        mutating func takeAll() -> [SocketEvent] {
            let taken = events
            events = []
            bytes = 0
            return taken
        }
    }

    private let state = Locked(State())
    private let eventsMax: Int
    private let bytesMax: Int

    init(eventsMax: Int, bytesMax: Int) {
        self.eventsMax = eventsMax
        self.bytesMax = bytesMax
    }

    /// May be called from any thread. Ignored once the connection has ended.
    func post(_ event: SocketEvent) {
        let delivery = state.withLock { state -> (CheckedContinuation<[SocketEvent], Never>, [SocketEvent])? in
            guard !state.isFinished else { return nil }
            if case .text(let text) = event { state.bytes += text.count }
            if state.events.count >= eventsMax || state.bytes > bytesMax {
                state.events.append(.closed(code: 1006, reason: "more arrived than could be read"))
                state.isFinished = true
            } else {
                state.events.append(event)
            }
            guard let waiting = state.waiting else { return nil }
            state.waiting = nil
            return (waiting, state.takeAll())
        }
        if let (waiting, events) = delivery { waiting.resume(returning: events) }
    }

    /// Returns everything that has arrived, as soon as there is something; nothing once it is finished. One caller at a
    /// time.
    func take() async -> [SocketEvent] {
        await withCheckedContinuation { continuation in
            let events = state.withLock { state -> [SocketEvent]? in
                if state.events.isEmpty, !state.isFinished {
                    state.waiting = continuation
                    return nil
                }
                return state.takeAll()
            }
            if let events { continuation.resume(returning: events) }
        }
    }

    /// Accepts nothing more and drops what waits.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            _ = state.takeAll()
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: [])
    }
}
