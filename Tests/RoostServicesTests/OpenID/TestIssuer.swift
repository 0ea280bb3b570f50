import Crypto
import CryptoExtras
import Foundation
import RoostAuth
import RoostWire
import Synchronization
import Testing

@testable import RoostServices

/// An issuer in memory, which signs and serves whatever a test wants.
final class TestIssuer: Sendable {
    static let url = "https://issuer.example"
    static let client = "roost"

    /// Its behaviour, which tests change.
    struct State: Sendable {
        /// Requested paths, such as `/jwks`.
        var asked: [String] = []
        /// The bodies of POST.
        var forms: [String] = []
        var document: [String: String] = [
            "issuer": url, "authorization_endpoint": url + "/authorize", "token_endpoint": url + "/token",
            "jwks_uri": url + "/jwks", "revocation_endpoint": url + "/revoke",
        ]
        /// Names of the keys in the set.
        var published = ["rsa", "ec"]
        /// The answer to each path in place of the usual one.
        var answers: [String: (status: Int, body: String)] = [:]
        var failure: OutgoingFailure?
        /// The token that is given for a code.
        var identityToken = ""
    }

    let state = Mutex(State())
    private let rsa: _RSA.Signing.PrivateKey
    private let ec = P256.Signing.PrivateKey()

    /// One RSA key for all tests: making it takes a while.
    private static let rsaKey = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

    init() throws {
        guard let key = TestIssuer.rsaKey else { throw CryptoKitError.incorrectKeySize }
        rsa = key
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Number of requests for a path.
    func count(_ path: String) -> Int { state.withLock { state in state.asked.filter { $0 == path }.count } }

    /// The fields of the last POST.
    func lastForm() throws -> FormFields {
        let body = try #require(state.withLock { $0.forms.last })
        return try #require(FormFields(body.utf8))
    }

    // MARK: Tokens

    /// The claim of a token that an app asked for with the nonce `nonce`.
    static let hashedNonce =
        "\"" + SHA256.hash(data: Data("nonce".utf8)).map { String(format: "%02x", $0) }.joined() + "\""

    /// The claims of an honest token, as JSON values.
    static func claims(now: Int64, _ changes: [String: String?] = [:]) -> [String: String] {
        var claims = [
            "iss": "\"\(url)\"", "aud": "\"\(client)\"", "sub": "\"subject-1\"", "iat": "\(now)", "exp": "\(now + 600)",
            "nonce": "\"nonce\"", "email": "\"ann@example.org\"", "email_verified": "true", "name": "\"Ann\"",
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    private static func json(_ members: [String: String]) -> String {
        "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    func sign(_ claims: [String: String], head: String = #"{"alg":"RS256","kid":"rsa"}"#, by key: String = "rsa")
        -> String
    {
        let text = TestIssuer.part(head) + "." + TestIssuer.part(TestIssuer.json(claims))
        let data = Data(text.utf8)
        let signature =
            key == "rsa"
            ? (try? rsa.signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation)
            : (try? ec.signature(for: data).rawRepresentation)
        return text + "." + Base64URL.encode([UInt8](signature ?? Data()))
    }

    /// The public key, in the form of PEM, as the secret of an HMAC (RFC 8725, section 2.1).
    func signedByPublicKey(_ claims: [String: String]) -> String {
        let text = TestIssuer.part(#"{"alg":"HS256","kid":"rsa"}"#) + "." + TestIssuer.part(TestIssuer.json(claims))
        let secret = SymmetricKey(data: Data(rsa.publicKey.pemRepresentation.utf8))
        return text + "."
            + Base64URL.encode([UInt8](HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: secret)))
    }

    /// The members of a public key.
    func jwk(_ name: String, _ changes: [String: String?] = [:]) -> String {
        var members = ["kid": "\"\(name)\"", "use": "\"sig\""]
        if name.hasPrefix("rsa"), let numbers = try? rsa.publicKey.getKeyPrimitives() {
            members["kty"] = "\"RSA\""
            members["n"] = "\"\(Base64URL.encode([UInt8](numbers.modulus)))\""
            members["e"] = "\"\(Base64URL.encode([UInt8](numbers.publicExponent)))\""
        } else {
            let point = [UInt8](ec.publicKey.rawRepresentation)
            members["kty"] = "\"EC\""
            members["crv"] = "\"P-256\""
            members["x"] = "\"\(Base64URL.encode(Array(point.prefix(32))))\""
            members["y"] = "\"\(Base64URL.encode(Array(point.suffix(32))))\""
        }
        for (name, value) in changes { members[name] = value }
        return TestIssuer.json(members)
    }

    // MARK: Requests

    var send: Issuer.Send {
        { request throws(OutgoingFailure) in try self.answer(request) }
    }

    private func answer(_ request: OutgoingRequest) throws(OutgoingFailure) -> OutgoingResponse {
        let path = String(request.url.dropFirst(TestIssuer.url.count))
        let (state, failure) = state.withLock { state in
            state.asked.append(path)
            if request.method == "POST" { state.forms.append(String(decoding: request.body, as: UTF8.self)) }
            return (state, state.failure)
        }
        if let failure { throw failure }
        let (status, body) = state.answers[path] ?? (200, usual(path, state))
        return OutgoingResponse(status: status, headers: [], body: Array(body.utf8))
    }

    private func usual(_ path: String, _ state: State) -> String {
        switch path {
        case "/.well-known/openid-configuration":
            TestIssuer.json(state.document.mapValues { "\"\($0)\"" })
        case "/jwks": "{\"keys\":[" + state.published.map { jwk($0) }.joined(separator: ",") + "]}"
        case "/token":
            TestIssuer.json([
                "id_token": "\"\(state.identityToken)\"", "refresh_token": "\"refresh-of-ann\"",
                "access_token": "\"access-of-ann\"",
            ])
        default: "{}"
        }
    }
}
