internal import Glibc

/// Where a server listens: an IPv4 or IPv6 address, `localhost`, or the path of a Unix socket behind `unix:`. `::`
/// takes IPv4 too, as far as the system allows that (ipv6(7), IPV6_V6ONLY). A value.
public struct ListenAddress: Sendable, Equatable {
    enum Kind: Equatable {
        case four(UInt32)
        case six([UInt8])
        case path(String)
    }

    let kind: Kind

    /// Reads an address as the configuration has it; nil if it is none of these.
    public init?(_ host: String) {
        if host.hasPrefix("unix:") {
            let path = String(host.dropFirst(5))
            // The path and its zero have to fit (unix(7)).
            guard path.hasPrefix("/"), path.utf8.count < ListenAddress.pathBytes, !path.utf8.contains(0) else {
                return nil
            }
            kind = .path(path)
        } else if let numbers = ListenAddress.bytes(of: host == "localhost" ? "127.0.0.1" : host, AF_INET, 4) {
            kind = .four(numbers.reduce(0) { $0 << 8 | UInt32($1) })
        } else if let numbers = ListenAddress.bytes(of: host, AF_INET6, 16) {
            kind = .six(numbers)
        } else {
            return nil
        }
    }

    private static var pathBytes: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }

    private static func bytes(of host: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        guard !host.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, host, &bytes) == 1 ? bytes : nil
    }

    /// The form that a URL contains; nil for a Unix socket, which has no URL.
    /// - Parameter host: as in `init`.
    public func authority(port: UInt16, as host: String) -> String? {
        switch kind {
        case .four: "\(host):\(port)"
        case .six: "[\(host)]:\(port)"
        case .path: nil
        }
    }

    /// Whether only this machine can connect to it.
    public var isLocal: Bool {
        switch kind {
        case .four(let number): number >> 24 == 127
        case .six(let bytes): bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        case .path: true
        }
    }

    /// Checks that a server could listen here: it does for a moment. A Unix socket is left alone.
    public static func tryListening(_ settings: TransportSettings) throws(TransportFailure) {
        if case .path? = ListenAddress(settings.host)?.kind { return }
        _ = try ListeningSocket(settings)
    }

    /// The protocol family of its sockets.
    var family: Int32 {
        switch kind {
        case .four: AF_INET
        case .six: AF_INET6
        case .path: AF_UNIX
        }
    }

    /// Calls `body` with the address as the system wants it.
    func withSystemAddress<Result>(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch kind {
        case .four(let number):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = number.bigEndian
            return ListenAddress.general(&address, body)
        case .six(let bytes):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return ListenAddress.general(&address, body)
        case .path(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return ListenAddress.general(&address, body)
        }
    }

    private static func general<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

extension ClientAddress {
    /// The address of a listener's peer. Clients of a Unix socket are on this machine.
    init(_ peer: sockaddr_storage) {
        let family = Int32(peer.ss_family)
        self = withUnsafeBytes(of: peer) { bytes in
            switch family {
            case AF_INET:
                ClientAddress(ipv4: UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
            case AF_INET6:
                withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { ClientAddress(ipv6: $0) }
            default: ClientAddress(ipv4: 0x7F00_0001)
            }
        }
    }
}
