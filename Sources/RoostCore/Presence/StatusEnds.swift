import RoostWire

/// Statuses that end by themselves. It has one timer for each user whose status has an end, and looks at the wall clock
/// at least once a minute, should that be set. It says whose status is over; the caller changes it. Loop thread only.
struct StatusEnds {
    /// When the timer of a user fires. It is stored in the user, but only this type changes it.
    struct Mark {
        /// In monotonic milliseconds; nil if no timer is set.
        fileprivate var wakesAt: Int64?
    }

    /// Longest time between two looks.
    private let lookMilliseconds: Int64
    private var timers: TimerWheel<User>

    init(_ limits: Limits, at now: Int64) {
        lookMilliseconds = limits.statusLookMilliseconds
        timers = TimerWheel(now: now)
    }

    /// The user has this status from now on.
    mutating func note(_ user: User, at now: Moment) {
        let until = user.presence.status.until
        guard until != .never else { return }
        let (wait, isTooLong) = until.milliseconds.subtractingReportingOverflow(now.wall.milliseconds)
        let at = now.monotonic + (isTooLong ? lookMilliseconds : min(max(0, wait), lookMilliseconds))
        if let wakesAt = user.presence.end.wakesAt, wakesAt <= at { return }
        user.presence.end.wakesAt = at
        timers.set(user, at: at)
    }

    /// When to call `takeEnded` next, in monotonic milliseconds.
    var nextDeadline: Int64 { timers.nextDeadline ?? .max }

    /// Returns users whose status is over.
    mutating func takeEnded(at now: Moment) -> [User] {
        var ended: [User] = []
        for user in timers.expire(at: now.monotonic) {
            // Another timer is set for it, or none any more.
            guard let wakesAt = user.presence.end.wakesAt, wakesAt <= now.monotonic else { continue }
            user.presence.end.wakesAt = nil
            let until = user.presence.status.until
            if until != .never, until <= now.wall { ended.append(user) } else { note(user, at: now) }
        }
        return ended
    }
}
