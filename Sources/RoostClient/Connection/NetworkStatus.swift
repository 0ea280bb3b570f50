/// How this device reaches the network, as its system says. It is a hint: a socket that works is believed more.
public struct NetworkStatus: Sendable, Equatable {
    /// What carries it.
    public enum Kind: Sendable, Equatable {
        /// A wireless local network.
        case wifi
        /// A network of mobile phones.
        case cellular
        /// A cable.
        case wired
        /// Anything else, such as a tunnel.
        case other
    }

    /// Whether there is a way out.
    public var isReachable: Bool
    /// What carries it; nil without a way out.
    public var kind: Kind?
    /// Whether its user pays for bytes.
    public var isExpensive: Bool

    /// Creates a status.
    public init(isReachable: Bool, kind: Kind? = nil, isExpensive: Bool = false) {
        self.isReachable = isReachable
        self.kind = kind
        self.isExpensive = isExpensive
    }
}

/// Tells when the network changes. On Apple's systems `NetworkPathMonitor` of `RoostClientURLSession` does.
public protocol NetworkMonitor: Sendable {
    /// The status now, and whenever it changes. Ended when nobody reads it any more.
    func statuses() -> AsyncStream<NetworkStatus>
}
