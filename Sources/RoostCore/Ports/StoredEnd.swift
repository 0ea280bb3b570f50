import RoostWire

/// The end of a device's last connection, as it is stored.
public struct StoredEnd: Hashable, Sendable {
    /// Why.
    public var reason: EndReason
    /// When; `.never` if it isn't known.
    public var time: Timestamp

    /// Creates one.
    public init(_ reason: EndReason, at time: Timestamp) {
        self.reason = reason
        self.time = time
    }
}
