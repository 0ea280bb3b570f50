internal import Foundation
internal import RoostClient
import RoostLock

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One `URLSessionWebSocketTask`. It reports on one serial queue. `URLSession` keeps its delegate until it is
/// invalidated, which is at the end of the connection.
final class URLSessionSocket: NSObject, ClientSocket {
    /// Most bytes of a message from the server: a page of history fits, even with everything escaped.
    static let messageBytesMax = 4_194_304
    /// Most messages that `URLSession` hasn't taken yet. Beyond that, `send` returns false.
    static let queuedMax = 1_024
    /// Most bytes of them.
    static let queuedBytesMax = 4_194_304

    private enum Phase { case connecting, open, ended }

    private struct State {
        var phase = Phase.connecting
        var session: URLSession?
        var task: URLSessionWebSocketTask?
        // Bytes that `URLSession` hasn't taken yet.
        var queued = 0
        var queuedBytes = 0
        // How to close once all of it is taken.
        var closing: (code: UInt16, reason: String)?
    }

    private let state = Locked(State())
    private let onEvent: @Sendable (SocketEvent) -> Void
    private let line = DispatchQueue(label: "roost.socket")

    init(_ onEvent: @escaping @Sendable (SocketEvent) -> Void) { self.onEvent = onEvent }

    func open(_ url: URL, _ configuration: URLSessionConfiguration) {
        let queue = OperationQueue()
        queue.underlyingQueue = line
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        let task = session.webSocketTask(with: url, protocols: [URLSessionConnector.subprotocol])
        task.maximumMessageSize = Self.messageBytesMax
        state.withLock {
            $0.session = session
            $0.task = task
        }
        task.resume()
    }

    // MARK: Socket

    func send(_ text: [UInt8]) -> Bool {
        let task: URLSessionWebSocketTask? = state.withLock {
            guard $0.phase == .open, $0.closing == nil, $0.queued < Self.queuedMax,
                text.count <= Self.queuedBytesMax - $0.queuedBytes
            else { return nil }
            $0.queued += 1
            $0.queuedBytes += text.count
            return $0.task
        }
        guard let task else { return false }
        // A failure ends the task, which the delegate hears.
        task.send(.string(String(decoding: text, as: UTF8.self))) { [weak self] _ in self?.taken(text.count) }
        return true
    }

    func close(code: UInt16, reason: String) {
        let isFirst = state.withLock {
            guard $0.closing == nil else { return false }
            $0.closing = (code, reason)
            return true
        }
        if isFirst { closeIfSent() }
    }

    private func taken(_ bytes: Int) {
        state.withLock {
            $0.queued -= 1
            $0.queuedBytes -= bytes
        }
        closeIfSent()
    }

    /// Sends the close frame, or gives up a handshake.
    private func closeIfSent() {
        let (task, closing) = state.withLock {
            $0.queued == 0 && $0.phase != .ended ? ($0.task, $0.closing) : (nil, nil)
        }
        guard let task, let closing else { return }
        // The system's type has names for few codes, and takes any number on Apple's systems; Foundation on Linux
        // has an enumeration, where an unknown one becomes a normal end.
        let code = URLSessionWebSocketTask.CloseCode(rawValue: Int(closing.code)) ?? .normalClosure
        task.cancel(with: code, reason: Data(closing.reason.utf8))
    }

    // MARK: Events

    private func receive() {
        guard let task = state.withLock({ $0.phase == .open ? $0.task : nil }) else { return }
        // The system keeps this until the task ends, as it keeps the delegate.
        task.receive { result in
            self.line.async {
                guard case .success(let message) = result else { return }
                switch message {
                case .string(let text): self.report(.text(Array(text.utf8)))
                case .data: break  // The protocol has text only.
                @unknown default: break
                }
                self.receive()
            }
        }
    }

    private func report(_ event: SocketEvent) {
        guard state.withLock({ $0.phase == .open }) else { return }
        onEvent(event)
    }

    /// Reports the end, once.
    private func end(
        _ close: (code: UInt16, reason: String)?, isRefused: Bool = false, failure: @autoclosure () -> String
    ) {
        let (was, session) = state.withLock { state in
            defer {
                state.phase = .ended
                state.task = nil
                state.session = nil
            }
            return (state.phase, state.session)
        }
        switch was {
        case .connecting: onEvent(.failed(reason: failure(), isRefused: isRefused))
        case .open: onEvent(.closed(code: close?.code ?? 1006, reason: close?.reason ?? ""))
        case .ended: break
        }
        session?.finishTasksAndInvalidate()
    }
}

extension URLSessionSocket: URLSessionWebSocketDelegate {
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol subprotocol: String?
    ) {
        let isNew = state.withLock {
            guard $0.phase == .connecting else { return false }
            $0.phase = .open
            return true
        }
        guard isNew else { return }
        onEvent(.opened)
        receive()
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith code: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        let reason = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
        end((UInt16(exactly: code.rawValue) ?? 1006, reason), failure: "closed before it opened")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode
        // A status that refuses this request. 429 refuses it for a time only.
        let isRefused = status.map { (300..<500).contains($0) && $0 != 429 } ?? false
        end(
            nil, isRefused: isRefused,
            failure: status.map { "HTTP status \($0)" } ?? error?.localizedDescription ?? "the connection ended")
    }
}
