import Logging
import RoostStore

/// Maps identities elsewhere to accounts: it joins `OpenID`, which verifies them, and `Accounts`. Any thread may use
/// it.
package struct Identities: Sendable {
    let accounts: Accounts
    let openID: OpenID
    let seal: GrantSeal

    init(accounts: Accounts, openID: OpenID) {
        self.accounts = accounts
        self.openID = openID
        seal = GrantSeal(accounts.keys.secret)
    }

    /// A page's or an app's proof of an identity elsewhere.
    package enum Proof: Sendable {
        /// The code that the page was sent back with, and the secret that it began with.
        case code(String?, verifier: String?)
        /// The token that a provider's library gave to an app.
        case token(provider: String?, String?, nonce: String?, code: String?)
    }

    // MARK: Signing in

    /// Signs a user in. A new identity makes an account without a password, or is linked to the account with the same
    /// address, if both sides have verified the address.
    /// - Parameter application: the fields of a new account; its address and password aren't read.
    func signIn(
        by proof: Proof, _ application: Accounts.Application, client: String
    ) async throws(ServiceFault) -> Accounts.Tokens {
        let device = try accounts.settings.rules.device(application.device)
        // A code began with a request that was counted.
        if case .token = proof { try accounts.admit(client: client) }
        // A second step isn't a failure: the code is used up.
        let step = try await withIdentity(proof) { (proven) throws(ServiceFault) in
            try await enter(proven, application, device: device)
        }
        // Attempts counted here, or when the browser began.
        accounts.forgive(client: client)
        accounts.wakeRelay()
        return try step.tokens()
    }

    private func withIdentity<Result: Sendable>(
        _ proof: Proof, _ body: (ProvenIdentity) async throws(ServiceFault) -> Result
    ) async throws(ServiceFault) -> Result {
        switch proof {
        case .code(let code, let verifier): return try await openID.redeem(code, verifier: verifier, body)
        case .token(let provider, let token, let nonce, let code):
            return try await body(try await openID.prove(provider, token: token, nonce: nonce, code: code))
        }
    }

    /// The match for an identity, or for its address.
    private enum Found: Sendable {
        case known(Account, LinkedIdentity)
        /// An account that has the address.
        case namesake(Account)
        case nobody
    }

    private func enter(
        _ proven: ProvenIdentity, _ application: Accounts.Application, device: String
    ) async throws(ServiceFault) -> SignInStep {
        let identity = proven.identity
        let email = identity.email.flatMap { try? accounts.settings.rules.address($0) }
        let found: Found = try await accounts.database.read { database throws(LocalFailure) in
            if let linked = try IdentityTable.find(identity.issuer, identity.subject, database),
                let account = try AccountTable.find(user: linked.user, database)
            {
                return .known(account, linked)
            }
            guard let email, let account = try AccountTable.find(email: email, database) else { return .nobody }
            return .namesake(account)
        }
        switch found {
        case .known(let account, let linked):
            return try await begin(account, linked, .known, proven, device: device)
        case .namesake(let account):
            // Otherwise an attacker who signed up first with a victim's address would be in the victim's account; and
            // so would one who gives a provider an address that it doesn't check.
            guard identity.isEmailVerified, account.isVerified else {
                throw ServiceFault(
                    .emailTaken, "this address has an account; sign in to it, and link the identity there")
            }
            return try await begin(account, new(identity, account.user), .joining, proven, device: device)
        case .nobody:
            let account = try account(identity, email: identity.isEmailVerified ? email : nil, application)
            return try await begin(account, new(identity, account.user), .new, proven, device: device)
        }
    }

    private func new(_ identity: Identity, _ user: String) -> LinkedIdentity {
        LinkedIdentity(
            id: RandomName.session(), issuer: identity.issuer, subject: identity.subject, user: user,
            created: accounts.clock.now())
    }

    /// - Parameter email: nil unless the issuer has seen that it is theirs.
    private func account(
        _ identity: Identity, email: String?, _ application: Accounts.Application
    ) throws(ServiceFault) -> Account {
        let rules = accounts.settings.rules
        // A provider may allow names that we don't; then the person is asked, as if there were none.
        return Account(
            user: RandomName.user(), email: email, name: try rules.name(application.displayName ?? identity.name),
            role: try rules.role(application.role), language: try rules.language(application.language),
            isVerified: email != nil, isProven: email != nil, created: accounts.clock.now())
    }

    /// The outcome of a transaction.
    private enum Outcome: Sendable {
        case known, linked, raced, tooMany, full
    }

    /// The relation of an identity to the account that it signs in to.
    private enum Relation: Sendable {
        case known, new
        /// It has the account's address, which both sides have seen.
        case joining
    }

    /// Begins a session, and keeps what is new. An identity that joins an account by its address belongs to the reader
    /// of that mail; the account may belong to another person, who signed up with the address and had it confirmed. So
    /// all other ways in end, unless they were chosen by a mail to the same address, or by another such sign-in.
    private func begin(
        _ account: Account, _ linked: LinkedIdentity, _ relation: Relation, _ proven: ProvenIdentity, device: String
    ) async throws(ServiceFault) -> SignInStep {
        // It refuses those who are suspended, before a provider is asked for them.
        let (session, tokens) = try accounts.begin(account, device: device)
        let grant = try await grant(of: proven)
        let most = openID.settings.bounds.identitiesMax
        let now = accounts.clock.now()
        let ticket = FactorTicket(accounts.limits, now: now)
        typealias Begun = (outcome: Outcome, step: SignInStep?)
        let (begun, tookOver): (Begun, Bool) = try await accounts.database.write { database throws(LocalFailure) in
            // Another request may have done the same, or deleted the account, while a provider was asked. Nothing is
            // written before all is known.
            let known = try IdentityTable.find(linked.issuer, linked.subject, database)
            guard known == nil || known?.user == account.user else { return ((.raced, nil), false) }
            var takesOver = false
            if relation == .new {
                switch try accounts.room.insert(account, database) {
                case .made: break
                case .addressTaken: return ((.raced, nil), false)
                case .full: return ((.full, nil), false)
                }
            } else {
                guard let found = try AccountTable.find(user: account.user, database),
                    found.isVerified || !account.isVerified
                else { return ((.raced, nil), false) }
                takesOver = relation == .joining && !found.isProven
                if takesOver { try AccountTable.prove(found, hash: nil, now: now, database) }
            }
            let count = try IdentityTable.all(account.user, database).count
            guard known != nil || count < most else { return ((.tooMany, nil), false) }
            if known == nil { _ = try IdentityTable.insert(linked, database) }
            if let grant { try IdentityTable.setGrant((known ?? linked).id, grant, database) }
            let step = try accounts.letIn(session, tokens, or: ticket, database)
            return ((known == nil ? .linked : .known, step), takesOver)
        }
        try check(begun.outcome)
        guard let step = begun.step else { throw ServiceFault(.internalError, "the sign-in didn't begin") }
        if tookOver { try await accounts.database.forget() }
        if case .linked = begun.outcome, relation != .new { await tell(account, tookOver ? .joined : .linked) }
        return step
    }

    private func check(_ outcome: Outcome) throws(ServiceFault) {
        switch outcome {
        case .known, .linked: return
        case .raced: throw ServiceFault(.conflict, "the account was changed meanwhile")
        case .full: throw .full
        case .tooMany:
            throw ServiceFault(.conflict, "an account has \(openID.settings.bounds.identitiesMax) identities")
        }
    }

    /// Warns the reader of the account's mail that there is another way in.
    private func tell(_ account: Account, _ purpose: Letter.Purpose = .linked) async {
        await accounts.send(purpose, to: account, link: nil)
    }

    private func grant(of proven: ProvenIdentity) async throws(ServiceFault) -> SealedGrant? {
        guard let token = try await openID.refreshToken(of: proven) else { return nil }
        return try seal.sealed(token, issuer: proven.identity.issuer, client: proven.identity.client)
    }

    // MARK: The caller's identities

    /// The identities that the caller may sign in by.
    func all(of caller: Accounts.Caller) async throws(ServiceFault) -> [LinkedIdentity] {
        try await accounts.database.read { database throws(LocalFailure) in
            try IdentityTable.all(caller.user, database)
        }
    }

    /// Lets the caller sign in by another identity. The password keeps the finder of an unlocked phone from adding a
    /// way in.
    func link(
        _ proof: Proof, to caller: Accounts.Caller, password: String?, client: String
    ) async throws(ServiceFault) -> LinkedIdentity {
        if case .token = proof { try accounts.admit(client: client) }
        let account = try await accounts.account(of: caller)
        try await accounts.confirm(caller, account, by: password)
        return try await withIdentity(proof) { (proven) throws(ServiceFault) in
            let linked = new(proven.identity, account.user)
            let grant = try await grant(of: proven)
            let most = openID.settings.bounds.identitiesMax
            let kept: (Outcome, LinkedIdentity?) = try await accounts.database.write { database throws(LocalFailure) in
                guard try AccountTable.find(user: account.user, database) != nil else { return (.raced, nil) }
                let known = try IdentityTable.find(linked.issuer, linked.subject, database)
                if let known, known.user != account.user { return (.known, nil) }
                let count = try IdentityTable.all(account.user, database).count
                guard known != nil || count < most else { return (.tooMany, nil) }
                let kept = known ?? linked
                if known == nil { _ = try IdentityTable.insert(kept, database) }
                if let grant { try IdentityTable.setGrant(kept.id, grant, database) }
                return (known == nil ? .linked : .known, kept)
            }
            try check(kept.0)
            guard let found = kept.1 else { throw ServiceFault(.identityTaken, "this identity has another account") }
            if case .linked = kept.0 { await tell(account) }
            if case .token = proof { accounts.forgive(client: client) }
            return found
        }
    }

    /// The outcome of unlinking.
    private enum Unlinked: Sendable {
        case done, unknown, isLast
    }

    /// No longer lets the caller sign in by an identity, unless there is no other way in.
    func unlink(_ id: String?, of caller: Accounts.Caller) async throws(ServiceFault) {
        let outcome: Unlinked = try await accounts.database.write { database throws(LocalFailure) in
            let all = try IdentityTable.all(caller.user, database)
            guard let one = all.first(where: { $0.id == id }) else { return .unknown }
            let hasPassword = try AccountTable.find(user: caller.user, database)?.hash != nil
            guard all.count > 1 || hasPassword else { return .isLast }
            try IdentityTable.delete(one.id, database)
            return .done
        }
        switch outcome {
        case .done: break
        case .unknown: throw ServiceFault(.notFound, "there is no such identity")
        case .isLast: throw ServiceFault(.lastWayIn, "choose a password first; there would be no way in")
        }
        accounts.wakeRelay()
        try await accounts.database.forget()
    }
}
