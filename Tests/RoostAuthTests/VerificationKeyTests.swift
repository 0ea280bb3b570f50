import Foundation
import JWTKit
import RoostWire
import Testing

@testable import RoostAuth

/// Public keys from files, against tokens that another implementation made.
@Suite struct VerificationKeyTests {
    let now = TokenForge.now

    func keys(_ text: String) async throws -> [VerificationKey] {
        var keys: [VerificationKey] = []
        try await withFolder { folder in
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/keys"))
            keys = try VerificationKey.load(path: folder + "/keys")
        }
        return keys
    }

    func verdict(_ token: String, _ keys: [VerificationKey]) async throws -> Result<Grant, TokenFailure> {
        let verifier = try await TokenVerifier(keys: keys, audience: "roost", issuer: "https://id.example.org")
        return await verifier.verify(token, now: now)
    }

    static let all = [
        (ForeignKeys.rsaPEM, ForeignKeys.rsaToken), (ForeignKeys.p256PEM, ForeignKeys.p256Token),
        (ForeignKeys.ed25519PEM, ForeignKeys.ed25519Token),
    ]

    @Test(arguments: all)
    func acceptsTokensOfOtherIssuers(_ pem: String, _ token: String) async throws {
        let keys = try await keys(pem)
        let grant = try await verdict(token, keys).get()
        #expect(grant == Grant(user: "alice", device: "phone", expires: Timestamp(milliseconds: 2_000_000_000_000)))
        for (_, other) in Self.all where other != token {
            #expect(try await verdict(other, keys).failure == .unacceptedAlgorithm)
        }
        let parts = token.split(separator: ".")
        let forged = parts[0] + "." + parts[1] + "." + Base64URL.encode([UInt8](repeating: 1, count: 64))
        #expect(try await verdict(String(forged), keys).failure == .badSignature)
    }

    @Test func aFileMayContainSeveralKeys() async throws {
        let keys = try await keys(Self.all.map(\.0).joined(separator: "\n"))
        #expect(keys.map(\.algorithm) == [.rs256, .es256, .edDSA])
        for (_, token) in Self.all { #expect(try await verdict(token, keys).failure == nil) }
    }

    @Test func readsAKeySet() async throws {
        let set = "{\"keys\":[\(ForeignKeys.rsaJWK),\(ForeignKeys.p256JWK),\(ForeignKeys.ed25519JWK)]}"
        let keys = try await keys("  \n" + set)
        #expect(keys.map(\.algorithm) == [.rs256, .es256, .edDSA])
        #expect(keys.map(\.keyIdentifier) == ["rsa", "p256", "ed25519"])
        for (_, token) in Self.all { #expect(try await verdict(token, keys).failure == nil) }
    }

    @Test func identifierSelectsTheKey() async throws {
        let renamed = ForeignKeys.p256JWK.replacing(#""kid":"p256""#, with: #""kid":"new""#)
        let nameless = ForeignKeys.p256JWK.replacing(#""kid":"p256","#, with: "")
        let other = try await JWTKeyCollection().add(ecdsa: ES256PrivateKey()).sign(TokenClaims(), kid: "p256")
        #expect(
            try await verdict(ForeignKeys.p256Token, keys("{\"keys\":[\(renamed)]}")).failure == .unknownKey
        )
        #expect(try await verdict(ForeignKeys.p256Token, keys("{\"keys\":[\(nameless)]}")).failure == nil)
        #expect(
            try await verdict(ForeignKeys.p256Token, keys("{\"keys\":[\(renamed),\(ForeignKeys.p256JWK)]}")).failure
                == nil
        )
        #expect(try await verdict(other, keys("{\"keys\":[\(ForeignKeys.p256JWK)]}")).failure == .badSignature)
    }

    @Test func withoutIdentifierTriesAllKeysOfTheAlgorithm() async throws {
        let old = ES256PrivateKey()
        let new = ES256PrivateKey()
        let keys = try [old, new].map {
            VerificationKey(.p256(try ES256PublicKey(pem: $0.publicKey.pemRepresentation)), keyIdentifier: "k")
        }
        var claims = TokenClaims()
        claims.subject = .present("alice")
        claims.expires = .present(1_800_000_000)
        let verifier = try await TokenVerifier(keys: keys, audience: nil, issuer: nil)
        for key in [old, new] {
            let token = try await JWTKeyCollection().add(ecdsa: key).sign(claims)
            #expect(await verifier.verify(token, now: now).failure == nil)
        }
        let stranger = try await JWTKeyCollection().add(ecdsa: ES256PrivateKey()).sign(claims)
        #expect(await verifier.verify(stranger, now: now).failure == .badSignature)
    }

    @Test func ignoresKeysForOtherUses() async throws {
        let encryption = ForeignKeys.rsaJWK.replacing(#""use":"sig""#, with: #""use":"enc""#)
        let padded = ForeignKeys.rsaJWK.replacing("RS256", with: "PS512")
        let unknown = #"{"kty":"AKP","alg":"ML-DSA-65","pub":"AA"}"#
        let keys = try await keys("{\"keys\":[\(encryption),\(padded),\(unknown),\(ForeignKeys.p256JWK)]}")
        #expect(keys.map(\.algorithm) == [.es256])
    }

    @Test(arguments: [
        ("", "neither"), ("hello", "neither"), ("{}", "not a JWK set"), ("{\"keys\":7}", "not a JWK set"),
        ("{\"keys\":[]}", "no key for"), (#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#, "symmetric"),
        (#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}]}"#, "private"),
        (#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#, "not a valid key"),
        (#"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, "not a valid key"),
        (#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, "not a valid key"),
        (#"{"keys":[{"kty":"RSA","n":"","e":""}]}"#, "not a valid key"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "private"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "not a public key"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA", "neither"), (ForeignKeys.weakRSAPEM, "not a public key"),
        (ForeignKeys.p384PEM, "not a public key"),
    ])
    func refusesFiles(_ text: String, _ word: String) async throws {
        let failure = try await #require(throws: KeyFailure.self) { try await keys(text) }
        #expect(failure.reason.contains(word), "\(failure)")
        #expect(!failure.reason.contains("\n"))
    }

    @Test func fileSizeIsBounded() async throws {
        let failure = try await #require(throws: KeyFailure.self) {
            try await keys(String(repeating: " ", count: VerificationKey.fileBytesMax + 1))
        }
        #expect(failure.reason.contains("larger than"))
    }
}
