import Crypto
import Foundation
import RoostAuth

/// A key that access tokens are signed with: ES256 (RFC 7518, section 3.4). Immutable.
struct TokenKey: Sendable {
    /// When it was made, in milliseconds since 1970. The newest signs.
    let created: Int64
    let key: P256.Signing.PrivateKey
    /// The key's thumbprint (RFC 7638).
    let kid: String
    /// The first part of every token that it signs. Tokens that begin otherwise are never parsed.
    let head: String
    private let x: String
    private let y: String

    init(created: Int64, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.created = created
        self.key = key
        let point = [UInt8](key.publicKey.rawRepresentation)
        x = Base64URL.encode(Array(point.prefix(32)))
        y = Base64URL.encode(Array(point.suffix(32)))
        // The members of RFC 7638, section 3.2, in the order of the alphabet.
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        kid = Base64URL.encode(Array(SHA256.hash(data: Data(members.utf8))))
        head = Base64URL.encode(Array(#"{"alg":"ES256","kid":"\#(kid)","typ":"JWT"}"#.utf8))
    }

    /// The public key as a JWK (RFC 7517).
    var jwk: String {
        #"{"kty":"EC","use":"sig","alg":"ES256","crv":"P-256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"}"#
    }

    /// A token with these claims, which are a JSON object.
    func sign(_ claims: [UInt8]) throws(ServiceFault) -> String {
        let text = head + "." + Base64URL.encode(claims)
        do {
            let signature = try key.signature(for: Data(text.utf8))
            return text + "." + Base64URL.encode([UInt8](signature.rawRepresentation))
        } catch {
            throw ServiceFault(.internalError, "the token can't be signed")
        }
    }

    /// The claims of a token that this key signed.
    func claims(of token: String) -> [UInt8]? {
        guard token.hasPrefix(head + "."), let dot = token.lastIndex(of: "."),
            let signature = Base64URL.decode(token[token.index(after: dot)...]),
            let form = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.publicKey.isValidSignature(form, for: Data(token[..<dot].utf8))
        else { return nil }
        return Base64URL.decode(token[..<dot].dropFirst(head.count + 1))
    }
}
