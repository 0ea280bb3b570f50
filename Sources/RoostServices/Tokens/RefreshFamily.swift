/// What a refresh token that comes does to its session. Pure.
enum RefreshFamily {
    /// What is to be done.
    enum Outcome: Sendable, Equatable {
        /// Store this session, and give its client the new token.
        case renewed(Session)
        /// An old token came: end the session.
        case reused
        /// The newest token has ended.
        case expired
        /// An operator keeps its owner out.
        case suspended
    }

    /// What may be, in milliseconds.
    struct Rules: Sendable {
        var refreshLife: Int64
        var accessLife: Int64
    }

    /// - Parameters:
    ///   - hash: the token that came.
    ///   - key: the hash of its client's name for this exchange, if it has one.
    ///   - next: the hash of the token that would replace it.
    static func take(
        _ hash: [UInt8], key: [UInt8]?, next: [UInt8], of session: Session, now: Int64, rules: Rules
    ) -> Outcome {
        guard session.expires > now else { return .expired }
        var renewed = session
        renewed.used = now
        renewed.expires = now + rules.refreshLife
        renewed.accessUntil = max(session.accessUntil, now + rules.accessLife)
        renewed.current = next
        if hash == session.current {
            renewed.previous = session.current
            renewed.exchange = key
            return .renewed(renewed)
        }
        // The same exchange again: its answer was lost. Nobody has used the token that was in it, or this one would no
        // longer be the previous. A thief who has the key as well is found out when the owner uses what it has got.
        guard hash == session.previous, let key, key == session.exchange else { return .reused }
        return .renewed(renewed)
    }
}
