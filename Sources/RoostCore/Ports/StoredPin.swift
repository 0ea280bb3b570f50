import RoostWire

/// A pinned message.
public struct StoredPin: Hashable, Sendable {
    /// The message.
    public var sequence: SequenceNumber
    /// The user who wrote it; `.none` if that can't be read any more.
    public var author: UserNumber
    /// The user who pinned it.
    public var user: UserNumber
    /// When that was.
    public var time: Timestamp
    /// The position of the event, by which pinned messages are in order.
    public var position: Position
    /// Whether the other user of the direct conversation had blocked the one who pinned it, and isn't shown the pin.
    public var isWithheld: Bool

    /// Creates one.
    public init(
        _ sequence: SequenceNumber, of author: UserNumber, by user: UserNumber, at time: Timestamp,
        _ position: Position, isWithheld: Bool = false
    ) {
        self.isWithheld = isWithheld
        self.sequence = sequence
        self.author = author
        self.user = user
        self.time = time
        self.position = position
    }
}
