/// Decides which web pages may open a connection (RFC 6455, section 10.2; RFC 6454). Immutable; asked once per
/// handshake.
///
/// This is the second line of defence: Roost has no cookies, so a foreign page has no token. It compares whole origins
/// only, without prefixes, because those are where such checks usually fail. The one wildcard is the port of a page
/// from the same machine, whose development server takes whichever port is free.
public struct OriginPolicy: Sendable {
    /// Hosts whose port may be `*`: no other machine can answer for them.
    static let hostsOfAnyPort: Set<Substring> = ["localhost", "127.0.0.1"]

    private let origins: Set<String>

    /// Creates the policy for the origins of `listen.origins`.
    public init(origins: [String]) { self.origins = Set(origins) }

    /// Whether a handshake with these values of the headers `Origin` and `Host` may go on.
    ///
    /// A client without `Origin` isn't a browser and is always allowed. If there is a list, a page must be on it. If
    /// there is none, a page may only connect to the host and port it came from.
    public func allows(origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        guard origins.isEmpty else { return isListed(origin.lowercased()) }
        guard let host, !host.isEmpty,
            let scheme = ["https://", "http://"].first(where: origin.lowercased().hasPrefix)
        else { return false }
        return origin.dropFirst(scheme.count).lowercased() == host.lowercased()
    }
    private func isListed(_ origin: String) -> Bool {
        if origins.contains(origin) { return !origin.hasSuffix("*") }
        guard let (base, host, port) = OriginPolicy.parts(of: origin) else { return false }
        let isPort = port.map { OriginPolicy.isPort($0) } ?? true
        return isPort && OriginPolicy.hostsOfAnyPort.contains(host) && origins.contains("\(base):*")
    }

    /// Scheme with host, the host, and the port if there is one; nil if it has another form.
    static func parts(of origin: String) -> (base: Substring, host: Substring, port: Substring?)? {
        guard let scheme = ["https://", "http://"].first(where: origin.hasPrefix) else { return nil }
        let parts = origin.dropFirst(scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2 else { return nil }
        return (origin.prefix(scheme.count + host.count), host, parts.count == 2 ? parts[1] : nil)
    }

    /// Whether it is a port as a browser writes it.
    static func isPort(_ text: Substring) -> Bool { UInt16(text).map { $0 > 0 && String($0) == text } ?? false }
}
