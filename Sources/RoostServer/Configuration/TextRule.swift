import RoostTransport

/// The form of a text in the configuration.
enum TextRule: Sendable {
    case address, network, path, file, target, origin, service, claim, bearer

    /// What is allowed, worded to follow "expected".
    var allowed: String {
        switch self {
        case .address: "an address such as 127.0.0.1 or ::1, localhost, or unix: and an absolute path"
        case .network:
            "an IPv4 address, a network from /8 on such as 10.0.0.0/8, an IPv6 network from /16 to /64 such as "
                + "2001:db8::/48, or ::1"
        case .path: "a path of 1 to 4096 bytes"
        case .file: "nothing, or a path of up to 4096 bytes"
        case .target: "a path of a request, such as /metrics"
        case .origin:
            "an origin such as https://chat.example.org, in lower case and without a path, or http://localhost:* and "
                + "http://127.0.0.1:* for any port"
        case .service: "nothing, or an origin such as https://accounts.example.org, in lower case and without a path"
        case .claim: "nothing, or up to 256 printable ASCII characters"
        case .bearer: "nothing, or 16 to 256 printable ASCII characters without spaces"
        }
    }

    func allows(_ text: String) -> Bool {
        let bytes = text.utf8
        return switch self {
        case .address: ListenAddress(text) != nil
        case .network: ProxyList([text]) != nil
        case .path: (1...4_096).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        case .file: bytes.isEmpty || TextRule.path.allows(text)
        case .target:
            bytes.first == UInt8(ascii: "/") && bytes.count <= 256
                && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "?") }
        case .origin: Self.isOrigin(text)
        case .service: bytes.isEmpty || Self.isOrigin(text) && !text.hasSuffix(":*")
        case .claim: bytes.count <= 256 && bytes.allSatisfy { (0x20...0x7E).contains($0) }
        // RFC 6750, section 2.1 allows fewer characters. This only ensures that the token fits a header and is hard to
        // guess.
        case .bearer:
            bytes.isEmpty || (16...256).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }

    /// Whether it is scheme, host and port as a browser writes them (RFC 6454, section 6.2), or one of this machine
    /// with any port. Any other spelling would never match.
    static func isOrigin(_ text: String) -> Bool {
        guard text.utf8.count <= 267, let (_, host, port) = OriginPolicy.parts(of: text), !host.isEmpty else {
            return false
        }
        let isHost = host.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isHost, let port else { return isHost }
        return port == "*" ? OriginPolicy.hostsOfAnyPort.contains(host) : OriginPolicy.isPort(port)
    }
}
