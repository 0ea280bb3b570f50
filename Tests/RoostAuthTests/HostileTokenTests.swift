import Foundation
import JWTKit
import RoostWire
import Testing

@testable import RoostAuth

/// Tokens of an attacker who tries to get in or to stop the process. One trap would disconnect every client.
@Suite struct HostileTokenTests {
    let forge = TokenForge()

    func failure(of token: String, _ keys: [VerificationKey] = []) async throws -> TokenFailure? {
        let keys = keys.isEmpty ? [VerificationKey(forge.key)] : keys
        let verifier = try await TokenVerifier(keys: keys, audience: nil, issuer: nil)
        return await verifier.verify(token, now: TokenForge.now).failure
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b", "a.b.c", "e30.e30.", ".e30.e30", "e30..e30", "e30.e30.e30.e30", " e30.e30.e30",
        "e30.e30.e30\n", "bnVsbA.e30.e30", "W10.e30.e30", "e30=.e30.e30", "💥.e30.e30", "e30.e30.e31",
    ])
    func refusesTextThatIsNotAToken(_ token: String) async throws {
        #expect(try await failure(of: token) == .malformed)
    }

    /// RFC 7519, section 7.2: the header and the claims are UTF-8. `JSONDecoder` would take them for what they are.
    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16, .utf32, .utf32LittleEndian])
    func refusesAHeaderOrClaimsInAnotherEncoding(_ encoding: String.Encoding) async throws {
        let claims = [UInt8](try #require(forge.payload().data(using: encoding)))
        let header = [UInt8](try #require(TokenForge.header.data(using: encoding)))
        let plain = [UInt8](TokenForge.header.utf8)
        #expect(try await failure(of: try await forge.token(header: plain, payload: claims)) == .malformed)
        let token = try await forge.token(header: header, payload: [UInt8](forge.payload().utf8))
        #expect(try await failure(of: token) == .malformed)
    }

    @Test func refusesAByteOrderMarkAndBrokenUTF8() async throws {
        let plain = [UInt8](TokenForge.header.utf8)
        let claims = [UInt8](forge.payload().utf8)
        let broken = [UInt8](forge.payload(["name": "\"x\""]).utf8).map { $0 == UInt8(ascii: "x") ? 0xFF : $0 }
        for payload in [[0xEF, 0xBB, 0xBF] + claims, broken] {
            #expect(try await failure(of: try await forge.token(header: plain, payload: payload)) == .malformed)
        }
        #expect(try await failure(of: try await forge.token(header: plain, payload: claims)) == nil)
    }

    @Test(arguments: ["none", "None", "NONE", "", "hs256", "HS384", "HS512", "RS256", "ES256", "EdDSA", "HS256 "])
    func algorithmMustBeThatOfTheKey(_ name: String) async throws {
        let token = try await forge.token(header: #"{"alg":"\#(name)"}"#, payload: forge.payload())
        #expect(try await failure(of: token) == .unacceptedAlgorithm)
    }

    @Test func refusesATokenWithoutSignature() async throws {
        let header = Base64URL.encode([UInt8](#"{"alg":"none"}"#.utf8))
        let payload = Base64URL.encode([UInt8](forge.payload().utf8))
        #expect(try await failure(of: "\(header).\(payload).") == .malformed)
        #expect(try await failure(of: "\(header).\(payload).AA") == .unacceptedAlgorithm)
    }

    @Test(arguments: [ForeignKeys.rsaPEM, ForeignKeys.p256PEM, ForeignKeys.ed25519PEM])
    func aPublicKeyIsNeverUsedAsASharedSecret(_ pem: String) async throws {
        try await withFolder { folder in
            let path = folder + "/key.pem"
            try Data(pem.utf8).write(to: URL(fileURLWithPath: path))
            let keys = try VerificationKey.load(path: path)
            // The bytes that an attacker can know: the whole file, and its text without the last line break.
            for bytes in [pem, pem + "\n"] {
                let thief = JWTKeyCollection()
                await thief.add(hmac: HMACKey(from: bytes), digestAlgorithm: .sha256)
                let input =
                    Base64URL.encode([UInt8](TokenForge.header.utf8)) + "."
                    + Base64URL.encode([UInt8](forge.payload().utf8))
                let signature = try await thief.getKey().sign(Data(input.utf8))
                let token = input + "." + Base64URL.encode(signature)
                #expect(try await failure(of: token, keys) == .unacceptedAlgorithm)
                #expect(try await failure(of: token, keys + [VerificationKey(forge.key)]) == .badSignature)
            }
        }
    }

    @Test func keysInsideATokenAreIgnored() async throws {
        let thief = TokenForge()
        let own = Base64URL.encode(thief.key.secret)
        for member in [
            #""jwk":{"kty":"oct","k":"\#(own)"}"#, #""jku":"https://evil.example/keys.json""#,
            #""x5u":"https://evil.example/chain.pem""#, #""x5c":["MIIB"]"#, #""x5t":"AAAA""#,
            #""kid":"../../dev/null""#, #""kid":"https://evil.example/""#, #""kid":"' OR 1=1 --""#,
        ] {
            let header = #"{"alg":"HS256",\#(member)}"#
            let stolen = try await thief.token(header: header, payload: forge.payload())
            #expect(try await failure(of: stolen) == .badSignature)
            // In a token that the relay itself signed, they are ignored.
            let honest = try await forge.token(header: header, payload: forge.payload())
            #expect(try await failure(of: honest) == nil)
        }
    }

    @Test(arguments: [
        #"{"alg":"HS256","jku":1e300}"#, #"{"alg":"HS256","x":-1e300,"y":[1e308,{"z":9.9e99}]}"#,
        #"{"alg":"HS256","x5c":[]}"#, #"{"alg":"HS256","alg":"HS256"}"#, #"{"alg":"HS256","typ":17}"#,
    ])
    func oddHeadersDontStopTheProcess(_ header: String) async throws {
        #expect(try await failure(of: forge.token(header: header, payload: forge.payload())) == nil)
    }

    @Test(arguments: [
        #"{"alg":1e300}"#, #"{"alg":null}"#, #"{"alg":["HS256"]}"#, #"{"kid":"a"}"#, #"{"alg":"HS256","kid":7}"#, "[]",
        "7", "null", "\"HS256\"", "{", "",
    ])
    func refusesHeaders(_ header: String) async throws {
        #expect(try await failure(of: forge.token(header: header, payload: forge.payload())) == .malformed)
    }

    @Test func refusesCriticalExtensions() async throws {
        for list in [#"["exp"]"#, "[]", "null", #"["b64"]"#] {
            let token = try await forge.token(header: #"{"alg":"HS256","crit":\#(list)}"#, payload: forge.payload())
            #expect(try await failure(of: token) == .unsupportedExtension)
        }
    }

    @Test(arguments: ["[]", "7", "null", "\"text\"", "{", "", "{} {}"])
    func refusesSignedPayloads(_ payload: String) async throws {
        #expect(try await failure(of: forge.token(payload: payload)) == .malformed)
    }

    @Test func invalidUTF8DoesntStopTheProcess() async throws {
        let token = try await forge.token(header: [UInt8](TokenForge.header.utf8), payload: [0xFF, 0xFE, 0x00, 0xD8])
        #expect(try await failure(of: token) != nil)
    }

    @Test func deepNestingDoesntStopTheProcess() async throws {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let depth = 500
            let deep = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            let inPayload = try await forge.token(payload: forge.payload(["x": deep]))
            _ = try await failure(of: inPayload)
            let inHeader = try await forge.token(header: #"{"alg":"HS256","x":\#(deep)}"#, payload: forge.payload())
            _ = try await failure(of: inHeader)
        }
        let unclosed = try await forge.token(payload: String(repeating: "[", count: 4_000))
        #expect(try await failure(of: unclosed) == .malformed)
    }

    @Test func tokenSizeIsBounded() async throws {
        // The longest token that is accepted, and the same with four more characters.
        let frame = try await forge.token(payload: forge.payload(["x": #""""#])).utf8.count
        let room = (TokenVerifier.tokenBytesMax - frame) / 4 * 3
        let fits = try await forge.token(
            payload: forge.payload(["x": "\"" + String(repeating: "x", count: room) + "\""])
        )
        #expect((TokenVerifier.tokenBytesMax - 4...TokenVerifier.tokenBytesMax).contains(fits.utf8.count))
        #expect(try await failure(of: fits) == nil)
        let over = try await forge.token(
            payload: forge.payload(["x": "\"" + String(repeating: "x", count: room + 6) + "\""])
        )
        #expect(over.utf8.count > TokenVerifier.tokenBytesMax)
        #expect(try await failure(of: over) == .tooLarge)
        #expect(try await failure(of: String(repeating: ".", count: 10_000_000)) == .tooLarge)
    }

    @Test func everyChangedCharacterIsDetected() async throws {
        let token = [UInt8](try await forge.token(payload: forge.payload()).utf8)
        let verifier = try await forge.verifier()
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let verdict = await verifier.verify(String(decoding: changed, as: UTF8.self), now: TokenForge.now)
            #expect(verdict.failure != nil, "character \(index)")
        }
    }

    @Test func aTokenHasOnlyOneSpelling() async throws {
        // 32 bytes of signature take 43 characters; the last two bits of the last one encode nothing.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let token = try await forge.token(payload: forge.payload())
        let index = try #require(token.last.flatMap { alphabet.firstIndex(of: $0) })
        for bits in 1...3 {
            let other = String(token.dropLast()) + String(alphabet[index ^ bits])
            #expect(try await failure(of: other) == .malformed)
        }
        #expect(try await failure(of: token + "=") == .malformed)
        #expect(try await failure(of: token) == nil)
    }

    @Test func partsOfTwoTokensCantBeMixed() async throws {
        let alice = try await forge.token(payload: forge.payload()).split(separator: ".")
        let bob = try await forge.token(payload: forge.payload(["sub": #""bob""#])).split(separator: ".")
        let mixed = [alice[0], bob[1], alice[2]].joined(separator: ".")
        #expect(try await failure(of: mixed) == .badSignature)
    }

    @Test func reasonsNeverRepeatTheToken() async throws {
        let token = try await forge.token(payload: forge.payload(["sub": #""bad name""#]))
        let failure = try #require(try await failure(of: token))
        #expect(!"\(failure.reason) \(failure)".contains("bad name"))
        for failure in TokenFailure.allCases { #expect(failure.reason.utf8CodeUnitCount < 80) }
    }
}
