import RoostWire

extension Counters {
    /// Users in this state have come or gone.
    func count(_ state: PresenceState, _ change: Int) {
        switch state {
        case .online: presence.online += change
        case .away: presence.away += change
        case .busy: presence.busy += change
        case .offline: break
        }
    }

    /// Sessions that say this about their use have come or gone.
    func count(_ activity: PresenceActivity, _ change: Int) {
        switch activity {
        case .active: presence.active += change
        case .idle: presence.idle += change
        case .background: presence.background += change
        }
    }

    /// The round begins that sends this change of a user.
    /// - Parameter delay: since the change, in milliseconds.
    func count(_ user: User, _ before: PresenceState, _ state: PresenceState, after delay: Int64) {
        count(before, -1)
        count(state, 1)
        presence.changes += 1
        presence.delay.record(delay)
        if before == .offline, state != .offline { presence.joins += 1 }
        if before != .offline, state == .offline { countLeave(of: user) }
    }

    private func countLeave(of user: User) {
        if user.presence.isInvisible {
            presence.becameInvisible += 1
        } else if user.devices.contains(where: { $0.session != nil }) {
            presence.leftForBackground += 1
        } else {
            let last = user.devices.compactMap(\.ends.last).max { $0.time < $1.time }
            presence.leaves[Int((last?.reason ?? .restart).rawValue)] += 1
        }
    }
}
