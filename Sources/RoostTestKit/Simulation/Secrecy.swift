import RoostWire

/// What a simulated user tells others, and the rules once more, independently of the relay's.
struct Secrecy {
    var settings = PrivacySettings()
    /// By the index of the other user.
    var exceptions: [Int: PrivacyException] = [:]
    /// The monotonic time of the last change.
    var since = Int64.min / 2
}

extension People {
    /// The user tells others something else from now on.
    func note(_ settings: PrivacySettings, of user: SimulatedUser) {
        guard settings != user.secrecy.settings else { return }
        user.secrecy.settings = settings
        user.secrecy.since = world.time
    }

    /// The user tells one other user something else from now on.
    func note(_ exception: PrivacyException?, for other: Int, of user: SimulatedUser) {
        guard user.secrecy.exceptions[other] != exception else { return }
        user.secrecy.exceptions[other] = exception
        user.secrecy.since = world.time
        noteBlocks(of: user)
    }

    /// The user has taken its block away, if there was one.
    func noteUnblock(_ other: Int, of user: SimulatedUser) {
        if user.secrecy.exceptions[other] == .blocked { note(nil, for: other, of: user) }
    }

    /// Whether what the two tell each other has changed so lately that clients may have been told either.
    func isUnsettled(_ user: SimulatedUser, _ viewer: SimulatedUser) -> Bool {
        world.time - max(user.secrecy.since, viewer.secrecy.since) <= World.lateness
    }

    /// Whether the viewer isn't told how the user is.
    func isHidden(_ user: SimulatedUser, from viewer: SimulatedUser) -> Bool {
        user !== viewer
            && [(user, viewer), (viewer, user)].contains { one, other in
                switch one.secrecy.exceptions[other.index] {
                case .always: false
                case .never, .blocked: true
                case nil: one.secrecy.settings.presence == .nobody
                }
            }
    }

    /// Whether the viewer is told the time when the user was last here.
    func tellsTime(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        guard user !== viewer else { return true }
        let details = [(user, viewer), (viewer, user)].map { one, other -> LastSeenDetail in
            switch one.secrecy.exceptions[other.index] {
            case .always: .exact
            case .never, .blocked: .nobody
            case nil: one.secrecy.settings.lastSeen
            }
        }
        return details == [.exact, .exact] && !isHidden(user, from: viewer)
    }

    /// Whether the viewer is told what was delivered to the user.
    func tellsDelivery(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        user.secrecy.exceptions[viewer.index] != .blocked && viewer.secrecy.exceptions[user.index] != .blocked
    }

    /// Whether the viewer is told what the user has read.
    func tellsRead(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        user === viewer
            || [(user, viewer), (viewer, user)].allSatisfy { one, other in
                switch one.secrecy.exceptions[other.index] {
                case .always: true
                case .never, .blocked: false
                case nil: one.secrecy.settings.read == .shared
                }
            }
    }
}
