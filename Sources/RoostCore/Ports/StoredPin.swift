import RoostWire

/// A pinned message.
public struct StoredPin: Hashable, Sendable {
    /// The message.
    public var sequence: SequenceNumber
    /// The user who pinned it.
    public var user: UserNumber
    /// When that was.
    public var time: Timestamp
    /// The position of the event, by which pinned messages are in order.
    public var position: Position

    /// Creates one.
    public init(_ sequence: SequenceNumber, by user: UserNumber, at time: Timestamp, _ position: Position) {
        self.sequence = sequence
        self.user = user
        self.time = time
        self.position = position
    }
}
