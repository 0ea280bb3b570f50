internal import Glibc

/// The address that a socket's limits are counted for: an IPv4 address, or an IPv6 network of 64 bits, because that is
/// what a household gets. Behind a listed proxy it is the address that the proxy names.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    // The first half of an IPv6 address; 0 for IPv4.
    private let high: UInt64
    // 0xFFFF and the address for IPv4, as in an IPv6 address that stands for one; 0 for IPv6.
    private let low: UInt64

    /// An IPv4 address, the first number highest.
    init(ipv4 number: UInt32) {
        high = 0
        low = 0xFFFF_0000_0000 | UInt64(number)
    }

    /// The 16 bytes of an IPv6 address.
    init(ipv6 bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == 16, "an IPv6 address has 16 bytes")
        let first = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        let second = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        high = first
        // An IPv4 address in the form of IPv6 is the same client.
        low = first == 0 && second >> 32 == 0xFFFF ? second : 0
    }

    /// An address in its usual form; nil if it is none.
    init?(_ text: some StringProtocol) {
        // The longest form of IPv6 has 45 characters. No others than these, because a zero would end a C string.
        guard (2...45).contains(text.utf8.count), text.utf8.allSatisfy(ClientAddress.isPart) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        let text = String(text)
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self = withUnsafeBytes(of: six) { ClientAddress(ipv6: $0) }
        } else {
            return nil
        }
    }

    /// An element of `X-Forwarded-For`: an address, which some proxies write with its port.
    init?(forwarded element: Substring) {
        if element.hasPrefix("[") {
            let parts = element.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || parts[1].hasPrefix(":"), parts[0].contains(":") else {
                return nil
            }
            self.init(parts[0])
        } else {
            let parts = element.split(separator: ":", omittingEmptySubsequences: false)
            self.init(parts.count == 2 ? parts[0] : element)
        }
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// The number of an IPv4 address.
    var ipv4: UInt32? { high == 0 && low >> 32 == 0xFFFF ? UInt32(truncatingIfNeeded: low) : nil }

    /// Whether it is this machine: 127.0.0.0/8, or ::1, which nothing else has its first 64 bits with.
    var isLoopback: Bool { ipv4.map { $0 >> 24 == 127 } ?? (high == 0 && low == 0) }

    /// The network of an IPv6 address: its first 64 bits.
    var network: UInt64 { high }

    /// `192.0.2.1`, or `2001:db8:0:1::/64`.
    public var description: String {
        if let ipv4 {
            return "\(ipv4 >> 24).\(ipv4 >> 16 & 0xFF).\(ipv4 >> 8 & 0xFF).\(ipv4 & 0xFF)"
        }
        let groups = stride(from: 48, through: 0, by: -16).map { String(high >> UInt64($0) & 0xFFFF, radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }
}
