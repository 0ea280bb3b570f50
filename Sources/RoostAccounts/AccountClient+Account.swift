import RoostWire

extension AccountClient {
    /// The account of the signed-in user.
    public func profile() async throws(AccountFailure) -> AccountProfile {
        try profile(try await askSignedIn("GET", "/v1/account"))
    }

    /// Changes the name, the language of mails, or both.
    /// - Parameter role: for who has none yet, where the operator has named roles; it never changes afterwards.
    @discardableResult
    public func change(
        displayName: String? = nil, language: String? = nil, role: String? = nil
    ) async throws(AccountFailure) -> AccountProfile {
        try profile(
            try await askSignedIn("PATCH", "/v1/account") { writer in
                if let displayName { writer.member("displayName", displayName) }
                if let language { writer.member("language", language) }
                if let role { writer.member("role", role) }
            })
    }

    private func profile(_ answer: AccountAnswer) throws(AccountFailure) -> AccountProfile {
        guard let profile = answer.members.flatMap({ AccountProfile($0) }) else { throw .unexpectedAnswer }
        return profile
    }

    /// All that the services keep of the user, as JSON. Messages, contacts and the profile are the relay's.
    public func export() async throws(AccountFailure) -> [UInt8] {
        try await askSignedIn("GET", "/v1/account/export").body
    }

    /// Deletes the account, and signs out.
    /// - Parameter password: nil for an account without one, whose owner must have signed in within ten minutes unless
    ///   there is no way to sign in again.
    public func deleteAccount(password: String?) async throws(AccountFailure) {
        _ = try await askSignedIn("DELETE", "/v1/account") { writer in
            if let password { writer.member("password", password) }
        }
        try forget(.deleted)
    }

    /// Finds the user with exactly this address, if the operator lets people look others up (`accounts.lookup`).
    /// - Returns: nil if no account with a confirmed address is found, or look-ups are off.
    /// - Throws: `AccountFailure.refused` with `rate_limited` after ten in a minute.
    public func lookUp(email: String) async throws(AccountFailure) -> FoundUser? {
        let answer: AccountAnswer
        do throws(AccountFailure) {
            answer = try await askSignedIn("POST", "/v1/users/lookup") { $0.member("email", email) }
        } catch {
            guard case .refused(let refusal) = error, ["user_not_found", "not_found"].contains(refusal.code) else {
                throw error
            }
            return nil
        }
        guard let members = answer.members, let user = members.string("user") else { throw .unexpectedAnswer }
        return FoundUser(user: user, displayName: members.string("displayName") ?? "")
    }

    // MARK: Passwords

    /// Changes the password, and signs out on all other devices.
    /// - Parameter old: nil to set the first one.
    public func changePassword(from old: String?, to new: String) async throws(AccountFailure) {
        _ = try await askSignedIn("POST", "/v1/password/change") { writer in
            if let old { writer.member("password", old) }
            writer.member("newPassword", new)
        }
    }

    /// Asks for a mail with a link to a new password, if there is such an account; the answer doesn't reveal whether
    /// there is.
    public func forgotPassword(email: String) async throws(AccountFailure) {
        _ = try await ask("POST", "/v1/password/forgot") { $0.member("email", email) }
    }

    /// Chooses a new password by what is behind `#reset=` in the link. All sessions end; sign in anew.
    public func resetPassword(token: String, to new: String) async throws(AccountFailure) {
        _ = try await ask("POST", "/v1/password/reset") { writer in
            writer.member("token", token)
            writer.member("password", new)
        }
    }

    /// Asks for another mail that confirms the signed-in user's address. The one of the sign-up is valid for half an
    /// hour. Refused with `conflict` if the address is confirmed, and with `rate_limited` after five.
    public func sendConfirmation() async throws(AccountFailure) {
        _ = try await askSignedIn("POST", "/v1/account/confirmation")
    }

    /// Confirms an address by what is behind `#verify=` in the link.
    public func verifyEmail(token: String) async throws(AccountFailure) {
        _ = try await ask("POST", "/v1/email/verify") { $0.member("token", token) }
    }
}
