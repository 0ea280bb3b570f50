import RoostWire

extension AccountClient {
    /// The second step of a sign-in.
    /// - Parameters:
    ///   - ticket: what `AccountFailure.factorRequired` had.
    ///   - code: the app's six digits, or a recovery code.
    /// - Throws: `AccountFailure.refused` with `wrong_code`, after which another code may be tried, with
    ///   `rate_limited` after five of these, or with `sign_in_again` if the ticket has ended.
    @discardableResult
    public func signIn(ticket: SignInTicket, code: String) async throws(AccountFailure) -> SignIn {
        try begin(
            try await ask("POST", "/v1/sessions/factor") { writer in
                writer.member("ticket", ticket.secret)
                writer.member("code", code)
                writer.member("device", device)
            })
    }

    /// The second factor of the signed-in user.
    public nonisolated var secondFactor: SecondFactor { SecondFactor(self) }
}

/// The second factor of an account, which its owner turns on and off: codes of an authenticator app (TOTP), and
/// recovery codes. A value.
public struct SecondFactor: Sendable {
    private let client: AccountClient

    init(_ client: AccountClient) { self.client = client }

    /// Whether it is asked for.
    public func state() async throws(AccountFailure) -> SecondFactorState {
        let answer = try await client.askSignedIn("GET", "/v1/account/factor")
        guard let members = answer.members else { throw .unexpectedAnswer }
        return SecondFactorState(members)
    }

    /// Makes its secret. Nothing is asked for before `turnOn(code:)`.
    /// - Parameter password: nil for an account without one, whose owner must have signed in within ten minutes.
    public func offer(password: String?) async throws(AccountFailure) -> SecondFactorOffer {
        let answer = try await client.askSignedIn("POST", "/v1/account/factor") { writer in
            if let password { writer.member("password", password) }
        }
        guard let offer = answer.members.flatMap({ SecondFactorOffer($0) }) else { throw .unexpectedAnswer }
        return offer
    }

    /// Turns it on by its first code, and signs out on all other devices.
    /// - Returns: the recovery codes. Show them now: they can't be read again.
    public func turnOn(code: String) async throws(AccountFailure) -> [String] {
        try SecondFactor.codes(
            try await client.askSignedIn("POST", "/v1/account/factor/confirm") { $0.member("code", code) })
    }

    /// New recovery codes, in place of those that are left.
    public func renewRecoveryCodes(password: String?, code: String) async throws(AccountFailure) -> [String] {
        try SecondFactor.codes(
            try await client.askSignedIn("POST", "/v1/account/factor/codes") { writer in
                if let password { writer.member("password", password) }
                writer.member("code", code)
            })
    }

    /// Turns it off, by the password and a code. Refused with `conflict` to operators who need one.
    public func turnOff(password: String?, code: String) async throws(AccountFailure) {
        _ = try await client.askSignedIn("DELETE", "/v1/account/factor") { writer in
            if let password { writer.member("password", password) }
            writer.member("code", code)
        }
    }

    private static func codes(_ answer: AccountAnswer) throws(AccountFailure) -> [String] {
        let codes = answer.members?.strings("recoveryCodes") ?? []
        guard !codes.isEmpty else { throw .unexpectedAnswer }
        return codes
    }
}
