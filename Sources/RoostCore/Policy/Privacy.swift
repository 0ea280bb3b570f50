import RoostWire

/// A user's privacy: the settings, and exceptions for single users. It is stored in the user. `Policy` has the effects.
/// Loop thread only.
struct Privacy {
    private(set) var settings: PrivacySettings
    private(set) var exceptions: [UserNumber: PrivacyException] = [:]
    /// Users who have an exception for this one.
    private(set) var namedBy: Set<UserNumber> = []
    private(set) var blocks = Blocks()
    /// The last time when the user began to hide its presence from everyone, in monotonic milliseconds. Typing shown to
    /// its devices before that needs an end.
    private(set) var hidSince = Int64.min

    init(_ settings: PrivacySettings = PrivacySettings()) { self.settings = settings }

    /// Whether nothing is hidden because of this user, which is so of most: no pair has to be looked at.
    var isOpen: Bool {
        exceptions.isEmpty && namedBy.isEmpty && settings.presence != .nobody && settings.lastSeen == .exact
            && settings.read == .shared
    }

    /// Whether it has no exceptions, and no others have one for its user.
    var isAlone: Bool { exceptions.isEmpty && namedBy.isEmpty }

    mutating func set(_ settings: PrivacySettings, at now: Int64) {
        if settings.presence == .nobody, self.settings.presence != .nobody { hidSince = now }
        self.settings = settings
    }

    fileprivate mutating func set(_ exception: PrivacyException?, of other: UserNumber) {
        exceptions[other] = exception
    }

    fileprivate mutating func note(_ exception: PrivacyException?, by user: UserNumber) {
        if exception == nil { namedBy.remove(user) } else { namedBy.insert(user) }
    }

    fileprivate mutating func note(isBlocked: Bool, _ other: UserNumber) { blocks.note(other, isBlocked) }

    fileprivate mutating func note(isBlockedBy other: UserNumber, _ isBlocked: Bool) {
        blocks.noteBlock(by: other, isBlocked)
    }
}

extension User {
    /// Sets an exception for the other user, or removes it if nil.
    func except(_ other: User, _ exception: PrivacyException?) {
        privacy.set(exception, of: other.number)
        other.privacy.note(exception, by: number)
        let isBlock = exception?.isBlock ?? false
        privacy.note(isBlocked: isBlock, other.number)
        other.privacy.note(isBlockedBy: number, isBlock)
    }
}

/// The part of another user's receipts that one user sees.
enum ReceiptView {
    case all
    /// The read ones, and not the delivered ones: a delivery shows when a device is connected.
    case reading
    case nothing
}

/// The rules for what users see of each other. A user doesn't see of another what it hides from that one.
extension Policy {
    /// Whether `viewer` sees the presence of `user`, and its typing, if anything lets it ask.
    func showsPresence(of user: User, to viewer: User) -> Bool {
        if hidesNothing(user, from: viewer) { return true }
        return told(by: user, to: viewer).presence != .nobody && told(by: viewer, to: user).presence != .nobody
    }

    /// Whether `viewer` saw it before it began to hide its own presence from everyone.
    func showedPresence(of user: User, to viewer: User) -> Bool {
        viewer.privacy.exceptions[user.number] == nil && told(by: user, to: viewer).presence != .nobody
    }

    /// The precision with which `viewer` sees when `user` was last online. The time would show that `user` is online
    /// now, so a viewer who doesn't see the presence doesn't see the time. Nothing of a deleted account is shown.
    func lastSeenDetail(of user: User, to viewer: User) -> LastSeenDetail {
        if user.isDeleted { return .nobody }
        if hidesNothing(user, from: viewer) { return .exact }
        let detail = max(told(by: user, to: viewer).lastSeen, told(by: viewer, to: user).lastSeen)
        return showsPresence(of: user, to: viewer) ? detail : max(detail, .coarse)
    }

    /// The part of the presence of `user` that `viewer` may see.
    @inline(__always)
    func presenceLevel(of user: User, to viewer: User) -> PresenceLevel {
        if hidesNothing(user, from: viewer), !user.isDeleted { return .full }
        return PresenceLevel(
            isShown: showsPresence(of: user, to: viewer), detail: lastSeenDetail(of: user, to: viewer))
    }

    /// The receipts of `user` that `viewer` sees in a common conversation. Deliveries to an invisible user aren't
    /// recorded at all (`Receipts.advanceDelivered`), so that a missing member doesn't betray the status.
    func receipts(of user: User, to viewer: User) -> ReceiptView {
        if user === viewer { return .all }
        if !hidesNothing(user, from: viewer) {
            let isRead = told(by: user, to: viewer).read == .shared && told(by: viewer, to: user).read == .shared
            guard isRead else { return .nothing }
            guard showsPresence(of: user, to: viewer) else { return .reading }
        }
        return viewer.presence.isInvisible ? .reading : .all
    }

    /// Whether an exception hides each from the other, whatever the settings say.
    func isHidden(_ user: User, from viewer: User) -> Bool {
        guard !user.privacy.isAlone else { return false }
        return isException(.never, between: user, viewer) || isBlocked(user, viewer)
    }

    /// Whether everyone may watch the user.
    func isWatchedByAll(_ user: User) -> Bool { user.privacy.settings.presence == .everyone }

    /// The pair needn't be looked at: so it is with most.
    private func hidesNothing(_ user: User, from viewer: User) -> Bool {
        user === viewer || user.privacy.isOpen && viewer.privacy.isOpen
    }

    /// The user's settings for this viewer. Whether the viewer may ask is another question.
    private func told(by user: User, to viewer: User) -> PrivacySettings {
        switch user.privacy.exceptions[viewer.number] {
        case .always: PrivacySettings()
        case .never, .blocked, .blockedOverAlways, .blockedOverNever: PrivacySettings(.nobody, .nobody, .nobody)
        case nil: user.privacy.settings
        }
    }

    /// Whether one of the two has this exception for the other.
    func isException(_ kind: PrivacyException, between one: User, _ other: User) -> Bool {
        one.privacy.exceptions[other.number] == kind || other.privacy.exceptions[one.number] == kind
    }
}
