import RoostWire

/// A message that mentions a user, and its author: it doesn't count if there is a block between the two.
public struct Mention: Sendable {
    /// The message.
    public var sequence: SequenceNumber
    /// Its author.
    public var author: UserNumber
    /// Creates a mention.
    public init(_ sequence: SequenceNumber, by author: UserNumber) {
        self.sequence = sequence
        self.author = author
    }
}
