import Logging
import RoostStore

extension Accounts {
    /// The fields of a sign-up.
    package struct Application: Sendable {
        package var email: String?
        package var password: String?
        package var displayName: String?
        package var role: String?
        package var device: String?
        package var language: String?

        /// Nothing is checked yet.
        package init(
            email: String? = nil, password: String? = nil, displayName: String? = nil, role: String? = nil,
            device: String? = nil, language: String? = nil
        ) {
            self.email = email
            self.password = password
            self.displayName = displayName
            self.role = role
            self.device = device
            self.language = language
        }
    }

    /// Makes an account and signs its owner in.
    package func signUp(_ application: Application, client: String) async throws(ServiceFault) -> Tokens {
        let rules = settings.rules
        let email = try rules.address(application.email)
        let password = try rules.newPassword(application.password)
        let name = try rules.name(application.displayName)
        let role = try rules.role(application.role)
        let device = try rules.device(application.device)
        let language = try rules.language(application.language)
        // This is the one answer that says who has an account, so it is the one that is always counted.
        let isAlone = try admit(client: client)
        let account = Account(
            user: RandomName.user(), email: email, name: name, role: role, language: language,
            hash: try await hashes.hash(password, mayUseReserve: isAlone), created: clock.now())
        let (session, tokens) = try begin(account, device: device)
        let (secret, hash) = newLink()
        let (keep, linkEnd) = (limits.sessionsMax, clock.now() + limits.linkSeconds * 1_000)
        let linksMax = limits.linksMax
        let outcome = try await database.write { database throws(LocalFailure) in
            let outcome = try room.insert(account, database)
            guard outcome == .made else { return outcome }
            try SessionTable.insert(session, keep: keep, database)
            try LinkTable.insert(
                hash, user: account.user, purpose: .verify, expires: linkEnd, keep: linksMax, database)
            return outcome
        }
        switch outcome {
        case .made: wakeRelay()
        case .addressTaken: throw ServiceFault(.emailTaken, "this address has an account")
        case .full: throw .full
        }
        await send(.verify, to: account, link: address(.verify, secret))
        return tokens
    }

    /// Signs a user in. Unknown addresses get the same answer as wrong passwords, after the same work. Only a client
    /// with the right password learns that an account is suspended or has a second factor.
    /// - Throws: `factorRequired`, with a ticket for the second step.
    package func signIn(
        email: String?, password: String?, device: String?, client: String
    ) async throws(ServiceFault) -> Tokens {
        let email = try settings.rules.address(email)
        let password = try settings.rules.password(password)
        let device = try settings.rules.device(device)
        let isAlone = try admit(client: client)
        let account = try await database.read { database throws(LocalFailure) in
            try AccountTable.find(email: email, database)
        }
        let renewed = try await check(password, of: account, email: email, mayUseReserve: isAlone)
        guard let account else { throw .invalidCredentials }
        forgive(client: client)
        let (session, tokens) = try begin(account, device: device)
        let ticket = FactorTicket(limits, now: clock.now())
        let step: SignInStep? = try await database.write { database throws(LocalFailure) in
            // The password may have been changed, or the account deleted, while this one was checked.
            guard try AccountTable.find(user: account.user, database)?.hash == account.hash else { return nil }
            if let renewed { try AccountTable.setHash(account.user, renewed, database) }
            return try letIn(session, tokens, or: ticket, database)
        }
        guard let step else { throw .invalidCredentials }
        wakeRelay()
        return try step.tokens()
    }

    /// Exchanges a refresh token for new tokens.
    /// - Parameter key: its client's name for this exchange, under which it may be asked for again.
    package func refresh(_ text: String?, key: String?) async throws(ServiceFault) -> Tokens {
        guard let text else { throw .invalid("refreshToken", "is required") }
        let key = try key.map { (text) throws(ServiceFault) in RefreshToken.hash(try settings.rules.key(text)) }
        let refused = ServiceFault(.unauthorized, "the refresh token isn't good; sign in again")
        guard let old = RefreshToken(reading: text, keys: keys) else { throw refused }
        let (now, rules, ring) = (clock.now(), familyRules, keys)
        typealias Exchange = (outcome: RefreshFamily.Outcome, token: RefreshToken, isOperator: Bool)
        let exchange: Exchange = try await database.write { database throws(LocalFailure) in
            guard let session = try SessionTable.find(old.sid, database),
                let account = try AccountTable.find(user: session.user, database)
            else { return (.expired, old, false) }
            // Its sessions were revoked at the relay when it was suspended. The rows that are left serve this answer.
            guard !account.isSuspended else { return (.suspended, old, false) }
            let newest = old.newest(session.current, most: rules.renewalsMax, ring)
            // The newest token stays the newest if it wasn't this one that came.
            let token = newest.map { $0.age == 0 ? $0.token.next(ring) : $0.token } ?? old
            let outcome = RefreshFamily.take(
                age: newest?.age, key: key, next: token.hash, of: session, now: now, rules: rules)
            switch outcome {
            case .renewed(let renewed): try SessionTable.update(renewed, database)
            case .suspended: break
            case .reused, .expired: try SessionTable.end(session, now: now, database)
            }
            return (outcome, token, settings.isOperator(account))
        }
        switch exchange.outcome {
        case .renewed(let session):
            return try tokens(of: session, refresh: exchange.token, isOperator: exchange.isOperator)
        case .expired: throw refused
        case .suspended: throw .suspended
        case .reused:
            wakeRelay()
            log.notice("a refresh token came a second time, so its session ended", metadata: ["sid": "\(old.sid)"])
            throw ServiceFault(.refreshReused, "this refresh token was used before, so the session has ended")
        }
    }

    func send(_ purpose: Letter.Purpose, to account: Account, link: String?) async {
        guard let email = account.email, purpose != .verify || wait(beforeLetter: purpose, to: email) == nil
        else { return }
        await mail.send(
            Letter(
                to: email, purpose: purpose, link: link, language: account.language, displayName: account.name))
    }
}
