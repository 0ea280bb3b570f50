import RoostTransport

/// Connects with libwebsockets, on a thread that all clients of the process share.
public struct DialerConnector: SocketConnector {
    /// There is nothing to configure.
    public init() {}

    /// See `SocketConnector`.
    public func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any Socket {
        do throws(DialerFailure) {
            let dialer = try Dialer(url) { onEvent(SocketEvent($0)) }
            dialer.connect()
            return DialedSocket(dialer: dialer)
        } catch {
            switch error {
            case .badURL: throw SocketFailure("not a ws:// or wss:// URL: \(url)")
            case .transport(let failure): throw SocketFailure("\(failure)")
            }
        }
    }
}

private struct DialedSocket: Socket {
    let dialer: Dialer

    func send(_ text: [UInt8]) -> Bool { dialer.send(text: text) }

    func close(code: UInt16, reason: String) { dialer.close(code: code, reason: reason) }
}

extension SocketEvent {
    fileprivate init(_ event: DialerEvent) {
        switch event {
        case .opened: self = .opened
        case .text(let bytes): self = .text(bytes)
        case .closed(let code, let reason): self = .closed(code: code, reason: reason)
        case .failed(let reason, let status):
            self = .failed(reason: status.map { "HTTP status \($0)" } ?? reason)
        }
    }
}
