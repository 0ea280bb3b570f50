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
        var grace: Int64
        var refreshLife: Int64
        var accessLife: Int64
    }

    /// - Parameters:
    ///   - hash: the token that came.
    ///   - next: the hash of the token that would replace it.
    static func take(_ hash: [UInt8], next: [UInt8], of session: Session, now: Int64, rules: Rules) -> Outcome {
        guard session.expires > now else { return .expired }
        var renewed = session
        renewed.used = now
        renewed.expires = now + rules.refreshLife
        renewed.accessUntil = max(session.accessUntil, now + rules.accessLife)
        renewed.current = next
        if hash == session.current {
            renewed.previous = session.current
            renewed.replaced = now
            renewed.isRetried = false
            return .renewed(renewed)
        }
        // The answer with its successor was lost: nobody has used that one, or this would no longer be the previous.
        let isRetry =
            hash == session.previous && !session.isRetried && now >= session.replaced
            && now - session.replaced <= rules.grace
        guard isRetry else { return .reused }
        renewed.isRetried = true
        return .renewed(renewed)
    }
}
