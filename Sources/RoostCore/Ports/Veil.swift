import RoostWire

/// Where a direct conversation ends for the one of its users who has blocked the other, as long as everything behind
/// that was written by the blocked one meanwhile. The list, the unread messages and the last message of the blocker go
/// by it. It goes with the next event that isn't withheld.
public struct Veil: Hashable, Sendable {
    /// The blocker.
    public var user: UserNumber
    /// The last message that the blocker may see.
    public var sequence: SequenceNumber
    /// The last durable event that the blocker may see.
    public var position: Position
    /// When that was.
    public var time: Timestamp

    /// Creates a veil behind which everything from now on is.
    public init(_ user: UserNumber, after sequence: SequenceNumber, _ position: Position, _ time: Timestamp) {
        self.user = user
        self.sequence = sequence
        self.position = position
        self.time = time
    }

    /// Whether the blocker, who joined at this position, sees nothing of the conversation at all: the blocked one has
    /// opened it.
    public func hidesAll(since joinedAt: Position) -> Bool { position < joinedAt }

    /// The withheld messages, of which the last is before an event at which the conversation had reached `last`; nil if
    /// there are none.
    public func messages(upTo last: SequenceNumber) -> ClosedRange<Int64>? {
        sequence < last ? sequence.value + 1...last.value : nil
    }
}
