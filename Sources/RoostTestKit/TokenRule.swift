import RoostCore
import RoostWire

/// Tokens that need no key, because their text says everything. `alice` is Alice's, `alice/phone` is for one of her
/// devices, `alice#s-1` belongs to a sign-in, `alice+5000` expires 5,000 ms after it is checked, `expired:alice` has
/// expired, `bad` is invalid, `admin:olga` is an operator's, and `service:mill` a service's. All were issued when they
/// are checked.
public enum TokenRule {
    /// Life of a token that doesn't name it, in milliseconds.
    public static let life: Int64 = 3_600_000

    /// Checks a token as `RoostAuth` would.
    public static func check(_ token: String, at now: Timestamp) -> Result<Grant, Refusal> {
        if token == "bad" { return .failure(Refusal(.unauthorized, "the token is not valid")) }
        if token.hasPrefix("expired:") { return .failure(Refusal(.tokenExpired, "the token has expired")) }
        var life = TokenRule.life
        let (isOperator, isService) = (token.hasPrefix("admin:"), token.hasPrefix("service:"))
        var name = token.dropFirst(isOperator ? "admin:".count : isService ? "service:".count : 0)
        if let plus = token.lastIndex(of: "+") {
            life = Int64(token[token.index(after: plus)...]) ?? life
            name = name[..<plus]
        }
        let signIn = name.split(separator: "#", maxSplits: 1)
        let parts = (signIn.first ?? "").split(separator: "/", maxSplits: 1)
        guard let user = parts.first else { return .failure(Refusal(.unauthorized, "the token is not valid")) }
        let expires = Timestamp(milliseconds: now.milliseconds + life)
        return .success(
            Grant(
                user: String(user), device: parts.count > 1 ? String(parts[1]) : nil,
                signIn: signIn.count > 1 ? String(signIn[1]) : nil, expires: expires,
                issued: now, isOperator: isOperator, isService: isService)
        )
    }
}
