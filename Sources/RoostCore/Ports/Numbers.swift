/// Small numbers that stand for names inside one store: leased by the store, given out by the Relay, stored, never used
/// for anything else. They never leave the process.

/// A user.
public struct UserNumber: Hashable, Sendable {
    /// From 1.
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

/// What is numbered.
public enum NumberKind: UInt8, Sendable, CaseIterable {
    case user = 1
    case device = 2
    case conversation = 3
}

/// Numbers that one relay may give out, and no other on the same store.
public struct NumberLeases: Sendable, Equatable {
    /// For users it makes known.
    public var users: Range<Int32>
    /// For their devices.
    public var devices: Range<Int32>
    /// For conversations.
    public var conversations: Range<Int32>

    /// Puts leases together.
    public init(users: Range<Int32>, devices: Range<Int32>, conversations: Range<Int32>) {
        self.users = users
        self.devices = devices
        self.conversations = conversations
    }

    /// All numbers there are: for a store that nobody has used yet.
    public static let all = NumberLeases(users: 1..<Int32.max, devices: 1..<Int32.max, conversations: 1..<Int32.max)

    /// Up to `count` numbers above `number`; empty when there are no more.
    public static func range(above number: Int32, count: Int32) -> Range<Int32> {
        let first = min(max(0, number), Int32.max - 1) + 1
        let (end, overflows) = first.addingReportingOverflow(max(0, count))
        return first..<(overflows ? Int32.max : end)
    }
}
