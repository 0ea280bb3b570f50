import JWTKit
import RoostWire

extension SigningKey {
    /// Makes a token for `user` that ends at `expires`, rounded down to whole seconds. `audience` and `issuer` are what
    /// the relay that shall take it asks for. Throws `badSubject`, `badDevice` or `badExpiry` rather than make a token
    /// that no relay takes.
    public func token(
        user: String,
        device: String? = nil,
        expires: Timestamp,
        audience: String? = nil,
        issuer: String? = nil
    ) async throws(TokenFailure) -> String {
        guard NameRule.allowsUser(user) else { throw .badSubject }
        if let device, !NameRule.allowsDevice(device) { throw .badDevice }
        let seconds = Double(expires.milliseconds / 1_000)
        guard seconds > 0, seconds <= TokenClaims.expiryMaxSeconds else { throw .badExpiry }
        var claims = TokenClaims()
        claims.subject = .present(user)
        if let device { claims.device = .present(device) }
        claims.expires = .present(seconds)
        if let audience { claims.audience = .present([audience]) }
        if let issuer { claims.issuer = .present(issuer) }
        do {
            return try await VerificationKey(self).signer().sign(claims)
        } catch {
            // HS256 and these claims give JWTKit nothing to fail on; what it says could hold key material.
            throw .malformed
        }
    }
}
