/// The proxies that may say whom they speak for. What anybody else says of that is ignored. A value.
public struct ProxyList: Sendable, Equatable {
    private struct Network: Sendable, Equatable {
        let start: UInt32
        let mask: UInt32
    }

    /// The largest network, because who lists half the internet trusts everybody.
    private static let smallestPrefix: UInt32 = 8

    private var networks: [Network] = []

    /// No proxy.
    public init() {}

    /// IPv4 addresses, and networks such as `10.0.0.0/8`. Nil if one of them is neither.
    public init?(_ entries: [String]) {
        for entry in entries {
            guard let network = ProxyList.network(entry) else { return nil }
            networks.append(network)
        }
    }

    /// Whether there is none.
    public var isEmpty: Bool { networks.isEmpty }

    func contains(_ address: ClientAddress) -> Bool {
        guard !networks.isEmpty, let number = address.ipv4 else { return false }
        return networks.contains { number & $0.mask == $0.start }
    }

    /// For whom a request came: what its sender is, unless that is a proxy; then the last address in `X-Forwarded-For`
    /// that isn't one. Each proxy adds at the end whom it got the request from, so what stands before that address is
    /// what somebody claims. Where a proxy wrote no address, that proxy is meant.
    func origin(of sender: ClientAddress, forwardedFor: String?) -> ClientAddress {
        var last = sender
        guard contains(sender), let forwardedFor else { return last }
        for element in forwardedFor.split(separator: ",", omittingEmptySubsequences: false).reversed() {
            let trimmed = element.drop { $0 == " " || $0 == "\t" }
            let text = trimmed.prefix { $0 != " " && $0 != "\t" }
            guard let address = ClientAddress(forwarded: text) else { return last }
            last = address
            if !contains(address) { return last }
        }
        return last
    }

    private static func network(_ entry: String) -> Network? {
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let start = ClientAddress(first)?.ipv4, !first.contains(":"), parts.count <= 2
        else { return nil }
        var bits: UInt32 = 32
        if parts.count == 2 {
            guard let number = UInt32(parts[1]), String(number) == parts[1], (smallestPrefix...32).contains(number)
            else {
                return nil
            }
            bits = number
        }
        let mask = UInt32.max << (32 - bits)
        // Bits behind the prefix are a typing error.
        return start & mask == start ? Network(start: start, mask: mask) : nil
    }
}
