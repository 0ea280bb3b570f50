import Synchronization

/// A WebSocket client connection, usable from any thread. It connects, sends and receives text, and answers pings. It
/// doesn't interpret the text. All its work happens on the thread of its `DialerLoop`, which also calls `onEvent`.
public final class Dialer: Sendable {
    enum Phase {
        case idle, connecting, open, closing
    }

    struct Queue {
        var phase = Phase.idle
        var messages: [[UInt8]] = []
        var bytes = 0
    }

    let address: DialerAddress
    let settings: DialerSettings
    let onEvent: @Sendable (DialerEvent) -> Void
    let queue = Mutex(Queue())
    private let loop: DialerLoop

    /// Prepares a connection to `url`, which `connect` opens. `onEvent` must not block, because all dialers of the loop
    /// wait meanwhile. Without a `loop`, it uses one that the process shares.
    public init(
        _ url: String,
        settings: DialerSettings = DialerSettings(),
        on loop: DialerLoop? = nil,
        onEvent: @escaping @Sendable (DialerEvent) -> Void
    ) throws(DialerFailure) {
        guard let address = DialerAddress(url) else { throw .badURL(url) }
        do throws(TransportFailure) {
            if let loop { self.loop = loop } else { self.loop = try DialerLoop.shared() }
        } catch {
            throw .transport(error)
        }
        self.address = address
        self.settings = settings
        self.onEvent = onEvent
    }

    /// Begins to connect. May be called again after `closed` or `failed`; otherwise a repeated call does nothing.
    public func connect() {
        let begins = queue.withLock { queue in
            guard queue.phase == .idle else { return false }
            queue = Queue(phase: .connecting)
            return true
        }
        if begins { loop.post(.connect(self)) }
    }

    /// Queues a text message, which must be valid UTF-8. Returns false and queues nothing if the connection isn't open
    /// or the queue is full.
    @discardableResult
    public func send(text: [UInt8]) -> Bool {
        let (isTaken, isFirst) = queue.withLock { queue -> (Bool, Bool) in
            guard queue.phase == .open, queue.messages.count < settings.queuedMax,
                text.count <= settings.queuedBytesMax - queue.bytes
            else { return (false, false) }
            queue.messages.append(text)
            queue.bytes += text.count
            return (true, queue.messages.count == 1)
        }
        if isFirst { loop.post(.flush(self)) }
        return isTaken
    }

    /// Ends the connection with this code after all queued messages have been sent; `closed` follows. `reason` is cut
    /// at 123 bytes. If the connection isn't open yet, gives it up; `failed` follows.
    public func close(code: UInt16 = 1000, reason: String = "") {
        let wasUsed = queue.withLock { queue in
            guard queue.phase == .connecting || queue.phase == .open else { return false }
            queue.phase = .closing
            return true
        }
        if wasUsed { loop.post(.close(self, code: code, reason: reason)) }
    }

    /// Takes the queued messages. Loop's thread only.
    func takeQueued() -> [[UInt8]] {
        queue.withLock { queue in
            let messages = queue.messages
            queue.messages = []
            return messages
        }
    }

    /// Records that a message of this size has been handed to the library.
    func sent(_ count: Int) { queue.withLock { $0.bytes -= count } }

    func becameOpen() {
        queue.withLock { if $0.phase == .connecting { $0.phase = .open } }
        onEvent(.opened)
    }

    func ended(_ event: DialerEvent) {
        queue.withLock { $0 = Queue() }
        onEvent(event)
    }
}
