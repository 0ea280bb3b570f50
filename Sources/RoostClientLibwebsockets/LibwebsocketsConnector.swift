internal import Glibc
public import RoostClient
import RoostTransport

/// Connects with libwebsockets, on a thread that all clients of the process share. `wss://` servers are checked with
/// the system's certificates.
public struct LibwebsocketsConnector: SocketConnector {
    private let loop: DialerLoop?
    private let address: String?

    /// Uses the thread that the process shares.
    /// - Parameter address: the IP address to connect to, instead of looking up the host of a URL; nil for looking it
    ///   up. The server's certificate must be that of the URL's host all the same.
    public init(address: String? = nil) {
        loop = nil
        self.address = address
    }

    /// Uses a thread of its own, which lasts as long as the process: make one for all clients.
    /// - Parameters:
    ///   - caFile: the certificates that may sign those of `wss://` servers, in PEM, instead of the system's.
    ///   - address: the IP address to connect to, instead of looking up the host of a URL; nil for looking it up.
    /// - Throws: if the file can't be read, or the thread can't be started.
    public init(caFile: String, address: String? = nil) throws(SocketFailure) {
        self.address = address
        guard access(caFile, R_OK) == 0 else { throw SocketFailure("\(caFile) can't be read") }
        do throws(TransportFailure) { loop = try DialerLoop(caFile: caFile) } catch {
            throw SocketFailure("\(error)")
        }
    }

    /// See `SocketConnector`.
    public func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        do throws(DialerFailure) {
            var settings = DialerSettings()
            settings.address = address
            let dialer = try Dialer(url, settings: settings, on: loop) { onEvent(SocketEvent($0)) }
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

private struct DialedSocket: ClientSocket {
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
            // A status that refuses this request. 429 refuses it for a time only.
            let isRefused = status.map { (300..<500).contains($0) && $0 != 429 } ?? false
            self = .failed(reason: status.map { "HTTP status \($0)" } ?? reason, isRefused: isRefused)
        case .untrusted(let reason): self = .failed(reason: reason, isRefused: true)
        }
    }
}
