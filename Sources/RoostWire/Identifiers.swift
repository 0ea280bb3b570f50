/// The place of a durable event in the order of one log. On the wire it is an opaque string: the log's epoch, a hyphen
/// and the value in decimal.
public struct Position: Hashable, Comparable, Sendable {
    /// The value. Zero is before the first event.
    public let value: Int64

    /// Wraps a value that the log assigned.
    @inlinable
    public init(_ value: Int64) { self.value = value }

    /// Before the first event.
    public static let start = Position(0)

    /// Reads a position from the wire; nil if it is invalid or belongs to a log of another epoch.
    public init?(_ text: String, epoch: String) {
        guard text.hasPrefix(epoch + "-"), let value = Int64(text.dropFirst(epoch.count + 1)), value >= 0 else {
            return nil
        }
        self.init(value)
    }

    /// The text on the wire, for a log of this epoch.
    public func text(epoch: String) -> String { "\(epoch)-\(value)" }

    /// Ordered as in the log.
    @inlinable
    public static func < (one: Position, other: Position) -> Bool { one.value < other.value }
}

/// The number of a message in its conversation: 1, 2, 3 … without holes. Zero means none.
public struct SequenceNumber: Hashable, Comparable, Sendable {
    /// The value. Zero is before the first message.
    public let value: Int64

    /// Wraps a value that the log assigned or a client named.
    @inlinable
    public init(_ value: Int64) { self.value = value }

    /// Before the first message.
    public static let none = SequenceNumber(0)

    /// Ordered as in the conversation.
    @inlinable
    public static func < (one: SequenceNumber, other: SequenceNumber) -> Bool { one.value < other.value }
}

/// Wall-clock time in milliseconds since 1970-01-01T00:00:00Z. Shown to people, never used to measure durations.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds; zero means never.
    public let milliseconds: Int64

    /// Wraps milliseconds since 1970.
    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// No time.
    public static let never = Timestamp(milliseconds: 0)

    /// Earlier times come first.
    @inlinable
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.milliseconds < other.milliseconds }
}

/// A client's name for its command, which the reply repeats.
public enum CommandID: Hashable, Sendable {
    /// A whole number from 0 to 2^53.
    case number(UInt64)
    /// 1–64 bytes of text.
    case text(String)
}

/// The kind of a conversation.
public enum ConversationKind: UInt8, WireWord {
    /// The conversation of two users.
    case direct = 1
    /// A conversation with a name and roles.
    case group = 2

    /// The word on the wire.
    public var word: StaticString { self == .direct ? "direct" : "group" }
}

/// The role of a member in a group. A higher role includes the lower ones.
public enum MemberRole: UInt8, Comparable, WireWord {
    /// Sends and reads messages.
    case member = 1
    /// Also renames the group, and adds and removes members.
    case admin = 2
    /// Also changes roles. A group has exactly one owner.
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
    public static func < (one: MemberRole, other: MemberRole) -> Bool { one.rawValue < other.rawValue }
}

/// The use of a device, as the device reports it.
public enum PresenceActivity: UInt8, WireWord {
    /// A background fetch: says nothing about its user.
    case background = 0
    /// Connected, and not in use.
    case idle = 1
    /// In use.
    case active = 2

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .background: "background"
        case .idle: "idle"
        case .active: "active"
        }
    }
}

/// The failures that an acked message survives.
public enum Durability: String, Sendable, CaseIterable {
    /// Every commit is fsynced: survives a power cut.
    case full
    /// The write-ahead log is synced at checkpoints: survives a crash of the process.
    case normal
    /// Nothing is kept on disk.
    case memory
}

/// The status that a user has chosen, while a device counts. The numbers are stored.
public enum StatusChoice: UInt8, WireWord {
    /// The state of the devices.
    case auto = 0
    /// Away, whatever the devices report.
    case away = 1
    /// Busy.
    case busy = 2
    /// Offline.
    case invisible = 3

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .auto: "auto"
        case .away: "away"
        case .busy: "busy"
        case .invisible: "invisible"
        }
    }
}
