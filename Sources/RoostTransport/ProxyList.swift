/// The proxies whose word for a client's address is trusted. Such words from other peers are ignored. A value.
public struct ProxyList: Sendable, Equatable {
    private struct Network: Sendable, Equatable {
        let isIPv6: Bool
        /// An IPv4 address in the lower half, or the first half of an IPv6 address.
        let start, mask: UInt64

        func contains(_ address: ClientAddress) -> Bool {
            guard let number = address.ipv4 else { return isIPv6 && address.network & mask == start }
            return !isIPv6 && UInt64(number) & mask == start
        }
    }

    /// The largest networks, because a list with half the internet would trust everyone.
    private static let smallestPrefix = (four: 8, six: 16)

    private var networks: [Network] = []

    /// No proxy.
    public init() {}

    /// IPv4 addresses, networks such as `10.0.0.0/8`, IPv6 networks such as `2001:db8::/48`, and `::1`. Nil if an entry
    /// is none of these. A single IPv6 address isn't, because clients are distinguished by the first 64 bits.
    public init?(_ entries: [String]) {
        for entry in entries {
            guard let network = ProxyList.network(entry) else { return nil }
            networks.append(network)
        }
    }

    /// Whether there is none.
    public var isEmpty: Bool { networks.isEmpty }

    func contains(_ address: ClientAddress) -> Bool {
        !networks.isEmpty && networks.contains { $0.contains(address) }
    }

    /// The client's address for a request: its sender, unless that is a proxy; then the last address in
    /// `X-Forwarded-For` that isn't one. Each proxy appends the address it got the request from, so what stands before
    /// that address is an unverified claim. If a proxy wrote no address, the result is that proxy.
    func origin(of sender: ClientAddress, forwardedFor: String?) -> ClientAddress {
        var last = sender
        guard contains(sender), let forwardedFor else { return last }
        let (comma, space, tab) = (UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"))
        // Byte by byte: Swift's characters may be several of Unicode's, so a claim could hide the comma behind it.
        for element in forwardedFor.utf8.split(separator: comma, omittingEmptySubsequences: false).reversed() {
            let trimmed = element.drop { $0 == space || $0 == tab }
            let text = Substring(trimmed.prefix { $0 != space && $0 != tab })
            guard let address = ClientAddress(forwarded: text) else { return last }
            last = address
            if !contains(address) { return last }
        }
        return last
    }

    private static func network(_ entry: String) -> Network? {
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let address = ClientAddress(first), parts.count <= 2 else { return nil }
        // The only one of its network.
        let isIPv6 = first.contains(":")
        if entry == "::1" { return Network(isIPv6: true, start: 0, mask: .max) }
        // An IPv4 address in the form of IPv6 is a typing error here.
        guard isIPv6 == (address.ipv4 == nil) else { return nil }
        let most = isIPv6 ? 64 : 32
        var bits = most
        if parts.count == 2 {
            let least = isIPv6 ? smallestPrefix.six : smallestPrefix.four
            guard let number = Int(parts[1]), String(number) == parts[1], (least...most).contains(number) else {
                return nil
            }
            bits = number
        } else if isIPv6 {
            return nil
        }
        let mask = isIPv6 ? UInt64.max << UInt64(64 - bits) : UInt64(UInt32.max << UInt32(32 - bits))
        let start = address.ipv4.map(UInt64.init) ?? address.network
        // Bits behind the prefix are a typing error.
        guard start & mask == start, !isIPv6 || isNetwork(first) else { return nil }
        return Network(isIPv6: isIPv6, start: start, mask: mask)
    }

    /// Whether nothing follows the first 64 bits of an IPv6 address.
    private static func isNetwork(_ text: Substring) -> Bool { text.hasSuffix("::") }
}
