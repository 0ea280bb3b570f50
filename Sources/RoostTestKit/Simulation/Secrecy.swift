import RoostCore
import RoostWire

/// A simulated user's privacy settings, and the rules once more, independently of the relay's.
struct Secrecy {
    var settings = PrivacySettings()
    /// By the index of the other user.
    var exceptions: [Int: PrivacyException] = [:]
    /// The monotonic time of the last change.
    var since = Int64.min / 2

    func hasBlocked(_ other: Int) -> Bool { exceptions[other]?.isBlock ?? false }
}

extension People {
    /// Notes new settings of the user.
    func note(_ settings: PrivacySettings, of user: SimulatedUser) {
        guard settings != user.secrecy.settings else { return }
        user.secrecy.settings = settings
        user.secrecy.since = world.time
    }

    /// Notes a new exception of the user for one other user.
    func note(_ exception: PrivacyException?, for other: Int, of user: SimulatedUser) {
        guard user.secrecy.exceptions[other] != exception else { return }
        user.secrecy.exceptions[other] = exception
        user.secrecy.since = world.time
        noteBlocks(of: user)
    }

    /// The user has taken its block away, if there was one.
    func noteUnblock(_ other: Int, of user: SimulatedUser) {
        guard let block = user.secrecy.exceptions[other], block.isBlock else { return }
        note(block.unblocked, for: other, of: user)
    }

    /// Whether the settings of the two have changed so lately that clients may have got either state.
    func isUnsettled(_ user: SimulatedUser, _ viewer: SimulatedUser) -> Bool {
        world.time - max(user.secrecy.since, viewer.secrecy.since) <= World.lateness
    }

    /// Whether the user's presence is hidden from the viewer.
    func isHidden(_ user: SimulatedUser, from viewer: SimulatedUser) -> Bool {
        user !== viewer
            && [(user, viewer), (viewer, user)].contains { one, other in
                switch one.secrecy.exceptions[other.index] {
                case .always: false
                case .never, .blocked, .blockedOverAlways, .blockedOverNever: true
                case nil: one.secrecy.settings.presence == .nobody
                }
            }
    }

    /// Whether the viewer gets the time when the user was last online.
    func tellsTime(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        guard user !== viewer else { return true }
        let details = [(user, viewer), (viewer, user)].map { one, other -> LastSeenDetail in
            switch one.secrecy.exceptions[other.index] {
            case .always: .exact
            case .never, .blocked, .blockedOverAlways, .blockedOverNever: .nobody
            case nil: one.secrecy.settings.lastSeen
            }
        }
        return details == [.exact, .exact] && !isHidden(user, from: viewer)
    }

    /// Whether one of the two blocks the other.
    func haveBlock(_ one: SimulatedUser, _ other: SimulatedUser) -> Bool {
        one.secrecy.hasBlocked(other.index) || other.secrecy.hasBlocked(one.index)
    }

    /// Whether the viewer gets the user's delivery receipts: they would reveal that a device is connected.
    func tellsDelivery(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        user === viewer || tellsRead(user, to: viewer) && !isHidden(user, from: viewer) && viewer.choice != .invisible
    }

    /// Whether a delivery to the user at this time by the wall clock shows that an invisible user has a device here.
    /// Messages that the user has read or written meanwhile show it anyway.
    func betrays(_ user: SimulatedUser, delivered: Int64, at time: Int64?, read: Int64) -> Bool {
        guard user.choice == .invisible, delivered > read, let time else { return false }
        let since = world.now.wall.milliseconds - (world.time - user.statusSince)
        return time > since + World.lateness
    }

    /// Whether the viewer is shown what the user is called: unless it has blocked the user itself.
    func showsProfile(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        !viewer.secrecy.hasBlocked(user.index)
    }

    /// Whether the viewer gets the user's read receipts.
    func tellsRead(_ user: SimulatedUser, to viewer: SimulatedUser) -> Bool {
        user === viewer
            || [(user, viewer), (viewer, user)].allSatisfy { one, other in
                switch one.secrecy.exceptions[other.index] {
                case .always: true
                case .never, .blocked, .blockedOverAlways, .blockedOverNever: false
                case nil: one.secrecy.settings.read == .shared
                }
            }
    }
}
