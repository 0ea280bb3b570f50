import RoostConfiguration

/// The addresses that a request may go to: those of the internet, and those in the configuration. An attacker's URL, or
/// name server, could otherwise choose a service inside of our network. It judges the address that a name was resolved
/// to, right before the connection, so that a second look-up can't give another answer. Pure.
package struct AddressPolicy: Sendable, Equatable {
    /// Everything else of IPv6 isn't global unicast (IANA, Internet Protocol Version 6 Address Space).
    private static let globalUnicast = ranges(["2000::/3"])

    /// Addresses that aren't globally reachable (IANA, Special-Purpose Address Registries), with multicast, and with
    /// the ways to write an IPv4 address as one of IPv6 that lie in `2000::/3`.
    private static let refused = ranges([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Protocol assignments with Teredo, documentation, 6to4, documentation.
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ])

    private let allowed: [AddressRange]

    /// - Parameter allowed: what may be reached although it isn't of the internet. With DNS64 on a network without
    ///   IPv4, `64:ff9b::/96` has to be among it.
    package init(allowed: [AddressRange] = []) { self.allowed = allowed }

    /// Whether a connection to the address may be opened.
    package func permits(_ address: NetworkAddress) -> Bool {
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if case .six = address, !AddressPolicy.globalUnicast.contains(where: { $0.contains(address) }) { return false }
        return !AddressPolicy.refused.contains { $0.contains(address) }
    }

    /// The ranges of a table. One that can't be read would be left out: a test asks for one address of each.
    private static func ranges(_ texts: [String]) -> [AddressRange] { texts.compactMap(AddressRange.init) }
}
