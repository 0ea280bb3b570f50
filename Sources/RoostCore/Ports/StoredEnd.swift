import RoostWire

/// How the last connection of a device ended, as it is stored.
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
