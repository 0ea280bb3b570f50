import RoostWire

/// The cause of a user's state: online if any device is active, away if one has been idle for a while; offline for a
/// user who is invisible. A dropped device keeps its state until its grace ends, and so does a user after a restart.
struct PresenceCause {
    /// The deciding source.
    enum Source {
        /// Nothing says that the user is here.
        case nothing
        /// The user wants to be invisible.
        case invisible
        /// A connected device.
        case device(Device)
        /// A device that dropped and may come back, until then in monotonic milliseconds.
        case dropped(Device, until: Int64)
        /// The user's state before the relay was restarted, until then.
        case restart(until: Int64)
    }

    /// The state that follows.
    let state: PresenceState
    /// The deciding source.
    let source: Source
    /// Time when an idle device that still counts as active no longer does.
    let awayAt: Int64?

    /// - Parameter now: monotonic milliseconds.
    init(of user: User, at now: Int64) {
        var highest = PresenceActivity.background
        var source = Source.nothing
        var awayAt: Int64?

        func take(_ activity: PresenceActivity, _ leaves: Int64, _ found: Source) {
            // A device that has just become idle still counts as active.
            let isEarly = activity == .idle && leaves > now
            let counted = isEarly ? PresenceActivity.active : activity
            guard counted > highest else { return }
            highest = counted
            source = found
            awayAt = isEarly ? leaves : nil
        }

        for device in user.devices {
            if let view = device.session?.presence {
                take(view.activity, view.awayAt, .device(device))
            } else if device.presence.until > now {
                take(
                    device.presence.activity, device.presence.awayAt,
                    .dropped(device, until: device.presence.until))
            }
        }
        let ghost = user.presence.ghost
        if ghost.until > now { take(ghost.activity, .min, .restart(until: ghost.until)) }
        let isInvisible = user.presence.isInvisible
        self.source = isInvisible ? .invisible : source
        self.awayAt = awayAt
        state =
            switch highest {
            case _ where isInvisible: .offline
            case .active: .online
            case .idle: .away
            case .background: .offline
            }
    }
}
