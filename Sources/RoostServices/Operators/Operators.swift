import Foundation
import Logging
import RoostStore

/// Operators' acts on accounts. Each is in the audit log, in the same transaction, and in the process's log. It knows
/// no HTTP. A value.
package struct Operators: Sendable {
    /// The operator who asks.
    package struct Caller: Sendable, Equatable {
        /// The user id of an account, or the name given to the command line, behind an `@`, which no id has.
        package var name: String
        /// Whether the operator has an account.
        package var hasAccount: Bool
        /// The session of an operator with an account.
        var session: Accounts.Caller?

        /// Creates a caller.
        package init(name: String, hasAccount: Bool) { (self.name, self.hasAccount) = (name, hasAccount) }
    }

    let accounts: Accounts
    let fresh = FreshSessions()

    /// Operators of these accounts.
    package init(_ accounts: Accounts) { self.accounts = accounts }

    private var now: Int64 { accounts.clock.now() }
    private var database: ServicesDatabase { accounts.database }

    /// The caller with this token: a signed-in user who is an operator at this moment, or the command line.
    package func caller(_ token: String?) async throws(ServiceFault) -> Caller {
        if let token, let name = OperatorToken.name(of: token, by: accounts.keys, now: accounts.clock.seconds) {
            return Caller(name: name, hasAccount: false)
        }
        // The token's own words count for nothing: the operator may have been dismissed since.
        let caller = try await accounts.caller(token)
        let account = try await accounts.account(of: caller)
        guard account.isOperator else { throw ServiceFault(.forbidden, "this is for operators") }
        guard accounts.settings.isOperator(account) else {
            throw ServiceFault(.factorMissing, "operators need a second factor here (accounts.operator_factor)")
        }
        var asking = Caller(name: caller.user, hasAccount: true)
        asking.session = caller
        return asking
    }

    // MARK: Looking

    /// Everything that is kept of a person, but for secrets.
    package struct Person: Sendable {
        var account: Account
        var sessions: [Session] = []
        /// The identities that the user may sign in by.
        var identities: [LinkedIdentity] = []
        /// Links sent to the user that are still valid.
        var links: [LinkTable.Row] = []
    }

    /// Shows an account with its sessions.
    package func show(_ user: String, to caller: Caller) async throws(ServiceFault) -> Person {
        let (now, keep) = (now, accounts.limits.auditRows)
        let found: Person? = try await database.write { database throws(LocalFailure) in
            guard let account = try AccountTable.find(user: user, database) else { return nil }
            try AuditTable.insert(
                AuditEntry(actor: caller.name, act: .show, user: user), now: now, keep: keep, database)
            // Those of a suspended account have ended.
            let sessions = account.isSuspended ? [] : try SessionTable.all(user, database)
            return Person(
                account: account, sessions: sessions.filter { $0.expires > now },
                identities: try IdentityTable.all(user, database),
                links: try LinkTable.all(user, database).filter { $0.expires > now })
        }
        guard let person = found else { throw Operators.unknown }
        return person
    }

    /// Accounts that were found.
    package struct Page: Sendable, Equatable {
        package var accounts: [Account]
        /// Where the next page begins; nil if this is the last.
        package var next: AccountCursor?
    }

    /// The account of exactly this address.
    package func find(address: String, by caller: Caller) async throws(ServiceFault) -> Page {
        let email = try accounts.settings.rules.address(address)
        try await note(AuditEntry(actor: caller.name, act: .find))
        let found = try await database.read { database throws(LocalFailure) in
            try AccountTable.find(email: email, database)
        }
        return Page(accounts: found.map { [$0] } ?? [])
    }

    /// Accounts whose address begins so, in their order, and then those whose name does. A page reads no more accounts
    /// than it may have, so it may be short although there are more.
    package func find(
        prefix: String, after cursor: AccountCursor?, limit: Int, by caller: Caller
    ) async throws(ServiceFault) -> Page {
        guard prefix.utf8.count <= accounts.limits.nameBytes else {
            throw .invalid("prefix", "must have at most \(accounts.limits.nameBytes) bytes")
        }
        if cursor == nil { try await note(AuditEntry(actor: caller.name, act: .find)) }
        let address = prefix.lowercased().precomposedStringWithCanonicalMapping
        return try await database.read { database throws(LocalFailure) in
            guard case .name(let name, let user) = cursor else {
                var last: String?
                if case .address(let email) = cursor { last = email }
                let found = try AccountTable.list(address: address, after: last, limit: limit, database)
                let next = found.count < limit ? nil : found.last?.email.map { AccountCursor.address($0) }
                return Page(accounts: found, next: next ?? .name("", user: ""))
            }
            let found = try AccountTable.list(name: prefix, after: (name, user), limit: limit, database)
            let next = found.count < limit ? nil : found.last.map { AccountCursor.name($0.name, user: $0.user) }
            // The matches by address were in the earlier pages.
            return Page(accounts: found.filter { !($0.email?.hasPrefix(address) ?? false) }, next: next)
        }
    }

    /// Writes an entry about what isn't in this database.
    func note(_ entry: AuditEntry) async throws(ServiceFault) {
        let (now, keep) = (now, accounts.limits.auditRows)
        try await database.write { database throws(LocalFailure) in
            try AuditTable.insert(entry, now: now, keep: keep, database)
        }
    }

    /// Operators' acts, the newest first.
    func audit(of user: String?, before: Int64?, limit: Int) async throws(ServiceFault) -> [AuditTable.Row] {
        try await database.read { database throws(LocalFailure) in
            try AuditTable.page(of: user, before: before, limit: limit, database)
        }
    }

    /// The mails that wait because there is no mail server.
    func letters(by caller: Caller) async throws(ServiceFault) -> [HeldMail.Held] {
        try await note(AuditEntry(actor: caller.name, act: .letters))
        return accounts.mail.held()
    }

    // MARK: Changing

    private static let unknown = ServiceFault(.userNotFound, "there is no such user")

    /// Changes an account and writes the entry, all or nothing. Returns the account as it is now.
    private func act(
        _ act: AuditEntry.Act, on user: String, by caller: Caller, detail: String? = nil,
        _ change: @Sendable (_ now: Int64, LocalDatabase) throws(LocalFailure) -> Void
    ) async throws(ServiceFault) -> Account {
        let (now, keep) = (now, accounts.limits.auditRows)
        let entry = AuditEntry(actor: caller.name, act: act, user: user, detail: detail)
        let found: Account? = try await database.write { database throws(LocalFailure) in
            guard try AccountTable.find(user: user, database) != nil else { return nil }
            try change(now, database)
            try AuditTable.insert(entry, now: now, keep: keep, database)
            return try AccountTable.find(user: user, database)
        }
        guard let account = found else { throw Operators.unknown }
        tell(entry)
        accounts.wakeRelay()
        return account
    }

    private func tell(_ entry: AuditEntry) {
        accounts.log.notice(
            "an operator acted",
            metadata: ["act": "\(entry.act.rawValue)", "user": "\(entry.user ?? "")", "by": "\(entry.actor)"])
    }

    /// An operator can't lock themselves out by a slip; the command line can do everything.
    private func refuseSelf(_ user: String, _ caller: Caller) throws(ServiceFault) {
        guard !caller.hasAccount || caller.name != user else {
            throw ServiceFault(.conflict, "an operator can't do this to their own account")
        }
    }

    /// Gives an account another role, which its owner can't.
    package func setRole(_ role: String, of user: String, by caller: Caller) async throws(ServiceFault) -> Account {
        _ = try accounts.settings.rules.role(role)
        return try await act(.role, on: user, by: caller, detail: role) { _, database throws(LocalFailure) in
            try AccountTable.setRole(user, role, database)
        }
    }

    /// Gives an account another tier; nil for none.
    package func setTier(_ tier: String?, of user: String, by caller: Caller) async throws(ServiceFault) -> Account {
        let word = try tier.map { (text) throws(ServiceFault) in try accounts.settings.rules.tier(text) }
        return try await act(.tier, on: user, by: caller, detail: word) { _, database throws(LocalFailure) in
            try AccountTable.setTier(user, word, database)
        }
    }

    /// Makes a user an operator, or no longer. Tokens that say otherwise are refused from now on.
    package func setOperator(
        _ value: Bool, of user: String, by caller: Caller
    ) async throws(ServiceFault) -> Account {
        try refuseSelf(user, caller)
        try await requireFresh(caller)
        return try await act(value ? .appoint : .dismiss, on: user, by: caller) { now, database throws(LocalFailure) in
            try AccountTable.setOperator(user, since: value ? now : nil, database)
            if !value { _ = try SessionTable.endAll(user, now: now, database) }
        }
    }

    /// Locks a user out until `resume`. Sockets are closed; no password, link or refresh token is accepted.
    package func suspend(
        _ user: String, by caller: Caller, detail: String? = nil
    ) async throws(ServiceFault) -> Account {
        try refuseSelf(user, caller)
        try await requireFresh(caller)
        let life = accounts.familyRules.accessLife
        return try await act(.suspend, on: user, by: caller, detail: detail) { now, database throws(LocalFailure) in
            try AccountTable.setSuspended(user, true, database)
            try SessionTable.silenceAll(user, now: now, database)
            // With it, the relay ends what the user has invited others by.
            try RevocationTable.insert(Revocation(user: user, until: now + life), now: now, database)
        }
    }

    /// Lifts a suspension. The user has to sign in anew.
    package func resume(_ user: String, by caller: Caller) async throws(ServiceFault) -> Account {
        try await act(.resume, on: user, by: caller) { now, database throws(LocalFailure) in
            // Nothing has ended for those who weren't suspended.
            guard try AccountTable.find(user: user, database)?.isSuspended == true else { return }
            _ = try SessionTable.endAll(user, now: now, database)
            try AccountTable.setSuspended(user, false, database)
            // A relay that was away would end what begins now.
            try RevocationTable.deleteWhole(of: user, database)
        }
    }

    /// Requires the command line, which may read the keys and so can act as any user: an operator's session that was
    /// stolen, or left open, must not open another account.
    private func requireCommandLine(_ caller: Caller) throws(ServiceFault) {
        guard !caller.hasAccount else {
            throw ServiceFault(.forbidden, "only the command line on the machine of the services may do this")
        }
    }

    /// Makes a link to sign in to an existing account. The owner gets a mail, if there is an address.
    package func link(
        of user: String, by caller: Caller
    ) async throws(ServiceFault) -> (address: String, expires: Int64) {
        try requireCommandLine(caller)
        let links = FirstLinks(
            database: database, limits: accounts.limits, clock: accounts.clock, page: accounts.settings.publicURL)
        let made = try await links.entry(of: user, by: caller.name)
        tell(AuditEntry(actor: caller.name, act: .link, user: user))
        let found = try await database.read { database throws(LocalFailure) in
            try AccountTable.find(user: user, database)
        }
        if let found { await accounts.send(.opened, to: found, link: nil) }
        return made
    }

    /// Removes the second factor of a user who has lost the device and the recovery codes. An operator's only by the
    /// command line: another operator could otherwise sign in as that one by making a link.
    package func resetFactor(of user: String, by caller: Caller) async throws(ServiceFault) {
        try refuseSelf(user, caller)
        try await requireFresh(caller)
        let found = try await database.read { database throws(LocalFailure) in
            try AccountTable.find(user: user, database)
        }
        guard let account = found else { throw Operators.unknown }
        if account.isOperator { try requireCommandLine(caller) }
        guard account.hasFactor else { throw ServiceFault(.conflict, "there is no second factor") }
        _ = try await act(.factor, on: user, by: caller) { now, database throws(LocalFailure) in
            try FactorTable.delete(user, database)
            // The relay goes by tokens, which may say that the user is an operator.
            if account.isOperator { _ = try SessionTable.endAll(user, now: now, database) }
        }
        try await database.forget()
        await accounts.send(.unguarded, to: account, link: nil)
    }

    /// Ends all sessions of a user.
    package func endAll(of user: String, by caller: Caller) async throws(ServiceFault) {
        _ = try await act(.revoke, on: user, by: caller) { now, database throws(LocalFailure) in
            _ = try SessionTable.endAll(user, now: now, database)
        }
    }

    /// Ends one session of a user.
    package func end(_ sid: String, by caller: Caller) async throws(ServiceFault) {
        let session = try await database.read { database throws(LocalFailure) in
            try SessionTable.find(sid, database)
        }
        guard let session else { throw ServiceFault(.notFound, "there is no such session") }
        _ = try await act(.revoke, on: session.user, by: caller, detail: sid) { now, database throws(LocalFailure) in
            guard let session = try SessionTable.find(sid, database) else { return }
            try SessionTable.end(session, now: now, database)
        }
    }

    /// Deletes an account, as its owner would.
    package func delete(_ user: String, by caller: Caller) async throws(ServiceFault) {
        try refuseSelf(user, caller)
        try await requireFresh(caller)
        let (now, keep) = (now, accounts.limits.auditRows)
        let found = try await database.read { database throws(LocalFailure) in
            try AccountTable.find(user: user, database)
        }
        guard let account = found else { throw Operators.unknown }
        let entry = AuditEntry(actor: caller.name, act: .delete, user: user)
        try await accounts.remove(account) { database throws(LocalFailure) in
            try AuditTable.insert(entry, now: now, keep: keep, database)
        }
        tell(entry)
    }
}
