/// The bounds of an outbox, each with its reason.
public struct OutboxLimits: Sendable, Equatable {
    /// Most items. A user who is offline for a week doesn't reach it; a loop that sends does.
    public var itemsMax = 10_000
    /// Most bytes of items, which are in memory too. 10,000 texts of usual length take a fifth of it.
    public var bytesMax = 16_777_216
    /// Most items under way at once: more wouldn't be faster, and one lost connection would repeat them all.
    public var underWayMax = 16

    /// The defaults.
    public init() {}
}

/// The treatment of an item when the relay can't be asked, or asks for a later try.
public enum RetryPolicy: Sendable, Equatable {
    /// The item stays in its place until the relay takes it.
    case forever
    /// The item is tried again after each of these waits; then it fails, and its user may try again.
    case attempts([Duration])

    /// Three tries, after 2, 4 and 8 seconds.
    public static let threeTries = RetryPolicy.attempts([.seconds(2), .seconds(4), .seconds(8)])
}

/// Why the outbox didn't take something.
public enum OutboxFailure: Error, Sendable, Equatable {
    /// `OutboxLimits` are reached.
    case full
    /// An item with this key waits already.
    case keyIsTaken
    /// There is no such item, or not one that this can be done with.
    case noSuchItem
}
