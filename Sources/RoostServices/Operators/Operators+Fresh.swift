import RoostStore

/// Dangerous acts need an operator at the keyboard: an open laptop must not be enough to suspend people or to delete
/// their messages. The command line is fresh: its token is valid for minutes, and needs the keys of the machine.
extension Operators {
    /// Checks that an operator has signed in, or shown the password, within the last minutes.
    /// - Throws: `sign_in_again`.
    func requireFresh(_ caller: Caller) async throws(ServiceFault) {
        guard let session = caller.session else { return }
        let now = accounts.clock.now()
        guard !fresh.has(session.sid, now: now) else { return }
        let stored = try await accounts.database.read { database throws(LocalFailure) in
            try SessionTable.find(session.sid, database)
        }
        guard let stored, now - stored.created <= accounts.limits.freshSeconds * 1_000 else {
            throw ServiceFault(.signInAgain, "confirm that it is you, or sign in again")
        }
    }

    /// An operator shows the password, and is fresh for some minutes. Guesses count against the account.
    package func confirm(_ caller: Caller, by password: String?) async throws(ServiceFault) {
        guard let session = caller.session else { return }
        let account = try await accounts.account(of: session)
        guard account.email != nil, account.hash != nil else {
            throw ServiceFault(.signInAgain, "this account has no password: sign in again")
        }
        try await accounts.confirm(session, account, by: password)
        let now = accounts.clock.now()
        fresh.note(session.sid, until: now + accounts.limits.freshSeconds * 1_000, now: now)
    }
}
