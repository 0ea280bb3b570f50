import RoostWire

/// The part of a user's presence that a viewer may know.
struct PresenceLevel: Equatable {
    /// State, text and typing.
    let isShown: Bool
    let detail: LastSeenDetail

    /// Nothing is hidden, which is so between most users.
    static let full = PresenceLevel(isShown: true, detail: .exact)
}

/// The contents of a frame about a user for one viewer. Two that are equal are the same bytes, so that the second isn't
/// sent.
struct VisiblePresence: Equatable {
    /// When the user was there last.
    enum Seen: Equatable {
        case unsaid
        case at(Timestamp)
        case range(SeenRange)
    }

    let state: PresenceState
    let text: String
    let seen: Seen

    /// - Parameter shown: the user's state for viewers who may know it.
    init(of user: User, _ shown: Presence.Shown, _ level: PresenceLevel, at now: Moment) {
        let visible = level.isShown ? shown : .nothing
        state = visible.state
        text = visible.text
        let time = level.isShown ? shown.lastSeen : user.presence.lastSeen
        guard state == .offline, time != .never else {
            seen = .unsaid
            return
        }
        switch level.detail {
        case .exact: seen = .at(time)
        case .coarse:
            // `lastSeen` is stale while the user is online.
            let isHere = !level.isShown && user.presence.announced.state != .offline
            seen = .range(SeenRange(age: isHere ? 0 : now.wall.milliseconds - time.milliseconds))
        case .nobody: seen = .unsaid
        }
    }
}

/// The level at which a session was last sent each user's presence, or would have been. Only levels other than `full`
/// take memory: a session has at most `Limits.watchedPerSession` watches, an entry goes with its watch, and partners of
/// direct conversations are in memory anyway.
struct SentLevels {
    private var levels: [UserNumber: PresenceLevel] = [:]

    subscript(user: UserNumber) -> PresenceLevel { levels.isEmpty ? .full : levels[user] ?? .full }

    mutating func note(_ level: PresenceLevel, of user: UserNumber) {
        if level != .full {
            levels[user] = level
        } else if !levels.isEmpty {
            levels[user] = nil
        }
    }

    /// Whether the session must be sent the user, because that isn't what it has. From now on it has it.
    /// - Parameters:
    ///   - before: the user's presence when the session was last sent it.
    ///   - level: what its user may know from now on.
    mutating func takeNews(
        of user: User, _ before: Presence.Shown, _ level: PresenceLevel, at now: Moment
    ) -> Bool {
        let sent = self[user.number]
        note(level, of: user.number)
        if sent == .full, level == .full { return before != user.presence.announced }
        return VisiblePresence(of: user, before, sent, at: now)
            != VisiblePresence(of: user, user.presence.announced, level, at: now)
    }

    mutating func forget(_ user: UserNumber) {
        if !levels.isEmpty { levels[user] = nil }
    }

    mutating func removeAll() { levels.removeAll() }
}
