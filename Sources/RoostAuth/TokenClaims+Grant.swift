import RoostWire

extension TokenClaims {
    /// Longest time by which `nbf` may be in the future, since an issuer's clock may be ahead of ours. There is no
    /// leeway for `exp`, so an expired token never opens a session.
    static let notBeforeLeewaySeconds = 30.0
    /// 9999-12-31T23:59:59Z. A later `exp` is a mistake, usually milliseconds instead of seconds, and could overflow
    /// later arithmetic.
    static let expiryMaxSeconds = 253_402_300_799.0
    /// The word in `scope` that lets its holder use the operators' commands.
    static let operatorScope = "admin"
    /// The word that makes its holder a service.
    static let serviceScope = "service"

    /// Checks the claims of a token whose signature is valid.
    func grant(now: Timestamp, audience wanted: String?, issuer trusted: String?) throws(TokenFailure) -> Grant {
        let nowSeconds = Double(now.milliseconds) / 1_000
        guard case .present(let end) = expires, end.isFinite, end <= Self.expiryMaxSeconds else { throw .badExpiry }
        guard end > nowSeconds else { throw .expired }
        switch notBefore {
        case .absent: break
        case .present(let begin) where begin.isFinite:
            guard begin <= nowSeconds + Self.notBeforeLeewaySeconds else { throw .notYetValid }
        case .present, .wrong: throw .badNotBefore
        }
        if let trusted {
            guard case .present(let name) = issuer, name == trusted else { throw .wrongIssuer }
        }
        if let wanted {
            guard case .present(let names) = audience, names.contains(wanted) else { throw .wrongAudience }
        }
        let (isOperator, isService) = (hasScope(Self.operatorScope), hasScope(Self.serviceScope))
        guard case .present(let user) = subject,
            NameRule.allowsUser(user) || (isOperator || isService) && NameRule.allowsProgram(user)
        else { throw .badSubject }
        // `end` is between `now` and the year 9999 here, so its milliseconds fit.
        let expiry = Timestamp(milliseconds: Int64(max(end, 0) * 1_000))
        return Grant(
            user: user, device: try name(device, or: .badDevice), signIn: try name(signIn, or: .badSignIn),
            expires: expiry, issued: issued, isOperator: isOperator, isService: isService)
    }

    private func name(_ claim: Claim<String>, or failure: TokenFailure) throws(TokenFailure) -> String? {
        switch claim {
        case .absent: return nil
        case .present(let name) where NameRule.allowsDevice(name): return name
        case .present, .wrong: throw failure
        }
    }

    /// When it was issued. A time that can't be read counts as the earliest one, so that the token can be revoked.
    private var issued: Timestamp {
        guard case .present(let seconds) = issuedAt, (0...Self.expiryMaxSeconds).contains(seconds) else {
            return .never
        }
        return Timestamp(milliseconds: Int64(seconds * 1_000))
    }

    private func hasScope(_ word: String) -> Bool {
        guard case .present(let words) = scope else { return false }
        return words.split(separator: " ").contains { $0 == word }
    }
}
