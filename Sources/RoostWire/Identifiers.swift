/// The order of all durable events of one log. On the wire it is a string that is opaque to clients: the log's epoch, a
/// hyphen and the value in decimal.
public struct Position: Hashable, Comparable, Sendable {
    /// Zero is before the first event.
    public let value: Int64

    /// Wraps a value that the log assigned.
    @inlinable
    public init(_ value: Int64) { self.value = value }

    /// Before the first event.
    public static let start = Position(0)

    /// The position that a string of the wire names in a log of this epoch; nil if it is of another one, or none.
    public init?(_ text: String, epoch: String) {
        guard text.hasPrefix(epoch + "-"), let value = Int64(text.dropFirst(epoch.count + 1)), value >= 0 else {
            return nil
        }
        self.init(value)
    }

    /// As on the wire, in a log of this epoch.
    public func text(epoch: String) -> String { "\(epoch)-\(value)" }

    /// By log order.
    @inlinable
    public static func < (one: Position, other: Position) -> Bool { one.value < other.value }
}

/// The number of a message in its conversation: 1, 2, 3 … without holes. Zero stands for none.
public struct SequenceNumber: Hashable, Comparable, Sendable {
    /// Zero is before the first message.
    public let value: Int64

    /// Wraps a value that the log assigned or a client named.
    @inlinable
    public init(_ value: Int64) { self.value = value }

    /// Before the first message.
    public static let none = SequenceNumber(0)

    /// By order in the conversation.
    @inlinable
    public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool { one.value < other.value }
}

/// Wall-clock time: milliseconds since 1970-01-01T00:00:00Z. Shown to people, never used to measure a duration.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds; zero stands for never.
    public let milliseconds: Int64

    /// Wraps milliseconds since 1970.
    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// No such moment.
    public static let never = Timestamp(milliseconds: 0)

    /// Earlier before later.
    @inlinable
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.milliseconds < other.milliseconds }
}

/// What a client called its command, so that the reply can name it.
public enum CommandID: Hashable, Sendable {
    /// A whole number from 0 to 2^53.
    case number(UInt64)
    /// 1–64 bytes of text.
    case text(String)
}

/// What kind of conversation it is.
public enum ConversationKind: UInt8, Sendable {
    /// One per pair of users.
    case direct = 1
    /// Named, with roles.
    case group = 2

    /// The word on the wire.
    public var word: StaticString { self == .direct ? "direct" : "group" }
}

/// What a member may do in a group. Higher includes lower.
public enum Role: UInt8, Comparable, Sendable {
    /// Sends and reads.
    case member = 1
    /// Also renames, adds and removes.
    case admin = 2
    /// Also hands out roles; exactly one in a group.
    case owner = 3

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .member: "member"
        case .admin: "admin"
        case .owner: "owner"
        }
    }

    /// Lower before higher.
    public static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
}

/// What a device says of itself.
public enum Activity: UInt8, Sendable {
    /// A background fetch: says nothing about its user.
    case background = 0
    /// Connected, nobody is using it.
    case idle = 1
    /// In somebody's hands.
    case active = 2
}

/// What the level of durability of an acked message survives.
public enum Durability: String, Sendable, CaseIterable {
    /// Every commit is fsynced: survives a power cut.
    case full
    /// The write-ahead log is synced at checkpoints: survives a crash of the process.
    case normal
    /// Nothing is kept on disk.
    case memory
}
