import Glibc

/// Whose attempts are counted together: an IPv4 address, or a network of /64, which is what one customer has (RFC
/// 6177). An operator's proxy names the client in `X-Forwarded-For`; what others say there is ignored.
package struct ClientAddress: Sendable {
    private struct Network: Sendable {
        var bytes: [UInt8]
        var bits: Int

        func contains(_ address: [UInt8]) -> Bool {
            guard address.count == bytes.count else { return false }
            for index in address.indices {
                let rest = min(8, max(0, bits - index * 8))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
                if (address[index] ^ bytes[index]) & mask != 0 { return false }
            }
            return true
        }
    }

    private let proxies: [Network]

    /// No proxies.
    package init() { proxies = [] }

    /// Proxies as the operator wrote them; nil if one can't be read.
    package init?(proxies: [String]) {
        var networks: [Network] = []
        for text in proxies {
            guard let network = ClientAddress.network(text) else { return nil }
            networks.append(network)
        }
        self.proxies = networks
    }

    private static func network(_ text: String) -> Network? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let bytes = bytes(String(first)) else { return nil }
        let most = bytes.count * 8
        guard parts.count == 2 else { return Network(bytes: bytes, bits: most) }
        guard let bits = Int(parts[1]), (8...most).contains(bits), String(bits) == parts[1] else { return nil }
        return Network(bytes: bytes, bits: bits)
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: six) { Array($0) }
        // ::ffff:192.0.2.1 is the IPv4 address.
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// The key under which a client's attempts are counted.
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - forwarded: the values of `X-Forwarded-For`, joined.
    package func key(peer: String, forwarded: String?) -> String {
        guard var address = ClientAddress.bytes(peer) else { return peer }
        // From the nearest to the farthest, as long as it is a proxy of ours that says so.
        for name in (forwarded ?? "").split(separator: ",").reversed() {
            guard proxies.contains(where: { $0.contains(address) }),
                let next = ClientAddress.bytes(String(name.filter { $0 != " " }))
            else { break }
            address = next
        }
        return address.prefix(address.count == 4 ? 4 : 8).map { String($0, radix: 16) }.joined(separator: ".")
    }
}
