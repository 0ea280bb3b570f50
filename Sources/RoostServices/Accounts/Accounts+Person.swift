import Logging
import RoostStore
import RoostWire

extension Accounts {
    /// The caller's account.
    package func account(of caller: Caller) async throws(ServiceFault) -> Account {
        let found = try await database.read { database throws(LocalFailure) in
            try AccountTable.find(user: caller.user, database)
        }
        guard let account = found else { throw .unauthorized }
        return account
    }

    /// Changes what the caller may change.
    /// - Parameter role: for who has none yet: signed up before the operator named roles, or came by an import or as
    ///   the owner.
    package func change(
        of caller: Caller, name: String?, language: String?, role: String? = nil
    ) async throws(ServiceFault) -> Account {
        if role != nil, try await account(of: caller).role != nil { throw Accounts.roleIsForEver }
        let name = try name.map { (text) throws(ServiceFault) in try settings.rules.name(text) }
        let language = try language.map { (tag) throws(ServiceFault) in try settings.rules.language(tag) }
        let chosen = try role.flatMap { (text) throws(ServiceFault) in try settings.rules.role(text) }
        let isChanged = try await database.write { database throws(LocalFailure) in
            // Nothing is changed if another request has chosen meanwhile.
            if let chosen, try !AccountTable.chooseRole(caller.user, chosen, database) { return false }
            if let name { try AccountTable.rename(caller.user, name, database) }
            if let language { try AccountTable.setLanguage(caller.user, language, database) }
            return true
        }
        guard isChanged else { throw Accounts.roleIsForEver }
        if name != nil || chosen != nil { wakeRelay() }
        return try await account(of: caller)
    }

    private static let roleIsForEver = ServiceFault(.roleImmutable, "a role is for ever")

    /// Deletes the caller's account and everything that is kept of it. Only the random id remains, in the relay.
    package func erase(_ caller: Caller, password: String?) async throws(ServiceFault) {
        let account = try await account(of: caller)
        try await confirm(caller, account, by: password)
        try await remove(account)
    }

    /// Deletes an account as its owner would.
    /// - Parameter note: what else belongs into the same transaction.
    func remove(
        _ account: Account, note: @Sendable (LocalDatabase) throws(LocalFailure) -> Void = { _ in }
    ) async throws(ServiceFault) {
        let now = clock.now()
        // No token of this user is issued after this.
        let until = now + familyRules.accessLife
        let erasesMessages = settings.erasesMessages
        let isErased = try await database.write { database throws(LocalFailure) in
            guard try AccountTable.find(user: account.user, database)?.hash == account.hash else { return false }
            let last = try SessionTable.all(account.user, database).map(\.accessUntil).max() ?? until
            try AccountTable.delete(account.user, database)
            // They name devices, and the one that follows says more.
            try RevocationTable.deleteDevices(of: account.user, database)
            try RevocationTable.insert(Revocation(user: account.user, until: max(last, until)), now: now, database)
            if erasesMessages { try ErasureQueue.add(account.user, database) }
            try note(database)
            return true
        }
        guard isErased else { throw ServiceFault(.conflict, "the password was changed meanwhile") }
        room.free()
        if let email = account.email { forgive(.stranger(email: email)) }
        wakeRelay()
        try await database.forget()
        log.notice("an account was deleted", metadata: ["user": "\(account.user)"])
    }

    /// Everything that this process keeps of the caller, as JSON: no messages, which the relay has.
    package func export(_ caller: Caller) async throws(ServiceFault) -> [UInt8] {
        let account = try await account(of: caller)
        let most = limits.exportedAudit
        let (sessions, links, identities, audit) = try await database.read { database throws(LocalFailure) in
            (
                try SessionTable.all(caller.user, database), try LinkTable.all(caller.user, database),
                try IdentityTable.all(caller.user, database),
                try AuditTable.page(of: caller.user, before: nil, limit: most, database)
            )
        }
        let (factor, codes) = try await database.read { database throws(LocalFailure) in
            (try FactorTable.find(caller.user, database), try FactorTable.codes(caller.user, database))
        }
        return JSONWriter.object { writer in
            writer.beginObject("account")
            account.write(to: writer)
            writer.member("suspended", account.isSuspended)
            writer.member("operator", account.isOperator)
            writer.endObject()
            // The operator's name is left out: it is another person's.
            writer.objects("audit", audit) { row in
                writer.member("time", row.time)
                writer.member("act", row.entry.act.rawValue)
                if let detail = row.entry.detail { writer.member("detail", detail) }
            }
            writer.objects("sessions", sessions) { $0.write(to: writer, isCurrent: $0.sid == caller.sid) }
            writer.objects("links", links) { $0.write(to: writer) }
            writer.objects("identities", identities) { $0.write(to: writer, hasSubject: true) }
            guard let factor else { return }
            writer.beginObject("factor")
            writer.member("created", factor.created)
            if factor.since > 0 { writer.member("since", factor.since) }
            writer.member("recoveryCodes", Int64(codes))
            writer.endObject()
        }
    }
}

extension Account {
    /// Writes the members for its owner.
    func write(to writer: JSONWriter) {
        writer.member("user", user)
        if let email { writer.member("email", email) }
        writer.member("displayName", name)
        if let role { writer.member("role", role) }
        if let tier { writer.member("tier", tier) }
        writer.member("language", language)
        writer.member("verified", isVerified)
        writer.member("hasPassword", hash != nil)
        writer.member("hasFactor", hasFactor)
        writer.member("created", created)
    }
}

extension LinkTable.Row {
    /// Writes the members for its owner and operators.
    func write(to writer: JSONWriter) {
        writer.member("purpose", purpose)
        writer.member("expires", expires)
    }
}

extension LinkedIdentity {
    /// Writes the members for its owner and, without the subject, for operators.
    func write(to writer: JSONWriter, hasSubject: Bool) {
        writer.member("issuer", issuer)
        if hasSubject { writer.member("subject", subject) }
        writer.member("created", created)
    }
}

extension Session {
    /// Writes the members for its owner.
    func write(to writer: JSONWriter, isCurrent: Bool) {
        writer.member("session", sid)
        writer.member("device", device)
        writer.member("created", created)
        writer.member("used", used)
        writer.member("expires", expires)
        if isCurrent { writer.member("current", true) }
    }
}
