import RoostWire

extension AccountClient {
    /// Makes an account and signs its owner in.
    /// - Parameters:
    ///   - role: where the operator has named roles; it never changes.
    ///   - language: that of mails, such as `de`.
    @discardableResult
    public func signUp(
        email: String, password: String, displayName: String, role: String? = nil, language: String? = nil
    ) async throws(AccountFailure) -> SignIn {
        try begin(
            try await ask("POST", "/v1/accounts") { writer in
                writer.member("email", email)
                writer.member("password", password)
                writer.member("displayName", displayName)
                if let role { writer.member("role", role) }
                if let language { writer.member("language", language) }
                writer.member("device", device)
            })
    }

    /// Signs a user in by address and password.
    /// - Throws: `AccountFailure.factorRequired` if the account has a second factor, as every way to sign in does.
    @discardableResult
    public func signIn(email: String, password: String) async throws(AccountFailure) -> SignIn {
        try begin(
            try await ask("POST", "/v1/sessions") { writer in
                writer.member("email", email)
                writer.member("password", password)
                writer.member("device", device)
            })
    }

    /// Signs a user in, or up, by an identity token that a provider's own library gave to the app.
    /// - Parameters:
    ///   - provider: such as `google` or `apple`.
    ///   - nonce: the secret whose SHA-256, in hexadecimal digits, the library was given.
    ///   - authorizationCode: Apple's, so that its grant ends with the account.
    ///   - displayName: Apple sends it only to the app, and only the first time.
    @discardableResult
    public func signIn(
        provider: String, identityToken: String, nonce: String, authorizationCode: String? = nil,
        displayName: String? = nil, role: String? = nil, language: String? = nil
    ) async throws(AccountFailure) -> SignIn {
        guard AccountClient.isPlain(provider) else { throw AccountClient.badName("provider") }
        return try begin(
            try await ask("POST", "/v1/openid/\(provider)/token") { writer in
                writer.member("identityToken", identityToken)
                writer.member("nonce", nonce)
                if let authorizationCode { writer.member("authorizationCode", authorizationCode) }
                if let displayName { writer.member("displayName", displayName) }
                if let role { writer.member("role", role) }
                if let language { writer.member("language", language) }
                writer.member("device", device)
            })
    }

    // MARK: Signing out

    /// Signs out on this device, also without a network: the tokens are gone when it returns or throws. When it throws
    /// `unreachable`, the services don't know, and the session ends by itself one day.
    public func signOut() async throws(AccountFailure) {
        do throws(AccountFailure) { _ = try await askSignedIn("DELETE", "/v1/sessions/current") } catch {
            // It had ended before, and `signedOut` was reported.
            if error == .signedOut { return }
            try forget(.asked)
            throw error
        }
        try forget(.asked)
    }

    /// Signs out on all devices. When it throws, it hasn't, and this device is still signed in.
    public func signOutEverywhere() async throws(AccountFailure) {
        _ = try await askSignedIn("DELETE", "/v1/sessions")
        try forget(.asked)
    }

    /// Signs out on another device.
    /// - Parameter session: one of `sessions()`.
    public func signOut(session: String) async throws(AccountFailure) {
        guard AccountClient.isPlain(session) else { throw AccountClient.badName("session") }
        _ = try await askSignedIn("DELETE", "/v1/sessions/\(session)")
        if try signedIn()?.session == session { try forget(.asked) }
    }

    /// Where the user is signed in.
    public func sessions() async throws(AccountFailure) -> [AccountSession] {
        let answer = try await askSignedIn("GET", "/v1/sessions")
        guard let sessions = answer.members?.objects("sessions") else { throw .unexpectedAnswer }
        return sessions.compactMap { AccountSession($0) }
    }

    // A part of a path that needs no escaping.
    private static func isPlain(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: false
                }
            }
    }

    private static func badName(_ member: String) -> AccountFailure {
        .refused(AccountRefusal(status: 404, code: "not_found", reason: "there is no such \(member)", member: member))
    }
}
