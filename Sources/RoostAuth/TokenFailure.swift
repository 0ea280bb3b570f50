/// Why a token was not accepted. Nothing in it comes from the token: it may be logged and told to the client.
public enum TokenFailure: Error, Sendable, Equatable, CaseIterable {
    case tooLarge, malformed, unacceptedAlgorithm, unknownKey, unsupportedExtension, badSignature
    case expired, notYetValid, badExpiry, badNotBefore
    case badSubject, badDevice, wrongAudience, wrongIssuer

    /// A few words for the developer who made the token.
    public var reason: StaticString {
        switch self {
        case .tooLarge: "token too large"
        case .malformed: "not a JWT of three base64url parts with JSON objects inside"
        case .unacceptedAlgorithm: "alg is not one that this relay has a key for"
        case .unknownKey: "kid names no key of this relay"
        case .unsupportedExtension: "crit names an extension that this relay doesn't know"
        case .badSignature: "signature doesn't match"
        case .expired: "token expired"
        case .notYetValid: "nbf is in the future"
        case .badExpiry: "exp is required, a number of seconds since 1970"
        case .badNotBefore: "nbf is not a number of seconds since 1970"
        case .badSubject: "sub is required and has to be a valid user name"
        case .badDevice: "device is not a valid device name"
        case .wrongAudience: "aud doesn't name this relay"
        case .wrongIssuer: "iss is not the issuer that this relay trusts"
        }
    }
}
