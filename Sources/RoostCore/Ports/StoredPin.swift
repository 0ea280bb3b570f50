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
    /// The user of the direct conversation who doesn't see the pin: the other one pinned it while this one had a block,
    /// or this one unpinned it while the other one had. `.none` if both see it.
    public var hiddenFrom: UserNumber

    /// Creates one.
    public init(
        _ sequence: SequenceNumber, of author: UserNumber, by user: UserNumber, at time: Timestamp,
        _ position: Position, hiddenFrom: UserNumber = .none
    ) {
        self.hiddenFrom = hiddenFrom
        self.sequence = sequence
        self.author = author
        self.user = user
        self.time = time
        self.position = position
    }
}
