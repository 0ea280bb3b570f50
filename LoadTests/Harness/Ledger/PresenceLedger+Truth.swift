/// Records which users are present.
extension PresenceLedger {
    /// A device of the user got its `welcome`. Must not be called for background sessions.
    func connected(_ user: Int, device: Int, at now: UInt64) {
        let isSure = !users[user].isUnsure
        // Close to the end of the grace, the relay may have announced the user's leaving already.
        let wasPresent = now < users[user].until && Slack.sum(now, Slack.early) < users[user].earliest
        users[user].stays.removeAll { $0.device == device || $0.until <= now }
        users[user].stays.append(Stay(device: device, until: .max, earliest: .max))
        users[user].isUnsure = false
        if !wasPresent || !isSure { users[user].since = now }
        settle(user, at: now)
        check(user, at: Slack.sum(now, Slack.truth))
    }

    /// A device's session ended.
    /// - Parameters:
    ///   - isClean: by `bye`.
    ///   - earliest: the relay may have known since then; nil: it can't have known before `now`.
    func left(_ user: Int, device: Int, isClean: Bool, at now: UInt64, earliest: UInt64? = nil) {
        guard let index = users[user].stays.firstIndex(where: { $0.device == device && $0.until == .max }) else {
            return
        }
        users[user].isUnsure = false
        if isClean {
            users[user].stays.remove(at: index)
        } else {
            users[user].stays[index].until = Slack.sum(now, grace)
            users[user].stays[index].earliest = Slack.sum(min(earliest ?? now, now), grace)
        }
        settle(user, at: now)
        if users[user].until != .max { check(user, at: Slack.sum(users[user].until, Slack.truth)) }
    }

    /// From now on the caller can't know whether the relay counts the user as present: one of the user's devices
    /// doesn't read, or was cut off while it said hello. This ends when a device of the user connects or leaves.
    func unsure(of user: Int) {
        // Before the first `welcome` there is no user to judge.
        if users.indices.contains(user) { users[user].isUnsure = true }
    }

    /// A device of the user is about to say `hello`. Watchers may see that the user has come before the caller has read
    /// the `welcome`.
    func isComing(_ user: Int, at now: UInt64) {
        if users.indices.contains(user), users[user].until <= now { users[user].isUnsure = true }
    }

    private func settle(_ user: Int, at now: UInt64) {
        users[user].stays.removeAll { $0.until <= now }
        users[user].until = users[user].stays.reduce(now) { max($0, $1.until) }
        users[user].earliest = users[user].stays.reduce(min(now, users[user].until)) { max($0, $1.earliest) }
    }
}
