/// Records what watchers are shown.
extension PresenceLedger {
    /// The watcher's session starts watching the user, or is shown the user without asking.
    func began(_ pair: Int, at now: UInt64) {
        pairs[pair].isWatching = true
        pairs[pair].began = now
        pairs[pair].shown = nil
        pairs[pair].isWrong = false
        check(pairs[pair].user, at: Slack.sum(now, Slack.truth))
    }

    /// The watcher's session ended, or doesn't read for a while. What it was shown isn't judged any more.
    func ended(_ pair: Int) {
        pairs[pair].isWatching = false
        pairs[pair].shown = nil
    }

    /// A watcher read the user's state, in a snapshot or a change.
    /// - Returns: ns since the change that it reports had to be visible; nil if it reports no change.
    func shown(_ pair: Int, _ state: ShownPresence, at now: UInt64) -> UInt64? {
        guard pairs[pair].isWatching else { return nil }
        judge(pair, at: now)
        let before = pairs[pair].shown
        pairs[pair].shown = state
        judge(pair, at: now)
        let user = users[pairs[pair].user]
        // Just after the user came, this may be the delayed news of an earlier leaving.
        let isFresh = now < Slack.sum(user.since, Slack.early)
        if !state.isPresent, isGracious(user, at: now), !user.isUnsure, !isFresh,
            Slack.sum(now, Slack.early) < user.earliest
        {
            countWrong(pair, .absent, "is shown as gone before the grace has passed")
        }
        guard before?.isPresent != state.isPresent, state.isPresent == isPresent(user, at: now), !user.isUnsure
        else { return nil }
        let changed = state.isPresent ? user.since : user.until
        guard changed >= pairs[pair].began, changed != pairs[pair].timed else { return nil }
        // The first state shown is no change if it is "offline".
        guard before != nil || state.isPresent else { return nil }
        pairs[pair].timed = changed
        return now - changed
    }

    /// Counts what has been shown wrongly for too long. O(1) if nothing has changed.
    func sweep(_ now: UInt64) {
        while let next = due.pop(by: now) {
            let user = Int(next.key)
            guard next.time == users[user].checkAt else { continue }
            users[user].checkAt = .max
            var later = UInt64.max
            for pair in users[user].pairs where pairs[Int(pair)].isWatching {
                later = min(later, judge(Int(pair), at: now))
            }
            let until = users[user].until
            if until != .max, Slack.sum(until, Slack.truth) > now { later = min(later, Slack.sum(until, Slack.truth)) }
            if later != .max { check(user, at: max(later, now &+ 1)) }
        }
    }

    /// - Returns: when to check again, if it is wrong but not yet for too long; otherwise `.max`.
    @discardableResult
    private func judge(_ pair: Int, at now: UInt64) -> UInt64 {
        let user = users[pairs[pair].user]
        let isPresent = isPresent(user, at: now)
        guard !user.isUnsure, (pairs[pair].shown?.isPresent ?? false) != isPresent else {
            pairs[pair].isWrong = false
            return .max
        }
        // During its grace, a user is judged only at the moment of being shown as gone.
        guard !isGracious(user, at: now) else { return .max }
        let base = max(isPresent ? user.since : user.until, pairs[pair].began)
        let due = Slack.sum(base, Slack.truth + attention.missed(since: base, until: now))
        guard now > due else { return due + 1 }
        if isPresent {
            countWrong(pair, .absent, pairs[pair].shown == nil ? "is there and not shown" : "is there, shown as gone")
        } else {
            countWrong(pair, .ghost, "has gone and is shown as present")
        }
        return .max
    }

    private func isPresent(_ user: User, at now: UInt64) -> Bool { user.since <= now && now < user.until }

    private func isGracious(_ user: User, at now: UInt64) -> Bool { user.until != .max && now < user.until }

    private func countWrong(_ pair: Int, _ fault: Fault, _ what: String) {
        guard !pairs[pair].isWrong else { return }
        pairs[pair].isWrong = true
        faults.count(fault, "user \(pairs[pair].user) \(what), to the watcher of pair \(pair)")
    }
}
