/// Why a token was not accepted. It contains nothing from the token, so it may be logged and sent to the client.
public enum TokenFailure: Error, Sendable, Equatable, CaseIterable {
    case tooLarge, malformed, unacceptedAlgorithm, unknownKey, unsupportedExtension, badSignature
    case expired, notYetValid, badExpiry, badNotBefore
    case badSubject, badDevice, badSignIn, wrongAudience, wrongIssuer

    /// A few words for the developer who made the token.
    public var reason: StaticString {
        switch self {
        case .tooLarge: "the token is too large"
        case .malformed: "the token is not a JWT of three base64url parts that contain JSON objects"
        case .unacceptedAlgorithm: "this relay has no key for the token's alg"
        case .unknownKey: "this relay has no key with the token's kid"
        case .unsupportedExtension: "the token's crit names an extension that this relay doesn't know"
        case .badSignature: "the token's signature doesn't match"
        case .expired: "the token has expired"
        case .notYetValid: "the token's nbf is in the future"
        case .badExpiry: "the token's exp is required and must be a number of seconds since 1970"
        case .badNotBefore: "the token's nbf must be a number of seconds since 1970"
        case .badSubject: "the token's sub is required and must be a valid user name"
        case .badDevice: "the token's device must be a valid device name"
        case .badSignIn: "the token's sid must be a string with the form of a device name"
        case .wrongAudience: "the token's aud doesn't name this relay"
        case .wrongIssuer: "the token's iss is not the issuer that this relay trusts"
        }
    }
}
