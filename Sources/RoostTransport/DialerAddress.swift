/// The parts of a `ws://` or `wss://` URL that a dialer needs. IPv4 addresses and names; no user, no fragment.
struct DialerAddress: Sendable, Equatable {
    var isSecure: Bool
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
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, parts.count <= 2 else { return nil }
        guard !authority.contains("@"), !authority.contains("["), !path.contains("#") else { return nil }
        host = String(name)
        if parts.count == 2 {
            guard let number = UInt16(parts[1]), number > 0 else { return nil }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
    }
}
