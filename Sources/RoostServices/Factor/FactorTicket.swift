import RoostStore

/// The credential for the second step, after the first proof, such as the password, of an account with a second factor:
/// it is valid for one sign-in by a code, and for nothing else. Its hash is kept as that of a link, so that it ends
/// with its account's password. A value.
package struct FactorTicket: Sendable, Equatable {
    /// The secret: its holder may try codes.
    let secret: String
    let hash: [UInt8]
    /// Milliseconds since 1970.
    package let expires: Int64

    init(_ limits: ServicesLimits, now: Int64) {
        (secret, hash) = Link.make()
        expires = now + limits.ticketSeconds * 1_000
    }
}

/// The result of a step of a sign-in.
enum SignInStep: Sendable {
    case begun(Accounts.Tokens)
    /// There is a second step.
    case halfway(FactorTicket)

    /// The tokens.
    /// - Throws: `factorRequired`, with the ticket.
    func tokens() throws(ServiceFault) -> Accounts.Tokens {
        switch self {
        case .begun(let tokens): return tokens
        case .halfway(let ticket): throw .factorRequired(ticket)
        }
    }
}

extension Accounts {
    /// Begins a session, whatever its owner signed in by, unless the account has a second factor: then it keeps a
    /// ticket, and there is no session before the code. Every way in but a new account goes through here.
    func letIn(
        _ session: Session, _ tokens: Tokens, or ticket: FactorTicket, _ database: LocalDatabase
    ) throws(LocalFailure) -> SignInStep {
        guard try FactorTable.isOn(session.user, database) else {
            try SessionTable.insert(session, keep: limits.sessionsMax, database)
            return .begun(tokens)
        }
        try LinkTable.insert(
            ticket.hash, user: session.user, purpose: .factor, expires: ticket.expires, keep: limits.ticketsMax,
            database)
        return .halfway(ticket)
    }
}

extension Accounts.Settings {
    /// Whether an account is an operator's at this moment: one without a second factor isn't, where that is required.
    func isOperator(_ account: Account) -> Bool {
        account.isOperator && (account.hasFactor || !operatorsNeedFactor)
    }
}
