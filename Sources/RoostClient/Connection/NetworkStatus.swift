/// The system's report of this device's network. It is a hint: a working socket counts for more.
public struct NetworkStatus: Sendable, Equatable {
    /// The medium of the connection.
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
    /// The medium; nil if the device is offline.
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

/// Reports network changes. On Apple's systems use `NetworkPathMonitor` of `RoostClientURLSession`.
public protocol NetworkMonitor: Sendable {
    /// The status now, and after each change. Ends when the reader stops.
    func statuses() -> AsyncStream<NetworkStatus>
}
