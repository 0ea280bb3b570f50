import RoostWire

/// What a user tells others: the settings, and exceptions for single users. It is stored in the user. `Policy` says
/// what follows from it. Loop thread only.
struct Privacy {
    private(set) var settings: PrivacySettings
    private(set) var exceptions: [UserNumber: PrivacyException] = [:]
    /// Users who have an exception for this one.
    private(set) var namedBy: Set<UserNumber> = []
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
}

extension User {
    /// Tells the other user something else than what the settings say, or what they say if nil.
    func except(_ other: User, _ exception: PrivacyException?, at now: Int64) {
        privacy.set(exception, of: other.number, at: now)
        other.privacy.note(exception, by: number, at: now)
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
        if user === viewer || user.privacy.isOpen && viewer.privacy.isOpen { return true }
        return tellsPresence(user, viewer) && tellsPresence(viewer, user)
    }

    private func tellsPresence(_ user: User, _ viewer: User) -> Bool {
        switch user.privacy.exceptions[viewer.number] {
        case .always: true
        case .never, .blocked: false
        case nil: user.privacy.settings.presence != .nobody
        }
    }

    /// How exactly `viewer` is told when `user` was there last. The time would say that `user` is there now, so whoever
    /// isn't told that isn't told the time.
    func lastSeenDetail(of user: User, to viewer: User) -> LastSeenDetail {
        if user === viewer || user.privacy.isOpen && viewer.privacy.isOpen { return .exact }
        let detail = max(lastSeenDetail(user, viewer), lastSeenDetail(viewer, user))
        return showsPresence(of: user, to: viewer) ? detail : max(detail, .coarse)
    }

    private func lastSeenDetail(_ user: User, _ viewer: User) -> LastSeenDetail {
        switch user.privacy.exceptions[viewer.number] {
        case .always: .exact
        case .never, .blocked: .nobody
        case nil: user.privacy.settings.lastSeen
        }
    }

    /// What `viewer` is told of how far `user` has got in a conversation of both.
    func receipts(of user: User, to viewer: User) -> ReceiptView {
        if user === viewer || user.privacy.isOpen && viewer.privacy.isOpen { return .all }
        let (one, other) = (user.privacy.exceptions[viewer.number], viewer.privacy.exceptions[user.number])
        if one == .blocked || other == .blocked { return .nothing }
        return tellsRead(user, one) && tellsRead(viewer, other) ? .all : .delivery
    }

    private func tellsRead(_ user: User, _ exception: PrivacyException?) -> Bool {
        switch exception {
        case .always: true
        case .never, .blocked: false
        case nil: user.privacy.settings.read == .shared
        }
    }

    /// Whether an exception hides each from the other, whatever the settings say.
    func isHidden(_ user: User, from viewer: User) -> Bool {
        guard !user.privacy.isAlone else { return false }
        let all = [user.privacy.exceptions[viewer.number], viewer.privacy.exceptions[user.number]]
        return all.contains(.never) || all.contains(.blocked)
    }

    /// Whether anybody may watch the user.
    func isWatchedByAll(_ user: User) -> Bool { user.privacy.settings.presence == .everyone }
}
