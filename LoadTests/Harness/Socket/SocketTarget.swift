import Glibc
import RoostTLS

/// Where to connect: the parts of a `ws://` or `wss://` URL, its name resolved once, so that no connection waits for a
/// resolver. Immutable. It holds the upgrade request too, but for the key, which is fresh for every connection.
struct SocketTarget {
    let host: String
    let port: UInt16
    let path: String
    /// The only one that is offered; nil offers none.
    let subprotocol: String?
    /// IPv4, in the machine's byte order.
    let address: UInt32
    /// With what `wss://` is spoken; nil for `ws://`.
    let tls: TLSContext?
    /// The request up to the value of `Sec-WebSocket-Key`, which comes last.
    let request: [UInt8]

    /// Reads `ws://host[:port][/path]`, or the same with `wss`, and looks the host up, which may block. No user, no
    /// fragment, no IPv6.
    /// - Parameter caFile: the certificates that may sign the server's; nil for those of the system.
    init(url: String, subprotocol: String? = "roost.v1", caFile: String? = nil) throws(SocketFailure) {
        let isSecure = url.hasPrefix("wss://")
        let scheme = isSecure ? "wss://" : "ws://"
        guard url.hasPrefix(scheme), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !url.contains("#") else {
            throw .badURL(url)
        }
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2, !authority.contains("@") else {
            throw .badURL(url)
        }
        if parts.count == 2 {
            guard let number = UInt16(parts[1]), number > 0 else { throw .badURL(url) }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
        do throws(TLSFailure) { tls = isSecure ? try TLSContext(trusting: caFile) : nil } catch {
            throw .tls(error.description)
        }
        let tail = rest.dropFirst(authority.count)
        host = String(name)
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
        self.subprotocol = subprotocol
        address = try SocketTarget.resolve(host)
        var text = "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Version: 13\r\n"
        if let subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        request = Array((text + "Sec-WebSocket-Key: ").utf8)
    }

    private static func resolve(_ host: String) throws(SocketFailure) -> UInt32 {
        var hints = addrinfo()
        hints.ai_family = AF_INET
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0, let found else { throw .unknownHost(host) }
        defer { freeaddrinfo(found) }
        guard let address = found.pointee.ai_addr else { throw .unknownHost(host) }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
        }
    }
}
