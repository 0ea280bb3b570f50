/// The audience of a user's presence and status text. The numbers are stored.
public enum PresenceAudience: UInt8, WireWord {
    /// Users who share a conversation with the user.
    case shared = 0
    /// Everyone, so that the user can be watched before the first message.
    case everyone = 1
    /// No other user: the user is shown as offline.
    case nobody = 2

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .shared: "shared"
        case .everyone: "everyone"
        case .nobody: "nobody"
        }
    }
}

/// The precision with which others see when a user was last online. Ordered from all to nothing. The numbers are
/// stored.
public enum LastSeenDetail: UInt8, WireWord, Comparable {
    /// The time.
    case exact = 0
    /// Only as a `SeenRange`.
    case coarse = 1
    /// Nothing.
    case nobody = 2

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .exact: "exact"
        case .coarse: "coarse"
        case .nobody: "nobody"
        }
    }

    /// Whether the first shows more.
    public static func < (one: LastSeenDetail, other: LastSeenDetail) -> Bool { one.rawValue < other.rawValue }
}

/// The audience of a user's read receipts. The numbers are stored.
public enum ReadAudience: UInt8, WireWord {
    /// The members of the conversation.
    case shared = 0
    /// No other user.
    case nobody = 1

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .shared: "shared"
        case .nobody: "nobody"
        }
    }
}

/// An exception for one other user from the settings. The numbers are stored.
public enum PrivacyException: UInt8, WireWord {
    /// Everything, as long as both share a conversation.
    case always = 1
    /// Nothing of presence and reading.
    case never = 2
    /// A block: nothing at all, either way. `except` doesn't set it; `contact.block` does.
    case blocked = 3
    /// A block over an exception `always` or `never`, which applies again once the block is removed. On the wire they
    /// are `blocked`.
    case blockedOverAlways = 4, blockedOverNever = 5

    /// Those with a word of their own.
    public static let allCases: [PrivacyException] = [.always, .never, .blocked]

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .always: "always"
        case .never: "never"
        case .blocked, .blockedOverAlways, .blockedOverNever: "blocked"
        }
    }

    /// Whether it is a block.
    public var isBlock: Bool {
        switch self {
        case .always, .never: false
        case .blocked, .blockedOverAlways, .blockedOverNever: true
        }
    }

    /// The exception that applies without the block; nil for none.
    public var unblocked: PrivacyException? {
        switch self {
        case .always, .blockedOverAlways: .always
        case .never, .blockedOverNever: .never
        case .blocked: nil
        }
    }

    /// A block over this exception.
    public static func block(over exception: PrivacyException?) -> PrivacyException {
        switch exception {
        case .always, .blockedOverAlways: .blockedOverAlways
        case .never, .blockedOverNever: .blockedOverNever
        case .blocked, nil: .blocked
        }
    }
}

/// A coarse form of the time when a user was last online.
public enum SeenRange: WireWord {
    /// Within three days.
    case recently
    /// Within a week.
    case week
    /// Within 30 days.
    case month
    /// Before that.
    case long

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .recently: "recently"
        case .week: "week"
        case .month: "month"
        case .long: "long"
        }
    }

    /// - Parameter age: milliseconds since then.
    public init(age: Int64) {
        let day: Int64 = 86_400_000
        switch age {
        case ..<(3 * day): self = .recently
        case ..<(7 * day): self = .week
        case ..<(30 * day): self = .month
        default: self = .long
        }
    }
}

/// A user's settings for who sees its presence and reading.
public struct PrivacySettings: Hashable, Sendable {
    /// The audience of the presence.
    public var presence = PresenceAudience.shared
    /// The precision of the time when the user was last online.
    public var lastSeen = LastSeenDetail.exact
    /// The audience of the read receipts.
    public var read = ReadAudience.shared

    /// The defaults.
    public init() {}

    /// Settings.
    public init(_ presence: PresenceAudience, _ lastSeen: LastSeenDetail, _ read: ReadAudience) {
        self.presence = presence
        self.lastSeen = lastSeen
        self.read = read
    }
}

/// A change of some of the settings; nil members stay as they are.
public struct PrivacyChange: Hashable, Sendable {
    /// See `PrivacySettings`.
    public var presence: PresenceAudience?
    /// See `PrivacySettings`.
    public var lastSeen: LastSeenDetail?
    /// See `PrivacySettings`.
    public var read: ReadAudience?

    /// Changes nothing, unless said otherwise.
    public init(presence: PresenceAudience? = nil, lastSeen: LastSeenDetail? = nil, read: ReadAudience? = nil) {
        self.presence = presence
        self.lastSeen = lastSeen
        self.read = read
    }

    /// Whether it only asks what the settings are.
    public var isQuestion: Bool { presence == nil && lastSeen == nil && read == nil }

    /// The settings after the change.
    public func applied(to settings: PrivacySettings) -> PrivacySettings {
        PrivacySettings(presence ?? settings.presence, lastSeen ?? settings.lastSeen, read ?? settings.read)
    }
}
