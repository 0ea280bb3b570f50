import RoostWire

/// What a user tells others: the settings, and exceptions for single users. It is stored in the user. `Policy` says
/// what follows from it. Loop thread only.
struct Privacy {
    private(set) var settings: PrivacySettings
    private(set) var exceptions: [UserNumber: PrivacyException] = [:]
    /// Users who have an exception for this one.
    private(set) var namedBy: Set<UserNumber> = []
    private(set) var blocks = Blocks()
    /// When one of these changed last, in monotonic milliseconds. What was told before may need an end that would not
    /// be told now.
    private(set) var changedAt = Int64.min

    init(_ settings: PrivacySettings = PrivacySettings()) { self.settings = settings }

    /// Whether nothing is hidden from anybody because of this user, which is so of most: no pair has to be looked at.
    var isOpen: Bool {
        exceptions.isEmpty && namedBy.isEmpty && settings.presence != .nobody && settings.lastSeen == .exact
            && settings.read == .shared
    }

    /// Whether it names nobody, and nobody names it.
    var isAlone: Bool { exceptions.isEmpty && namedBy.isEmpty }

    mutating func set(_ settings: PrivacySettings, at now: Int64) {
        self.settings = settings
        changedAt = now
    }

    fileprivate mutating func set(_ exception: PrivacyException?, of other: UserNumber, at now: Int64) {
        exceptions[other] = exception
        changedAt = now
    }

    fileprivate mutating func note(_ exception: PrivacyException?, by user: UserNumber, at now: Int64) {
        if exception == nil { namedBy.remove(user) } else { namedBy.insert(user) }
        changedAt = now
    }

    fileprivate mutating func note(isBlocked: Bool, _ other: UserNumber) { blocks.note(other, isBlocked) }
}

extension User {
    /// Tells the other user something else than what the settings say, or what they say if nil.
    func except(_ other: User, _ exception: PrivacyException?, at now: Int64) {
        privacy.set(exception, of: other.number, at: now)
        other.privacy.note(exception, by: number, at: now)
        let isBlocked = hasBlocked(other) || other.hasBlocked(self)
        privacy.note(isBlocked: isBlocked, other.number)
        other.privacy.note(isBlocked: isBlocked, number)
    }
}

/// What one user is told of another's receipts.
enum ReceiptView {
    case all
    /// What has been delivered, and not what has been read.
    case delivery
    case nothing
}

/// Who is told what of whom. What a user doesn't tell somebody, it isn't told by that one either.
extension Policy {
    /// Whether `viewer` is told whether `user` is there, and when `user` types, if there is anything that lets it ask.
    func showsPresence(of user: User, to viewer: User) -> Bool {
        if hidesNothing(user, from: viewer) { return true }
        return told(by: user, to: viewer).presence != .nobody && told(by: viewer, to: user).presence != .nobody
    }

    /// How exactly `viewer` is told when `user` was there last. The time would say that `user` is there now, so whoever
    /// isn't told that isn't told the time.
    func lastSeenDetail(of user: User, to viewer: User) -> LastSeenDetail {
        if hidesNothing(user, from: viewer) { return .exact }
        let detail = max(told(by: user, to: viewer).lastSeen, told(by: viewer, to: user).lastSeen)
        return showsPresence(of: user, to: viewer) ? detail : max(detail, .coarse)
    }

    /// What `viewer` is told of how far `user` has got in a conversation of both.
    func receipts(of user: User, to viewer: User) -> ReceiptView {
        if hidesNothing(user, from: viewer) { return .all }
        if isBlocked(user, viewer) { return .nothing }
        let isRead = told(by: user, to: viewer).read == .shared && told(by: viewer, to: user).read == .shared
        return isRead ? .all : .delivery
    }

    /// Whether an exception hides each from the other, whatever the settings say.
    func isHidden(_ user: User, from viewer: User) -> Bool {
        guard !user.privacy.isAlone else { return false }
        return isException(.never, between: user, viewer) || isBlocked(user, viewer)
    }

    /// Whether anybody may watch the user.
    func isWatchedByAll(_ user: User) -> Bool { user.privacy.settings.presence == .everyone }

    /// The pair needn't be looked at: so it is with most.
    private func hidesNothing(_ user: User, from viewer: User) -> Bool {
        user === viewer || user.privacy.isOpen && viewer.privacy.isOpen
    }

    /// What the user tells this viewer. Whether that one may ask is another question.
    private func told(by user: User, to viewer: User) -> PrivacySettings {
        switch user.privacy.exceptions[viewer.number] {
        case .always: PrivacySettings()
        case .never, .blocked: PrivacySettings(.nobody, .nobody, .nobody)
        case nil: user.privacy.settings
        }
    }

    /// Whether one of the two has this exception for the other.
    func isException(_ kind: PrivacyException, between one: User, _ other: User) -> Bool {
        one.privacy.exceptions[other.number] == kind || other.privacy.exceptions[one.number] == kind
    }
}
