import HTTPTypes
import RoostConfiguration

/// The address that a client's attempts are counted for: an IPv4 address, or a network of /64, which is what one
/// customer has (RFC 6177). An operator's proxy names the client in `X-Forwarded-For`; that of other peers is ignored.
package struct ClientAddress: Sendable {
    private let proxies: [AddressRange]

    /// - Parameter proxies: addresses and networks as the operator wrote them, which the configuration has checked.
    package init(proxies: [String] = []) { self.proxies = proxies.compactMap { AddressRange($0) } }

    /// Whether a request was made on this machine. A proxy on this machine connects from here, too, but names its
    /// client.
    package func isLocal(peer: String, _ headers: HTTPFields) -> Bool {
        guard let address = NetworkAddress(peer)?.unmapped else { return false }
        return ClientAddress.loopback.contains { $0.contains(address) }
            && ClientAddress.forwardedFields.allSatisfy { headers[$0] == nil }
    }

    private static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
    /// The header fields that proxies add (RFC 7239, RFC 9110, section 7.6.3, and the usual ones before it).
    private static let forwardedFields = ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"]
        .compactMap { HTTPField.Name($0) }

    /// Whether it is a proxy of ours, by which many clients come.
    package func isProxy(_ peer: String) -> Bool {
        guard let address = NetworkAddress(peer)?.unmapped else { return false }
        return proxies.contains { $0.contains(address) }
    }

    /// The networks that a key is in, the smallest first, by which its attempts and connections are counted, too: a
    /// customer may have a /56 at home, and a /48 at work (RFC 6177).
    package static func networks(of key: String) -> [String] {
        guard key.hasPrefix("6."), let number = UInt64(key.dropFirst(2), radix: 16) else { return [key] }
        return [key, "56." + String(number >> 8, radix: 16), "48." + String(number >> 16, radix: 16)]
    }

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
                let next = ClientAddress.address(Substring(name))
            else { break }
            address = next
        }
        return switch address {
        case .four(let number): "4." + String(number, radix: 16)
        case .six(let number): "6." + String(number >> 64, radix: 16)
        }
    }

    // Some proxies write the port, too: `192.0.2.1:443`, `[2001:db8::1]:443` (RFC 7239, section 6).
    private static func address(_ element: Substring) -> NetworkAddress? {
        let text = element.filter { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") {
            let parts = text.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || isPort(parts[1]), parts[0].contains(":") else { return nil }
            return NetworkAddress(String(parts[0]))?.unmapped
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0].contains("."), isPort(":" + parts[1]) {
            return NetworkAddress(String(parts[0]))?.unmapped
        }
        return NetworkAddress(text)?.unmapped
    }

    private static func isPort(_ text: some StringProtocol) -> Bool {
        text.hasPrefix(":") && (1...5).contains(text.utf8.count - 1)
            && text.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Why what a peer says in `X-Forwarded-For` doesn't count, which the operator should know: then all people behind
    /// a proxy count as one.
    enum Complaint: Sendable, CaseIterable {
        case unlisted, unreadable

        var words: String {
            switch self {
            case .unlisted:
                "X-Forwarded-For comes from an address that services.proxies doesn't name, so all who come from there "
                    + "count as one client. If it is your proxy, name it"
            case .unreadable:
                "a proxy of services.proxies sends an X-Forwarded-For without an address that can be read, so all who "
                    + "come by it count as one client"
            }
        }
    }

    /// The fault of the header; nil if there is none, or no header.
    func complaint(peer: String, forwarded: String?) -> Complaint? {
        guard let forwarded, let address = NetworkAddress(peer)?.unmapped else { return nil }
        guard proxies.contains(where: { $0.contains(address) }) else { return .unlisted }
        // The nearest one is what the proxy itself wrote.
        let last = forwarded.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).last
        return last.flatMap { ClientAddress.address(Substring($0)) } == nil ? .unreadable : nil
    }
}
