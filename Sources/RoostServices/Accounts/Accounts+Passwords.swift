import RoostStore

extension Accounts {
    /// Changes the caller's password, or sets the first one, and ends all other sessions.
    package func changePassword(
        of caller: Caller, from old: String?, to new: String?
    ) async throws(ServiceFault) {
        let new = try settings.rules.newPassword(new, member: "newPassword")
        let account = try await account(of: caller)
        guard account.email != nil else {
            throw ServiceFault(.conflict, "an account without an address has no password")
        }
        try await confirm(caller, account, by: old)
        let hash = try await hashes.hash(new)
        let now = clock.now()
        let isChanged = try await database.write { database throws(LocalFailure) in
            guard try AccountTable.find(user: account.user, database)?.hash == account.hash else { return false }
            try AccountTable.setHash(account.user, hash, database)
            _ = try SessionTable.endAll(account.user, except: caller.sid, now: now, database)
            for purpose in LinkPurpose.waysIn { try LinkTable.deleteAll(account.user, purpose, database) }
            return true
        }
        guard isChanged else { throw ServiceFault(.conflict, "the password was changed meanwhile") }
        wakeRelay()
        await send(.changed, to: account, link: nil)
    }

    /// Gives an account that came by a link an address and a password, so that its owner can sign in elsewhere.
    package func addPassword(
        of caller: Caller, email: String?, password: String?, client: String
    ) async throws(ServiceFault) -> Account {
        let email = try settings.rules.address(email)
        let password = try settings.rules.newPassword(password)
        let account = try await account(of: caller)
        guard account.email == nil else { throw ServiceFault(.conflict, "the account has an address") }
        try await confirm(caller, account, by: nil)
        // The answer reveals whether there is an account, as that of sign-up does.
        try admit(client: client)
        let hash = try await hashes.hash(password)
        let (secret, link) = newLink()
        let (end, keep) = (clock.now() + limits.linkSeconds * 1_000, limits.linksMax)
        let isNew = try await database.write { database throws(LocalFailure) in
            guard try AccountTable.setFirst(email, hash, of: account.user, database) else { return false }
            try LinkTable.insert(link, user: account.user, purpose: .verify, expires: end, keep: keep, database)
            return true
        }
        guard isNew else { throw ServiceFault(.emailTaken, "this address has an account") }
        let changed = try await self.account(of: caller)
        await send(.verify, to: changed, link: address(.verify, secret))
        return changed
    }

    /// Has a link sent to the address, if there is such an account. The answer is the same, and at once.
    package func forgot(email: String?, client: String) throws(ServiceFault) {
        let email = try settings.rules.address(email)
        try admit(client: client)
        try enqueue(Forgotten(address: email))
    }

    func sendReset(to email: String) async throws(ServiceFault) {
        // This comes before a link is made: a new link ends the oldest, and a client that asks again and again doesn't
        // read the mail.
        guard wait(beforeLetter: .reset, to: email) == nil else { return }
        let (secret, hash) = newLink()
        let (expires, keep) = (clock.now() + limits.linkSeconds * 1_000, limits.linksMax)
        let found: Account? = try await database.write { database throws(LocalFailure) in
            let account = try AccountTable.find(email: email, database)
            // For an unknown address the same statements write as much: the client's next request waits for the commit,
            // and its time would reveal which addresses have accounts.
            try LinkTable.insert(
                hash, user: account?.user, purpose: account == nil ? .decoy : .reset, expires: expires, keep: keep,
                database)
            return account
        }
        if let account = found { await send(.reset, to: account, link: address(.reset, secret)) }
    }

    /// Chooses a new password by a link, and ends all sessions.
    package func resetPassword(token: String?, to new: String?) async throws(ServiceFault) {
        let new = try settings.rules.newPassword(new)
        let link = try linkHash(token)
        // This comes before the password is hashed, which any client could cause otherwise.
        let asked = clock.now()
        let isGood = try await database.read { database throws(LocalFailure) in
            try LinkTable.isGood(link, .reset, now: asked, database)
        }
        guard isGood else { throw Accounts.badLink }
        let hash = try await hashes.hash(new)
        let now = clock.now()
        let found: Account? = try await database.write { database throws(LocalFailure) in
            guard let user = try LinkTable.take(link, .reset, now: now, database),
                let account = try AccountTable.find(user: user, database)
            else { return nil }
            // The user of the link reads the mail of this address. Identities linked before that may belong to an
            // attacker who signed up with this address and waits (pre-hijacking).
            try AccountTable.prove(account, hash: hash, now: now, database)
            return account
        }
        guard let account = found else { throw Accounts.badLink }
        if let email = account.email { forgive(.stranger(email: email)) }
        wakeRelay()
        if !account.isProven { try await database.forget() }
        await send(.changed, to: account, link: nil)
    }

    /// Sends the caller another mail with a link that confirms the address: the one of the sign-up ends after half an
    /// hour. It needs a signed-in session, so it doesn't reveal which addresses have accounts.
    package func sendConfirmation(of caller: Caller) async throws(ServiceFault) {
        let account = try await account(of: caller)
        guard let email = account.email else { throw ServiceFault(.conflict, "the account has no address") }
        guard !account.isVerified else { throw ServiceFault(.conflict, "the address is confirmed") }
        // Before a link is made: the oldest ends by it.
        if let wait = wait(beforeLetter: .verify, to: email) {
            throw ServiceFault(.rateLimited, "too many letters to this address", retryAfter: wait)
        }
        let (secret, hash) = newLink()
        let (expires, keep) = (clock.now() + limits.linkSeconds * 1_000, limits.linksMax)
        try await database.write { database throws(LocalFailure) in
            // The account may have been deleted meanwhile.
            guard try AccountTable.find(user: account.user, database)?.email == email else { return }
            try LinkTable.insert(hash, user: account.user, purpose: .verify, expires: expires, keep: keep, database)
        }
        await mail.send(
            Letter(
                to: email, purpose: .verify, link: address(.verify, secret), language: account.language,
                displayName: account.name))
    }

    /// Confirms an address by a link.
    package func verifyEmail(token: String?) async throws(ServiceFault) {
        let link = try linkHash(token)
        let now = clock.now()
        let isGood = try await database.write { database throws(LocalFailure) in
            guard let user = try LinkTable.take(link, .verify, now: now, database) else { return false }
            try AccountTable.verify(user, database)
            try LinkTable.deleteAll(user, .verify, database)
            return true
        }
        guard isGood else { throw Accounts.badLink }
    }

    private func linkHash(_ token: String?) throws(ServiceFault) -> [UInt8] {
        guard let token else { throw .invalid("token", "is required") }
        return RefreshToken.hash(token)
    }

    static let badLink = ServiceFault(.badLink, "the link was used before, or is too old")
}
