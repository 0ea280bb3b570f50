/// Small numbers that stand for names inside one store: assigned by the Relay in order of first appearance, stored,
/// never reused. They never leave the process.

/// A user.
public struct UserNumber: Hashable, Sendable {
    /// From 1, dense.
    public let value: Int32
    /// Wraps a number that the Relay assigned.
    public init(_ value: Int32) { self.value = value }
}

/// A conversation.
public struct ConversationNumber: Hashable, Sendable {
    /// From 1.
    public let value: Int32
    /// Wraps a number that the Relay assigned.
    public init(_ value: Int32) { self.value = value }
}

/// A device of a user.
public struct DeviceNumber: Hashable, Sendable {
    /// From 1.
    public let value: Int32
    /// Wraps a number that the Relay assigned.
    public init(_ value: Int32) { self.value = value }
}
