import RoostConfiguration

/// Whose attempts are counted together: an IPv4 address, or a network of /64, which is what one customer has (RFC
/// 6177). An operator's proxy names the client in `X-Forwarded-For`; what others say there is ignored.
package struct ClientAddress: Sendable {
    private let proxies: [AddressRange]

    /// - Parameter proxies: addresses and networks as the operator wrote them, which the configuration has checked.
    package init(proxies: [String] = []) { self.proxies = proxies.compactMap { AddressRange($0) } }

    /// The key under which a client's attempts are counted.
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - forwarded: the values of `X-Forwarded-For`, joined.
    package func key(peer: String, forwarded: String?) -> String {
        guard var address = NetworkAddress(peer)?.unmapped else { return peer }
        // From the nearest to the farthest, as long as it is a proxy of ours that says so.
        // Byte by byte: Swift's characters may be several of Unicode's, so a claim could hide the comma behind it.
        for name in (forwarded ?? "").utf8.split(separator: UInt8(ascii: ",")).reversed() {
            guard proxies.contains(where: { $0.contains(address) }),
                let next = NetworkAddress(Substring(name).filter { $0 != " " })?.unmapped
            else { break }
            address = next
        }
        return switch address {
        case .four(let number): "4." + String(number, radix: 16)
        case .six(let number): "6." + String(number >> 64, radix: 16)
        }
    }
}
