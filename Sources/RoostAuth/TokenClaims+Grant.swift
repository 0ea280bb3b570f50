import RoostCore
import RoostWire

extension TokenClaims {
    /// Clocks of issuers run apart: a token made this moment elsewhere must not be refused for a second. Nothing is
    /// given on `exp`, so that an expired token never opens a session.
    static let notBeforeLeewaySeconds = 30.0
    /// 9999-12-31T23:59:59Z. A later `exp` is a mistake, mostly milliseconds for seconds, and would not fit later sums.
    static let expiryMaxSeconds = 253_402_300_799.0

    /// Judges the claims of a token whose signature is good.
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
        guard case .present(let user) = subject, NameRule.allowsUser(user) else { throw .badSubject }
        // `end` lies between `now` and the year 9999 here, so its milliseconds fit.
        let expiry = Timestamp(milliseconds: Int64(max(end, 0) * 1_000))
        switch device {
        case .absent: return Grant(user: user, device: nil, expires: expiry)
        case .present(let name) where NameRule.allowsDevice(name):
            return Grant(user: user, device: name, expires: expiry)
        case .present, .wrong: throw .badDevice
        }
    }
}
