/// Small numbers for names inside one store. The store leases them, the Relay assigns them, and both use them for
/// nothing else. They never leave the process.

/// The number of a user.
public struct UserNumber: Hashable, Sendable {
    /// The number, from 1.
    public let value: Int32
    /// Wraps a number that the Relay assigned.
    public init(_ value: Int32) { self.value = value }
    /// No user.
    public static let none = UserNumber(0)
}

/// The number of a conversation. Each user has a hidden one for its own settings, whose number follows from the user's
/// and is below 0. The store keeps no other entry of it than the settings.
public struct ConversationNumber: Hashable, Sendable {
    /// The number, from 1; below 0 for a hidden conversation.
    public let value: Int32
    /// Wraps a number that the Relay assigned.
    public init(_ value: Int32) { self.value = value }
    /// No conversation.
    public static let none = ConversationNumber(0)

    /// The hidden conversation with a user's settings.
    public init(settingsOf user: UserNumber) { value = 0 &- user.value }

    /// The user whose settings are in it; nil for a conversation that isn't hidden.
    public var owner: UserNumber? { value < 0 ? UserNumber(0 &- value) : nil }
}

/// The number of a device.
public struct DeviceNumber: Hashable, Sendable {
    /// The number, from 1.
    public let value: Int32
    /// Wraps a number that the Relay assigned.
    public init(_ value: Int32) { self.value = value }
}

/// The things that numbers stand for.
public enum NumberKind: UInt8, Sendable, CaseIterable {
    case user = 1
    case device = 2
    case conversation = 3
}

/// Numbers that one relay may assign, and no other relay on the same store.
public struct NumberLeases: Sendable, Equatable {
    /// Numbers for new users.
    public var users: Range<Int32>
    /// Numbers for new devices.
    public var devices: Range<Int32>
    /// Numbers for new conversations.
    public var conversations: Range<Int32>

    /// Creates leases.
    public init(users: Range<Int32>, devices: Range<Int32>, conversations: Range<Int32>) {
        self.users = users
        self.devices = devices
        self.conversations = conversations
    }

    /// All numbers, for a store that has not been used yet.
    public static let all = NumberLeases(users: 1..<Int32.max, devices: 1..<Int32.max, conversations: 1..<Int32.max)

    /// Up to `count` numbers above `number`; empty if there are no more.
    public static func range(above number: Int32, count: Int32) -> Range<Int32> {
        let first = min(max(0, number), Int32.max - 1) + 1
        let (end, overflows) = first.addingReportingOverflow(max(0, count))
        return first..<(overflows ? Int32.max : end)
    }
}
