import RoostWire
import Testing

@testable import RoostAuth

/// The grants of a properly signed token, claim by claim.
@Suite struct TokenVerifierTests {
    let forge = TokenForge()
    let now = TokenForge.now

    @Test func grantsWhatTheTokenSays() async throws {
        let expires = Timestamp(milliseconds: now.milliseconds + 600_000)
        let token = try await forge.key.token(user: "alice", device: "phone", expires: expires)
        let grant = try await forge.verifier().verify(token, now: now).get()
        #expect(grant == Grant(user: "alice", device: "phone", expires: expires))
    }

    @Test func deviceIsOptional() async throws {
        #expect(try await forge.verdict([:]).get().device == nil)
        #expect(try await forge.verdict(["device": "null"]).get().device == nil)
    }

    @Test func expiresAtTheExactMillisecond() async throws {
        let token = try await forge.token(payload: forge.payload(["exp": "1700000000.5"]))
        let verifier = try await forge.verifier()
        let before = await verifier.verify(token, now: Timestamp(milliseconds: 1_700_000_000_499))
        #expect(try before.get().expires == Timestamp(milliseconds: 1_700_000_000_500))
        let after = await verifier.verify(token, now: Timestamp(milliseconds: 1_700_000_000_500))
        #expect(after == .failure(.expired))
    }

