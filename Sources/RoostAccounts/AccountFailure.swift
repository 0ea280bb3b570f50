/// Why the services did not do what they were asked. It never contains a token, a password or an address.
public enum AccountFailure: Error, Sendable, Equatable {
    /// They refused it.
    case refused(AccountRefusal)
    /// The account has a second factor: ask for a code, and sign in by it and this ticket.
    case factorRequired(SignInTicket)
    /// No user is signed in, or the session has ended: show the page to sign in.
    case signedOut
    /// There was no answer. The request may have had an effect.
    case unreachable
    /// The answer isn't what Docs/openapi.yaml says.
    case unexpectedAnswer
    /// The store of the app failed, so that tokens can't be kept or read: one line for the developer.
    case store(String)

    /// Whether the same may work later, without anything else being done.
    public var mayPass: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || refusal.status >= 500
        case .unreachable: true
        case .factorRequired, .signedOut, .unexpectedAnswer, .store: false
        }
    }
}

/// The refusal in an answer of the services (Docs/Accounts.md, "Errors").
public struct AccountRefusal: Sendable, Equatable {
    /// The status of HTTP.
    public var status: Int
    /// The word that a program reads, such as `invalid_credentials` or `email_taken`.
    public var code: String
    /// A few words for the developer.
    public var reason: String
    /// The faulty member of the request, such as `password`.
    public var member: String?
    /// Seconds to wait for.
    public var retryAfter: Int64?

    /// A refusal with these parts.
    public init(status: Int, code: String, reason: String, member: String? = nil, retryAfter: Int64? = nil) {
        self.status = status
        self.code = code
        self.reason = reason
        self.member = member
        self.retryAfter = retryAfter
    }
}
