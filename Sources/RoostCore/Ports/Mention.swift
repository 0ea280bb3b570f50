import RoostWire

/// A message that mentions somebody, and who wrote it: those whom a block parts aren't counted.
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
