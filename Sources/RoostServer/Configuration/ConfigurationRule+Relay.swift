import RoostConfiguration
import RoostCore
import RoostTransport

/// The forms that only the relay's keys have.
extension ConfigurationRule {
    static let address = ConfigurationRule(
        "an address such as 127.0.0.1 or ::1, localhost, or unix: and an absolute path"
    ) { ListenAddress($0) != nil }

    static let network = ConfigurationRule(
        "an IPv4 address, a network from /8 on such as 10.0.0.0/8, an IPv6 network from /16 to /64 such as "
            + "2001:db8::/48, or ::1"
    ) { ProxyList([$0]) != nil }

    static let target = ConfigurationRule("a path of a request, such as /metrics") { text in
        let bytes = text.utf8
        return bytes.first == UInt8(ascii: "/") && bytes.count <= 256
            && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "?") }
    }

    static let service = ConfigurationRule(
        "nothing, or an origin such as https://accounts.example.org, in lower case and without a path"
    ) { $0.isEmpty || WebOrigin.isOfWeb($0) && !$0.hasSuffix(":*") }

    static let gateMode = ConfigurationRule("off, log, on, or percent and a whole number from 0 to 100") { text in
        GateRules.Mode(text) != nil
    }

    static let contactKind = ConfigurationRule(
        "a word of 1 to 32 characters a-z 0-9 . _ -, or two with / between them"
    ) { text in
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            (1...32).contains(part.utf8.count)
                && part.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._-".utf8.contains(byte)
                }
        }
    }

    static let claim = ConfigurationRule("nothing, or up to 256 printable ASCII characters") { text in
        text.utf8.count <= 256 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
