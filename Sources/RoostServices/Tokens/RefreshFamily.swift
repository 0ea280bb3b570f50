/// The effect of a presented refresh token on its session. Pure.
enum RefreshFamily {
    /// The action to take.
    enum Outcome: Sendable, Equatable {
        /// Store this session, and give its client the token that is the session's newest now.
        case renewed(Session)
        /// An old token came: end the session.
        case reused
        /// The newest token has ended.
        case expired
        /// An operator keeps its owner out.
        case suspended
    }

    /// The bounds, in milliseconds.
    struct Rules: Sendable {
        var refreshLife: Int64
        var accessLife: Int64
        /// Time after an exchange in which the same exchange is answered again, even to another client.
        var grace: Int64
        /// Exchanges whose times are kept for that.
        var renewalsMax: Int
    }

    /// - Parameters:
    ///   - age: how many exchanges ago the token that came was the newest: 0 if it is the newest. Nil if it is older
    ///     than the exchanges that are looked at.
    ///   - key: the hash of its client's name for this exchange, if it has one.
    ///   - next: the hash of the token that replaces the newest one.
    static func take(
        age: Int?, key: [UInt8]?, next: [UInt8], of session: Session, now: Int64, rules: Rules
    ) -> Outcome {
        guard session.expires > now else { return .expired }
        guard let age else { return .reused }
        var renewed = session
        renewed.used = now
        renewed.expires = now + rules.refreshLife
        renewed.accessUntil = max(session.accessUntil, now + rules.accessLife)
        if age == 0 {
            renewed.current = next
            renewed.exchange = key
            renewed.renewals = Array(([now] + session.renewals).prefix(rules.renewalsMax))
            return .renewed(renewed)
        }
        // The same exchange again, under its key: its answer was lost. The token in it hasn't been used, or this one
        // would be older. A thief who has the key as well is noticed when the owner uses the new token.
        if age == 1, let key, key == session.exchange { return .renewed(renewed) }
        // Two tabs of one person began it at once, or one of them is an answer behind.
        guard session.renewals.indices.contains(age - 1), isRecent(session.renewals[age - 1], now, rules) else {
            return .reused
        }
        return .renewed(renewed)
    }

    // A clock that was set back by more than that makes all exchanges old.
    private static func isRecent(_ time: Int64, _ now: Int64, _ rules: Rules) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(time)
        return !overflow && age < rules.grace && age > -rules.grace
    }
}
