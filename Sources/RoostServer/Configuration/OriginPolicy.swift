/// Which web pages may open a connection (RFC 6455, section 10.2; RFC 6454). Immutable; asked once per handshake.
///
/// Roost has no cookies, so a foreign page holds no token and gets nowhere; this is the second wall. It compares
/// whole origins only: no wildcard and no prefix, which is where such checks go wrong.
public struct OriginPolicy: Sendable {
    private let origins: Set<String>

    /// `origins` are those of `listen.origins`.
    public init(origins: [String]) { self.origins = Set(origins) }

    /// Whether a handshake with these headers may go on. `host` is the value of `Host`.
    ///
    /// Without `Origin` it isn't a browser, and the check would protect nobody. With a list only what is on it may
    /// connect; without one only pages from the host (and port) that they connect to.
    public func allows(origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        guard origins.isEmpty else { return origins.contains(origin.lowercased()) }
        guard let host, !host.isEmpty,
            let scheme = ["https://", "http://"].first(where: origin.lowercased().hasPrefix)
        else { return false }
        return origin.dropFirst(scheme.count).lowercased() == host.lowercased()
    }
}
