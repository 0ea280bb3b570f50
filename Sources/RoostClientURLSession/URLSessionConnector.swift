public import RoostClient

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Connects with `URLSessionWebSocketTask`: for Apple's systems, with their certificates and proxies. On Linux, the
/// `URLSession` of swift.org's toolchains speaks no WebSocket (swift-corelibs-foundation, issue 5431), and every try
/// gives `failed`.
public struct URLSessionConnector: SocketConnector {
    /// The only subprotocol it offers.
    public static let subprotocol = "roost.v1"

    private let configuration: URLSessionConfiguration

    /// Creates a connector.
    /// - Parameter configuration: copied for each connection, so that one may set proxies, headers and time limits.
    public init(configuration: URLSessionConfiguration = .ephemeral) { self.configuration = configuration }

    /// See `SocketConnector`.
    public func connect(
        to url: String, onEvent: @escaping @Sendable (SocketEvent) -> Void
    ) throws(SocketFailure) -> any ClientSocket {
        guard let address = URL(string: url), let scheme = address.scheme?.lowercased(),
            scheme == "ws" || scheme == "wss", address.host?.isEmpty == false
        else { throw SocketFailure("not a ws:// or wss:// URL: \(url)") }
        let socket = URLSessionSocket(onEvent)
        socket.open(address, configuration)
        return socket
    }
}
