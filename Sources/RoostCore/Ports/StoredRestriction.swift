import RoostWire

/// A restriction on a user of a group: a ban, or a time-out. For `UserNumber.none` it holds for all members but the
/// owner and the admins, who alone may write then.
public struct StoredRestriction: Hashable, Sendable {
    /// The user; `.none` for all members.
    public var user: UserNumber
    /// When a time-out ends; `.never` for a ban, and for all members.
    public var until: Timestamp
    /// Why, if that was said.
    public var reason: ReportReason?
    /// The user who set it.
    public var by: UserNumber
    /// When it was set.
    public var time: Timestamp

    /// Creates one.
    public init(of user: UserNumber, until: Timestamp, _ reason: ReportReason?, by: UserNumber, at time: Timestamp) {
        self.user = user
        self.until = until
        self.reason = reason
        self.by = by
        self.time = time
    }
}

extension StoredRestriction {
    /// Whether the user can't be in the group.
    public var isBan: Bool { user != .none && until == .never }

    /// Whether it is a time-out that is over.
    public func isOver(at time: Timestamp) -> Bool { until != .never && until <= time }

    /// Whether another one says the same: when a time-out ends is new each time.
    public func isRepeated(by other: StoredRestriction) -> Bool { until == .never && other.until == .never }
}

/// The restrictions of a group, at most one of each user. The Relay judges by them, and the log keeps them.
public struct RestrictionList: Sendable {
    private var byUser: [UserNumber: StoredRestriction] = [:]

    /// None.
    init() {}

    /// Those that were stored.
    public init(_ stored: [StoredRestriction]) {
        for one in stored { byUser[one.user] = one }
    }

    /// Whether there are none.
    public var isEmpty: Bool { byUser.isEmpty }

    /// The restriction of a user; nil if there is none. It may be over.
    public subscript(user: UserNumber) -> StoredRestriction? { byUser[user] }

    /// All of them, in the order of the users.
    public var all: [StoredRestriction] { byUser.values.sorted { $0.user.value < $1.user.value } }

    /// Number of those of single users that aren't over.
    func count(at time: Timestamp) -> Int { byUser.values.count { $0.user != .none && !$0.isOver(at: time) } }

    /// Sets or removes the restriction of a user. Those that are over at `time` go.
    public mutating func set(_ restriction: StoredRestriction?, of user: UserNumber, at time: Timestamp) {
        byUser[user] = restriction
        byUser = byUser.filter { !$0.value.isOver(at: time) }
    }

    /// Whether a change says what is so already.
    public func isUnchanged(by restriction: StoredRestriction?, of user: UserNumber) -> Bool {
        guard let known = byUser[user] else { return restriction == nil }
        return restriction.map(known.isRepeated(by:)) ?? false
    }
}
