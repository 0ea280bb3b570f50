import Glibc

/// An IPv4 or IPv6 address without a port. A value.
package enum NetworkAddress: Sendable, Equatable {
    case four(UInt32)
    case six(UInt128)

    /// Reads `192.0.2.1` or `2001:db8::1`; nil if it is neither.
    package init?(_ text: some StringProtocol) {
        // inet_pton would stop at a zero.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, String(text), &four) == 1 {
            self = .four(UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, String(text), &six) == 1 {
            self = .six(withUnsafeBytes(of: &six) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
        } else {
            return nil
        }
    }

    /// Reads what the resolver has found; nil if it is of another family, or cut short.
    package init?(_ bytes: UnsafeRawBufferPointer, family: Int32) {
        switch family {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            self = .four(UInt32(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self = .six(withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) })
        default: return nil
        }
    }
}

extension NetworkAddress {
    /// The IPv4 address that an address such as `::ffff:192.0.2.1` stands for (RFC 4291, section 2.5.5.2), or itself.
    package var unmapped: NetworkAddress {
        guard case .six(let number) = self, number >> 32 == 0xFFFF else { return self }
        return .four(UInt32(truncatingIfNeeded: number))
    }
}

/// All addresses that begin with the same bits. A value.
package struct AddressRange: Sendable, Equatable {
    private let start: NetworkAddress
    /// Number of leading bits that all addresses of the range share.
    package let bits: Int

    /// Reads `10.0.0.0/8`, `fd00::/8`, or a single address; nil if it is none of these, or has bits behind its prefix,
    /// which is a typing error.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let address = NetworkAddress(first) else { return nil }
        let most =
            switch address {
            case .four: 32
            case .six: 128
            }
        var bits = most
        if parts.count == 2 {
            guard let number = Int(parts[1]), String(number) == parts[1], (0...most).contains(number) else {
                return nil
            }
            bits = number
        }
        let isWhole =
            switch address {
            case .four(let number): number & ~AddressRange.mask(bits) == 0
            case .six(let number): number & ~AddressRange.mask(bits) == 0
            }
        guard isWhole else { return nil }
        start = address
        self.bits = bits
    }

    /// Whether the address is one of them. An IPv4 address in the form of IPv6 is an IPv6 address here.
    package func contains(_ address: NetworkAddress) -> Bool {
        switch (start, address) {
        case (.four(let start), .four(let number)): number & AddressRange.mask(bits) == start
        case (.six(let start), .six(let number)): number & AddressRange.mask(bits) == start
        default: false
        }
    }

    /// A number whose first bits are set.
    private static func mask<Number: FixedWidthInteger>(_ bits: Int) -> Number {
        bits == 0 ? 0 : Number.max << (Number.bitWidth - bits)
    }
}
