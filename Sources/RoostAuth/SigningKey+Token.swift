import JWTKit
import RoostWire

extension SigningKey {
    /// Creates a token for `user` that expires at `expires`; both times are rounded down to whole seconds. `audience`
    /// and `issuer` must be those that the relay requires. A token of an operator has the scope `admin`, that of a
    /// service `service`. Throws `badSubject`, `badDevice`, `badSignIn` or `badExpiry` instead of creating a token that
    /// every relay would refuse.
    public func token(
        user: String,
        device: String? = nil,
        signIn: String? = nil,
        isOperator: Bool = false,
        isService: Bool = false,
        issued: Timestamp = .never,
        expires: Timestamp,
        audience: String? = nil,
        issuer: String? = nil
    ) async throws(TokenFailure) -> String {
        guard NameRule.allowsUser(user) || (isOperator || isService) && NameRule.allowsProgram(user) else {
            throw .badSubject
        }
        if let device, !NameRule.allowsDevice(device) { throw .badDevice }
        if let signIn, !NameRule.allowsDevice(signIn) { throw .badSignIn }
        let seconds = Double(expires.milliseconds / 1_000)
        guard seconds > 0, seconds <= TokenClaims.expiryMaxSeconds else { throw .badExpiry }
        var claims = TokenClaims()
        claims.subject = .present(user)
        if let device { claims.device = .present(device) }
        claims.expires = .present(seconds)
        if let signIn { claims.signIn = .present(signIn) }
        if issued != .never { claims.issuedAt = .present(Double(issued.milliseconds / 1_000)) }
        let words = (isOperator ? [TokenClaims.operatorScope] : []) + (isService ? [TokenClaims.serviceScope] : [])
        if !words.isEmpty { claims.scope = .present(words.joined(separator: " ")) }
        if let audience { claims.audience = .present([audience]) }
        if let issuer { claims.issuer = .present(issuer) }
        do {
            return try await VerificationKey(self).signer().sign(claims)
        } catch {
            // JWTKit has no reason to fail with HS256 and these claims. Its message could contain key material.
            throw .malformed
        }
    }
}
