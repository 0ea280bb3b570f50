/// The parts of a `ws://` or `wss://` URL that a dialer needs. Names and addresses, those of IPv6 in brackets (RFC
/// 3986, section 3.2.2); no user, no fragment.
struct DialerAddress: Sendable, Equatable {
    var isSecure: Bool
    /// Without brackets.
    var host: String
    var port: UInt16
    var path: String

    init?(_ url: String) {
        guard let scheme = ["ws://", "wss://"].first(where: { url.lowercased().hasPrefix($0) }) else { return nil }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        isSecure = scheme == "wss://"
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let tail = rest.dropFirst(authority.count)
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
        guard !authority.contains("@"), !path.contains("#") else { return nil }
        let (name, parts) = DialerAddress.split(authority)
        guard !name.isEmpty, parts.count <= 2, parts.first?.isEmpty == true else { return nil }
        host = String(name)
        if parts.count == 2 {
            guard let number = UInt16(parts[1]), number > 0 else { return nil }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
    }

    /// The host as a URL and the header `Host` write it.
    var authorityHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The host, and what follows it, split at colons: nothing, and perhaps a port.
    private static func split(_ authority: Substring) -> (host: Substring, rest: [Substring]) {
        let isBracketed = authority.hasPrefix("[")
        let inner = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        var rest = authority.dropFirst(inner.count + (isBracketed ? 1 : 0))
        if isBracketed {
            // Only an address stands in brackets.
            let isAddress = inner.contains(":") && inner.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            guard isAddress, rest.hasPrefix("]") else { return ("", []) }
            rest = rest.dropFirst()
        } else if inner.contains("[") || inner.contains("]") {
            return ("", [])
        }
        return (inner, rest.split(separator: ":", omittingEmptySubsequences: false))
    }
}
