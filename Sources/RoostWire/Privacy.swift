/// Who is told whether a user is there, and the status text. The numbers are stored.
public enum PresenceAudience: UInt8, WireWord {
    /// Who shares a conversation with the user.
    case shared = 0
    /// Everyone, so that the user can be watched before the first message.
    case everyone = 1
    /// Nobody: the user is shown as offline.
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

/// How exactly others are told when a user was there last. Ordered from all to nothing. The numbers are stored.
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

    /// Whether the first tells more.
    public static func < (one: LastSeenDetail, other: LastSeenDetail) -> Bool { one.rawValue < other.rawValue }
}

/// Who is told how far a user has read. The numbers are stored.
public enum ReadAudience: UInt8, WireWord {
    /// The members of the conversation.
    case shared = 0
    /// Nobody.
    case nobody = 1

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .shared: "shared"
        case .nobody: "nobody"
        }
    }
}

/// What a user shows to one other user, instead of what the settings say. The numbers are stored.
public enum PrivacyException: UInt8, WireWord {
    /// Everything, as long as both share a conversation.
    case always = 1
    /// Nothing of presence and reading.
    case never = 2
    /// A block: nothing at all, either way. `except` doesn't set it; `contact.block` does.
    case blocked = 3
    /// A block of somebody to whom `always` or `never` applies again once it is taken away. On the wire they are
    /// `blocked`.
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

    /// What applies without the block; nil for what the settings say.
    public var unblocked: PrivacyException? {
        switch self {
        case .always, .blockedOverAlways: .always
        case .never, .blockedOverNever: .never
        case .blocked: nil
        }
    }

    /// The block of somebody to whom this applies.
    public static func block(over exception: PrivacyException?) -> PrivacyException {
        switch exception {
        case .always, .blockedOverAlways: .blockedOverAlways
        case .never, .blockedOverNever: .blockedOverNever
        case .blocked, nil: .blocked
        }
    }
}

/// When somebody was there last, told coarsely.
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

/// What a user tells others of the own presence and reading.
public struct PrivacySettings: Hashable, Sendable {
    /// Who is told whether the user is there.
    public var presence = PresenceAudience.shared
    /// How exactly others are told when the user was there last.
    public var lastSeen = LastSeenDetail.exact
    /// Who is told how far the user has read.
    public var read = ReadAudience.shared

    /// As if the user had said nothing.
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
    /// As in `PrivacySettings`.
    public var presence: PresenceAudience?
    /// As in `PrivacySettings`.
    public var lastSeen: LastSeenDetail?
    /// As in `PrivacySettings`.
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
