import Crypto
import Foundation
import RoostWire
import Testing

@testable import RoostServices

/// Identity tokens that are accepted.
struct IdentityTokenTests {
    private let issuer: TestIssuer
    private let now: Int64 = 1_800_000_000

    init() throws { issuer = try TestIssuer() }

    private func identity(
        _ text: String, clients: [String] = [TestIssuer.client], nonce: IdentityRules.Nonce = .exact("nonce"),
        key: String = "rsa", trusted: [String] = [], trustsAddresses: Bool = false
    ) throws -> Identity {
        let jwk = Array(issuer.jwk(key).utf8)
        let read = try #require(jwk.withUnsafeBytes { JSONMembers(parsing: $0) })
        let rules = IdentityRules(
            issuers: [TestIssuer.url], clients: clients, trusted: trusted, trustsAddresses: trustsAddresses,
            nonce: nonce,
            now: now)
        let token = try IdentityToken(text, bytesMax: 65_536)
        return try rules.identity(try token.claims(by: try #require(IssuerKey(read))))
    }

    /// The fault of a token.
    private func refusal(_ text: String, key: String = "rsa") -> String? {
        do { _ = try identity(text, key: key) } catch { return (error as? ClaimRefusal)?.claim }
        return nil
    }

    private func claims(_ changes: [String: String?] = [:]) -> [String: String] {
        TestIssuer.claims(now: now, changes)
    }

    @Test("An honest token says who it is, by RS256 and by ES256")
    func honest() throws {
        let ann = Identity(
            issuer: TestIssuer.url, subject: "subject-1", email: "ann@example.org", isEmailVerified: true, name: "Ann",
            client: TestIssuer.client)
        #expect(try identity(issuer.sign(claims())) == ann)
        #expect(try identity(issuer.sign(claims(), head: #"{"alg":"ES256","kid":"ec"}"#, by: "ec"), key: "ec") == ann)
    }

    @Test(
        "A claim that is wrong, missing or of another kind",
        arguments: [
            ["iss": #""https://other.example""#], ["iss": #""https://issuer.example/""#], ["iss": nil],
            ["aud": #""somebody-else""#], ["aud": "[]"], ["aud": nil], ["aud": "5"],
            ["aud": #"["roost","somebody-else"]"#],
            ["aud": #"["roost",5]"#], ["azp": #""somebody-else""#], ["azp": "5"],
            ["exp": "1799999940", "iat": "1799999000"], ["exp": "1800000000"], ["exp": nil], ["exp": #""1800000600""#],
            ["exp": "1e300"], ["exp": "1e13"], ["iat": "1800000060.5"], ["nbf": "1.80000006e99"],
            ["exp": "1800000000.0"],
            ["iat": "1800000061"], ["iat": nil], ["iat": "1800000600"], ["nbf": "1800000061"], ["nbf": #""x""#],
            ["nonce": #""another""#], ["nonce": nil], ["nonce": #""""#], ["nonce": "5"],
            ["sub": nil], ["sub": #""""#], ["sub": "5"], ["sub": "\"\(String(repeating: "a", count: 256))\""],
        ] as [[String: String?]])
    func lies(_ change: [String: String?]) throws {
        // The log names the claim, or the one that it is compared with.
        let claim = refusal(issuer.sign(claims(change)))
        #expect(change.keys.contains(try #require(claim)))
    }

    @Test(
        "What is at the edge, and good",
        arguments: [
            ["exp": "1799999941", "iat": "1799999000"], ["iat": "1800000060"], ["nbf": "1800000060"],
            ["aud": #"["roost"]"#], ["azp": #""roost""#], ["sub": "\"\(String(repeating: "a", count: 255))\""],
            ["email": nil], ["email_verified": #""true""#],
            ["exp": "1800000600.0", "iat": "1799999999.5"], ["exp": "1.8000006e9", "iat": "1.8e9"],
            ["exp": "1799999940.5", "iat": "1799999000"], ["nbf": "1800000059.75"],
        ] as [[String: String?]])
    func edges(_ change: [String: String?]) throws {
        #expect(refusal(issuer.sign(claims(change))) == nil)
    }

    @Test(
        "A head that says what we don't take",
        arguments: [
            #"{"alg":"none","kid":"rsa"}"#, #"{"alg":"None","kid":"rsa"}"#, #"{"alg":"HS256","kid":"rsa"}"#,
            #"{"alg":"ES256","kid":"rsa"}"#, #"{"alg":"RS512","kid":"rsa"}"#, #"{"alg":"PS256","kid":"rsa"}"#,
            #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":"another"}"#, #"{"alg":"RS256","kid":5}"#, #"{"kid":"rsa"}"#,
            #"{"alg":"RS256","kid":"rsa","crit":["exp"]}"#, #"{"alg":"RS256","kid":"rsa","typ":"at+jwt"}"#, "[]", "",
        ])
    func heads(_ head: String) throws {
        #expect(refusal(issuer.sign(claims(), head: head)) != nil)
    }

    @Test("The public key as the secret of an HMAC, another key's signature, and what was changed or cut")
    func signatures() throws {
        #expect(refusal(issuer.signedByPublicKey(claims())) != nil)
        #expect(refusal(issuer.sign(claims(), by: "ec")) == "signature")
        let good = issuer.sign(claims())
        #expect(refusal(String(good.dropLast(4))) != nil)
        #expect(refusal(String(good.prefix { $0 != "." })) == "no signed token")
        let parts = good.split(separator: ".")
        #expect(refusal("\(parts[0]).\(parts[1]).") == "no signed token")
        let other = issuer.sign(claims(["sub": #""subject-2""#])).split(separator: ".")
        #expect(refusal("\(parts[0]).\(other[1]).\(parts[2])") == "signature")
        #expect(refusal(good + String(repeating: ".", count: 2)) == "no signed token")
        #expect(refusal(good + String(repeating: "A", count: 65_536)) == "more than 65536 bytes")
    }

    @Test("An app's token may be for the app or for its server, and has the hash of its nonce")
    func apps() throws {
        let token = issuer.sign(claims(["aud": #""app""#, "azp": #""roost""#]))
        #expect(try identity(token, clients: ["roost", "app"]).client == "app")
        #expect(refusal(token) == "aud")
        let hash = SHA256.hash(data: Data("raw".utf8)).map { String(format: "%02x", $0) }.joined()
        let hashed = issuer.sign(claims(["nonce": "\"\(hash)\""]))
        _ = try identity(hashed, nonce: .hashed("raw"))
        // The hash that a thief reads in the token is good for nothing, and neither is a token that has the nonce
        // itself.
        let plain = issuer.sign(claims(["nonce": #""raw""#]))
        for (token, nonce) in [
            (hashed, IdentityRules.Nonce.hashed("other")), (hashed, .exact("raw")), (hashed, .hashed(hash)),
            (plain, .hashed("raw")),
        ] {
            #expect(throws: ClaimRefusal("nonce")) { try identity(token, nonce: nonce) }
        }
    }

    @Test("An issuer that writes itself in two ways is one")
    func names() throws {
        let read = try IdentityToken(issuer.sign(claims(["iss": #""issuer.example""#])), bytesMax: 8_192)
        let jwk = Array(issuer.jwk("rsa").utf8)
        let key = try #require(jwk.withUnsafeBytes { JSONMembers(parsing: $0) }.flatMap { IssuerKey($0) })
        let rules = IdentityRules(
            issuers: [TestIssuer.url, "issuer.example"], clients: [TestIssuer.client], nonce: .exact("nonce"), now: now)
        #expect(try rules.identity(try read.claims(by: key)).issuer == TestIssuer.url)
    }

    @Test("A token that is for others, too, is refused unless the operator trusts them")
    func audiences() throws {
        let text = issuer.sign(claims(["aud": #"["219999999999999999","roost"]"#, "azp": #""roost""#]))
        #expect(refusal(text) == "aud")
        #expect(try identity(text, trusted: ["219999999999999999"]).client == "roost")
        #expect(throws: ClaimRefusal("aud")) { try identity(text, trusted: ["21999999999999999"]) }
        let stranger = issuer.sign(claims(["aud": #"["219999999999999999"]"#]))
        #expect(throws: ClaimRefusal("aud")) { try identity(stranger, trusted: ["219999999999999999"]) }
        let handedOn = issuer.sign(claims(["aud": #"["roost","project"]"#, "azp": #""project""#]))
        #expect(throws: ClaimRefusal("azp")) { try identity(handedOn, trusted: ["project"]) }
    }

    @Test(
        "An issuer that says nothing of an address is believed only if the operator trusts it"
    )
    func trust() throws {
        let silent = issuer.sign(claims(["email_verified": nil]))
        #expect(try !identity(silent).isEmailVerified)
        #expect(try identity(silent, trustsAddresses: true).isEmailVerified)
        let denied = issuer.sign(claims(["email_verified": "false"]))
        #expect(try !identity(denied, trustsAddresses: true).isEmailVerified)
    }

    @Test("A token with hundreds of groups is read, up to 64 KiB")
    func long() throws {
        let groups = "[" + (0..<1_200).map { "\"group-number-\($0)-of-a-company\"" }.joined(separator: ",") + "]"
        let text = issuer.sign(claims(["groups": groups]))
        #expect(text.utf8.count > 40_000 && text.utf8.count <= 65_536)
        #expect(refusal(text) == nil)
    }

    @Test("An address is verified only if the issuer says so")
    func addresses() throws {
        for value in ["false", #""false""#, "1", "null", #""TRUE""#] {
            #expect(try identity(issuer.sign(claims(["email_verified": value]))).isEmailVerified == false, "\(value)")
        }
    }

    @Test(
        "Keys that aren't for us are left out of a set",
        arguments: [
            ("rsa", ["use": #""enc""#]), ("rsa", ["alg": #""RS512""#]), ("rsa", ["alg": #""HS256""#]),
            ("rsa", ["kid": nil]),
            ("rsa", ["n": #""AQAB""#]), ("rsa", ["kty": #""oct""#, "k": #""c2VjcmV0""#]), ("rsa", ["kty": #""EC""#]),
            ("rsa", ["key_ops": #"["sign"]"#]), ("ec", ["crv": #""P-384""#]), ("ec", ["x": #""AQAB""#]),
            ("ec", ["alg": #""RS256""#]), ("ec", ["kty": #""RSA""#]),
        ] as [(String, [String: String?])])
    func keys(_ name: String, _ change: [String: String?]) throws {
        let set = "{\"keys\":[\(issuer.jwk(name, change)),\(issuer.jwk("ec"))]}"
        #expect(IssuerKey.keys(ofSet: Array(set.utf8), most: 32)?.map(\.kid) == ["ec"])
    }

    @Test("A set that is none, and one that is too long")
    func sets() {
        for text in ["", "[]", "{}", #"{"keys":{}}"#, "\u{FF}"] {
            #expect(IssuerKey.keys(ofSet: Array(text.utf8), most: 32) == nil, "\(text)")
        }
        let many = Array(repeating: issuer.jwk("ec"), count: 33).joined(separator: ",")
        #expect(IssuerKey.keys(ofSet: Array("{\"keys\":[\(many)]}".utf8), most: 32)?.count == 32)
    }
}