    @Test(arguments: [
        ("", TokenFailure.badExpiry), ("null", .badExpiry), (#""1700000600""#, .badExpiry), ("true", .badExpiry),
        ("[1700000600]", .badExpiry), ("{}", .badExpiry), ("1e300", .badExpiry), ("1e999", .badExpiry),
        ("9223372036854775807", .badExpiry), ("18446744073709551616", .badExpiry), ("1700000600000", .badExpiry),
        ("253402300800", .badExpiry), ("0", .expired), ("-1", .expired), ("-1e300", .expired), ("1699999999", .expired),
        ("1700000000", .expired), ("-0.0", .expired), ("5e-324", .expired),
    ])
    func refusesExpiry(_ value: String, _ failure: TokenFailure) async throws {
        #expect(try await forge.verdict(["exp": value]).failure == failure)
    }

    @Test(arguments: ["1700000600", "1700000600.25", "1.7000006e9", "253402300799"])
    func acceptsExpiry(_ value: String) async throws {
        #expect(try await forge.verdict(["exp": value]).failure == nil)
    }

    @Test func notBeforeHasThirtySecondsOfLeeway() async throws {
        #expect(try await forge.verdict(["nbf": "1700000030"]).failure == nil)
        #expect(try await forge.verdict(["nbf": "1700000030.5"]).failure == .notYetValid)
        #expect(try await forge.verdict(["nbf": "1e300"]).failure == .notYetValid)
        #expect(try await forge.verdict(["nbf": "-1e300"]).failure == nil)
        #expect(try await forge.verdict(["nbf": #""soon""#]).failure == .badNotBefore)
    }

    @Test(arguments: [
        "", "null", "7", "[]", #""""#, #""@alice""#, #""al ice""#, #""al\"ice""#, #""al\\ice""#, #""al\nice""#,
        #""al\u0000ice""#, #""älice""#, #""👍""#, "\"" + String(repeating: "a", count: 65) + "\"",
    ])
    func refusesSubject(_ value: String) async throws {
        #expect(try await forge.verdict(["sub": value]).failure == .badSubject)
    }

    @Test func acceptsEverySubjectThatTheProtocolAllows() async throws {
        let longest = String(repeating: "a", count: 64)
        #expect(try await forge.verdict(["sub": "\"\(longest)\""]).get().user == longest)
        #expect(try await forge.verdict(["sub": #""a@b.example|1~!""#]).get().user == "a@b.example|1~!")
    }

    @Test func aNameThatNoUserCanHaveIsForOperatorsAndServices() async throws {
        for scope in ["service", "admin", "chat admin"] {
            let grant = try await forge.verdict(["sub": #""@mill""#, "scope": "\"\(scope)\""]).get()
            #expect(grant.user == "@mill")
        }
        for (name, scope) in [("@mill", "chat"), ("@mill", "services"), ("@", "service"), ("@a b", "service")] {
            let verdict = try await forge.verdict(["sub": "\"\(name)\"", "scope": "\"\(scope)\""])
            #expect(verdict.failure == .badSubject, "\(name) \(scope)")
        }
        let expires = Timestamp(milliseconds: now.milliseconds + 1_000)
        _ = try await forge.key.token(user: "@mill", isService: true, expires: expires)
        await #expect(throws: TokenFailure.badSubject) { try await forge.key.token(user: "@mill", expires: expires) }
    }

    @Test(arguments: ["7", "[]", #""""#, #""my phone""#, #""é""#, "\"" + String(repeating: "d", count: 65) + "\""])
    func refusesDevice(_ value: String) async throws {
        #expect(try await forge.verdict(["device": value]).failure == .badDevice)
    }

    @Test(arguments: [
        "7", "[]", "{}", "true", #""""#, #""my phone""#, #""é""#, "\"" + String(repeating: "d", count: 65) + "\"",
    ])
    func refusesSignIn(_ value: String) async throws {
        #expect(try await forge.verdict(["sid": value]).failure == .badSignIn)
    }

    @Test func readsTheSignIn() async throws {
        let longest = String(repeating: "s", count: 64)
        #expect(try await forge.verdict(["sid": "\"\(longest)\""]).get().signIn == longest)
        #expect(try await forge.verdict([:]).get().signIn == nil)
        #expect(try await forge.verdict(["sid": "null"]).get().signIn == nil)
        let expires = Timestamp(milliseconds: now.milliseconds + 1_000)
        let token = try await forge.key.token(user: "mill", signIn: "s-1", isService: true, expires: expires)
        let grant = try await forge.verifier().verify(token, now: now).get()
        #expect(grant.signIn == "s-1" && grant.isService && !grant.isOperator)
        await #expect(throws: TokenFailure.badSignIn) {
            try await forge.key.token(user: "mill", signIn: "", expires: expires)
        }
    }

    @Test(
        arguments: [
            ("service", false, true), ("admin", true, false), ("chat admin service", true, true),
            ("services Service", false, false),
        ]
    )
    func scopes(_ words: String, _ isOperator: Bool, _ isService: Bool) async throws {
        let grant = try await forge.verdict(["scope": "\"\(words)\""]).get()
        #expect(grant.isOperator == isOperator && grant.isService == isService)
    }

    @Test(
        arguments: [
            (#""roost""#, nil), (#"["other","roost"]"#, nil), (#""other""#, TokenFailure.wrongAudience),
            (#"["other"]"#, .wrongAudience), ("[]", .wrongAudience), ("", .wrongAudience), ("null", .wrongAudience),
            (#"["roost",7]"#, .wrongAudience), ("7", .wrongAudience), (#"{"roost":true}"#, .wrongAudience),
            (#""Roost""#, .wrongAudience), (#""roost ""#, .wrongAudience),
        ] as [(String, TokenFailure?)]
    )
    func audience(_ value: String, _ failure: TokenFailure?) async throws {
        #expect(try await forge.verdict(["aud": value], audience: "roost").failure == failure)
        // A relay that requires no audience accepts any, and no value may stop the process.
        #expect(try await forge.verdict(["aud": value]).failure == nil)
    }

    @Test func issuerMustMatchExactly() async throws {
        let issuer = "https://id.example.org"
        #expect(try await forge.verdict(["iss": "\"\(issuer)\""], issuer: issuer).failure == nil)
        for other in ["\"\(issuer)/\"", "", "null", "[\"\(issuer)\"]"] {
            #expect(try await forge.verdict(["iss": other], issuer: issuer).failure == .wrongIssuer)
        }
    }

    @Test func ownTokensSatisfyOwnAudienceAndIssuer() async throws {
        let expires = Timestamp(milliseconds: now.milliseconds + 1_000)
        let token = try await forge.key.token(
            user: "bob",
            expires: expires,
            audience: "roost",
            issuer: "https://id.example.org"
        )
        let verifier = try await forge.verifier(audience: "roost", issuer: "https://id.example.org")
        #expect(try await verifier.verify(token, now: now).get().user == "bob")
    }

    @Test func needsAtLeastOneKeyAndBoundsTheirNumber() async {
        await #expect(throws: KeyFailure.self) {
            try await TokenVerifier(keys: [], audience: nil, issuer: nil)
        }
        let many = [VerificationKey](repeating: VerificationKey(forge.key), count: TokenVerifier.keysMax + 1)
        await #expect(throws: KeyFailure.self) {
            try await TokenVerifier(keys: many, audience: nil, issuer: nil)
        }
    }
}
