import RoostStore

extension Accounts {
    /// Signs in by a link of the owner's, or of a friend's. A visitor without an account gets one, without an address
    /// and a password, and has to give a name; the link stays valid if the name is missing. A second factor is asked
    /// for here, too: links go by mail and by chat.
    /// - Throws: `factorRequired`, with a ticket for the second step.
    package func enter(
        by link: String?, _ application: Application, client: String
    ) async throws(ServiceFault) -> Tokens {
        guard let link else { throw .invalid("token", "is required") }
        let hash = RefreshToken.hash(link)
        let device = try settings.rules.device(application.device)
        let language = try settings.rules.language(application.language)
        try admit(client: client)
        let (purpose, owner) = try await found(hash)
        forgive(client: client)
        var account: Account
        if let owner {
            account = owner
        } else {
            account = Account(
                user: RandomName.user(), name: try settings.rules.name(application.displayName), language: language,
                created: clock.now())
            account.isOperator = purpose == .owner
            // The owner of the server has none of the roles that others choose from.
            if purpose == .friend { account.role = try settings.rules.role(application.role) }
        }
        let (session, tokens) = try begin(account, device: device)
        let (made, now, ticket) = (account, clock.now(), FactorTicket(limits, now: clock.now()))
        typealias Outcome = Result<SignInStep, ServiceFault>
        let outcome: Outcome = try await database.write { database throws(LocalFailure) in
            // Another person may have used another link of the owner's meanwhile.
            let first = purpose == .owner ? try AccountTable.owner(database) : nil
            // The link is still good when there is room again.
            if purpose == .friend, try !room.hasRoom(database) { return .failure(.full) }
            if purpose == .entry {
                guard try LinkTable.take(hash, purpose, now: now, database) == owner?.user else {
                    return .failure(Accounts.badLink)
                }
            } else {
                guard first?.user == owner?.user, try LinkTable.take(hash, purpose, ofNobody: now, database) else {
                    return .failure(Accounts.badLink)
                }
            }
            if owner == nil { _ = try room.insert(made, database) }
            if purpose == .friend { try IntroductionTable.insert(made.user, database) }
            return .success(try letIn(session, tokens, or: ticket, database))
        }
        wakeRelay()
        return try outcome.get().tokens()
    }

    /// The purpose of a link, and the account that it opens if there is one.
    private func found(_ hash: [UInt8]) async throws(ServiceFault) -> (purpose: LinkPurpose, owner: Account?) {
        let now = clock.now()
        let found: (LinkPurpose, Account?)? = try await database.read { database throws(LocalFailure) in
            if try LinkTable.isGood(hash, .owner, now: now, database) {
                return (.owner, try AccountTable.owner(database))
            }
            if let user = try LinkTable.user(hash, .entry, now: now, database) {
                return try AccountTable.find(user: user, database).map { (.entry, $0) }
            }
            return try LinkTable.isGood(hash, .friend, now: now, database) ? (.friend, nil) : nil
        }
        guard let found else { throw Accounts.badLink }
        return found
    }
}
