import RoostConfiguration

/// Decides which web pages may open a connection (RFC 6455, section 10.2; RFC 6454). Immutable; asked once per
/// handshake.
///
/// This is the second line of defence: Roost has no cookies, so a foreign page has no token. It compares whole origins
/// only, without prefixes, because those are where such checks usually fail. The one wildcard is the port of a page
/// from the same machine, whose development server takes whichever port is free.
public struct OriginPolicy: Sendable {
    private let origins: Set<String>

    /// Creates the policy for the origins of `listen.origins`.
    public init(origins: [String]) { self.origins = Set(origins) }

    /// Whether a handshake with these values of the headers `Origin` and `Host` may go on.
    ///
    /// A client without `Origin` isn't a browser and is always allowed. If there is a list, a page must be on it. If
    /// there is none, a page may only connect to the host and port it came from.
    public func allows(origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        guard origins.isEmpty else { return WebOrigin.isOne(origin.lowercased(), of: origins) }
        guard let host, !host.isEmpty,
            let scheme = ["https://", "http://"].first(where: origin.lowercased().hasPrefix)
        else { return false }
        return origin.dropFirst(scheme.count).lowercased() == host.lowercased()
    }
}
