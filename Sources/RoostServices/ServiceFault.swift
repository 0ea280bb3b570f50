/// Why a request is refused, as the client sees it. It never contains what a person typed.
package struct ServiceFault: Error, Sendable, Equatable {
    /// The word that a program reads.
    package enum Code: String, Sendable, CaseIterable {
        case badRequest = "bad_request"
        case badJSON = "bad_json"
        case unauthorized
        case invalidCredentials = "invalid_credentials"
        case refreshReused = "refresh_reused"
        case signInAgain = "sign_in_again"
        case factorRequired = "factor_required"
        case factorMissing = "factor_missing"
        case wrongCode = "wrong_code"
        case identityRefused = "identity_refused"
        case identityTaken = "identity_taken"
        case lastWayIn = "last_way_in"
        case forbidden
        case suspended
        case notFound = "not_found"
        case userNotFound = "user_not_found"
        case methodNotAllowed = "method_not_allowed"
        case timeout
        case emailTaken = "email_taken"
        case usernameTaken = "username_taken"
        case roleImmutable = "role_immutable"
        case conflict
        case gone
        case badPosition = "bad_position"
        case noRelationship = "no_relationship"
        case blocked
        case tooLarge = "too_large"
        case expectationFailed = "expectation_failed"
        case invalid
        case badLink = "bad_link"
        case rateLimited = "rate_limited"
        case busy
        case full
        case unavailable
        case internalError = "internal"

        /// The status of HTTP (RFC 9110, section 15).
        var status: Int {
            switch self {
            case .badRequest, .badJSON, .badPosition: 400
            case .unauthorized, .invalidCredentials, .refreshReused, .identityRefused, .factorRequired, .wrongCode: 401
            case .signInAgain, .factorMissing, .forbidden, .suspended, .noRelationship, .blocked: 403
            case .notFound, .userNotFound: 404
            case .methodNotAllowed: 405
            case .timeout: 408
            case .emailTaken, .usernameTaken, .roleImmutable, .conflict, .identityTaken, .lastWayIn: 409
            case .gone: 410
            case .tooLarge: 413
            case .expectationFailed: 417
            case .invalid, .badLink: 422
            case .rateLimited: 429
            case .busy, .full, .unavailable: 503
            case .internalError: 500
            }
        }
    }

    package var code: Code
    /// A few words for the developer of the app.
    package var reason: String
    /// The member of the body that is wrong.
    package var member: String?
    /// Seconds to wait for.
    package var retryAfter: Int64?
    /// The methods that the path accepts, for 405.
    package var allow: String?
    /// The ticket for the second step of a sign-in.
    package var ticket: FactorTicket?

    /// A refusal with a reason in plain English.
    package init(_ code: Code, _ reason: String, member: String? = nil, retryAfter: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.member = member
        self.retryAfter = retryAfter
    }

    /// A member of the body is missing or can't be used.
    static func invalid(_ member: String, _ reason: String) -> ServiceFault {
        ServiceFault(.invalid, "\(member) \(reason)", member: member)
    }

    static let unauthorized = ServiceFault(.unauthorized, "a valid access token is required")
    // One answer for every fault in the proof of a provider, or of a client that pretends to have one.
    static let identityRefused = ServiceFault(.identityRefused, "the sign-in with the provider isn't good; begin again")
    static let full = ServiceFault(.full, "this server has as many accounts as its operator wants")
    static let suspended = ServiceFault(.suspended, "an operator has suspended this account")
    // One answer for a code that is wrong, was used before, or is another step's.
    static let wrongCode = ServiceFault(.wrongCode, "the code is wrong, or was used before")

    /// There is a second step.
    static func factorRequired(_ ticket: FactorTicket) -> ServiceFault {
        var fault = ServiceFault(.factorRequired, "the account has a second factor: send the ticket with a code")
        fault.ticket = ticket
        return fault
    }

    // One answer for an unknown address and for a wrong password.
    static let invalidCredentials = ServiceFault(.invalidCredentials, "the address or the password is wrong")
}
