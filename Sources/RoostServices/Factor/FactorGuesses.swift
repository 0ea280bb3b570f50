import Synchronization

/// Counts tried codes, apart from passwords: only a client that knows the password tries codes, and strangers who guess
/// passwords keep no user from the second step. By account and by client, each before it is known whether it is right.
/// Any thread may use it.
final class FactorGuesses: Sendable {
    private struct State {
        var byAccount: AttemptLimit
        /// The same over a day: six digits would be found in some years otherwise.
        var byAccountDaily: AttemptLimit
        var byClient: NetworkAttempts
    }

    private let accounts: Accounts
    private let state: Mutex<State>

    init(_ accounts: Accounts) {
        self.accounts = accounts
        let limits = accounts.limits
        func limit(_ most: Int, _ seconds: Int64) -> AttemptLimit {
            AttemptLimit(attemptsMax: most, seconds: seconds, keysMax: limits.attemptKeys)
        }
        state = Mutex(
            State(
                byAccount: limit(limits.factorFailures, limits.attemptSeconds),
                byAccountDaily: limit(limits.factorFailuresDaily, 86_400), byClient: NetworkAttempts(limits)))
    }

    /// Counts a try of a client's.
    func admit(client: String) throws(ServiceFault) {
        let (keys, now) = (accounts.keys.digests(ofNetworks: client), accounts.clock.now())
        guard case .refused(let wait) = state.withLock({ $0.byClient.admit(keys, now: now) }) else { return }
        accounts.counts.refused(by: .address)
        throw ServiceFault(.rateLimited, "too many codes from this address", retryAfter: wait)
    }

    /// It wasn't a wrong one.
    func forgive(client: String) {
        let keys = accounts.keys.digests(ofNetworks: client)
        state.withLock { $0.byClient.giveBack(keys) }
    }

    /// Counts a try for an account.
    func admit(_ user: String) throws(ServiceFault) {
        let (key, now) = (Array(user.utf8), accounts.clock.now())
        let wait = state.withLock { state -> Int64? in
            if let wait = state.byAccount.admit(key, now: now) { return wait }
            guard let wait = state.byAccountDaily.admit(key, now: now) else { return nil }
            state.byAccount.giveBack(key)
            return wait
        }
        guard let wait else { return }
        accounts.counts.refused(by: .factor)
        throw ServiceFault(.rateLimited, "too many codes for this account", retryAfter: wait)
    }

    /// It was right: nothing is held against the account.
    func forget(_ user: String) {
        let key = Array(user.utf8)
        state.withLock { state in
            state.byAccount.forget(key)
            state.byAccountDaily.forget(key)
        }
    }

    /// It wasn't carried out.
    func giveBack(_ user: String) {
        let key = Array(user.utf8)
        state.withLock { state in
            state.byAccount.giveBack(key)
            state.byAccountDaily.giveBack(key)
        }
    }
}
