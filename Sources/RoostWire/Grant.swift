/// The grants of a valid token. The token is checked elsewhere, and the Relay trusts the result.
public struct Grant: Sendable, Equatable {
    /// The user, from `sub`.
    public var user: String
    /// The device, from `device`, if the token fixes it.
    public var device: String?
    /// The sign-in that the token belongs to, from `sid`, if it names one.
    public var signIn: String?
    /// When the token expires, from `exp`.
    public var expires: Timestamp
    /// When the token was issued, from `iat`; `.never` if it doesn't say.
    public var issued: Timestamp
    /// Whether its holder may use the operators' commands: `scope` has the word `admin`.
    public var isOperator: Bool
    /// Whether its holder is a service, which may use those of the operators' commands that services need: `scope` has
    /// the word `service`.
    public var isService: Bool

    /// Creates a grant.
    public init(
        user: String, device: String?, signIn: String? = nil, expires: Timestamp, issued: Timestamp = .never,
        isOperator: Bool = false, isService: Bool = false
    ) {
        self.user = user
        self.device = device
        self.signIn = signIn
        self.expires = expires
        self.issued = issued
        self.isOperator = isOperator
        self.isService = isService
    }
}
