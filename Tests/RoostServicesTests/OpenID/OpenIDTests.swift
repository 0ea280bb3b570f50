import Crypto
import Foundation
import Logging
import RoostAuth
import RoostConfiguration
import RoostServicesConfiguration
import Testing

@testable import RoostServices

/// The flow of a browser, up to the identity.
struct OpenIDTests {
    private let issuer: TestIssuer
    private let clock = TestClock()
    private let openID: OpenID
    private let secret = RefreshToken.randomText()

    init() throws {
        issuer = try TestIssuer()
        openID = OpenIDTests.openID(issuer, clock)
    }

    static func openID(
        _ issuer: TestIssuer, _ clock: TestClock, apple: AppleKey? = nil,
        _ change: (inout OpenIDBounds) -> Void = { _ in }
    ) -> OpenID {
        let client = OpenIDSettings.Client(issuer: TestIssuer.url, id: TestIssuer.client, apps: ["app"])
        var settings = OpenID.Settings()
        settings.providers = [IdentityProvider(id: apple == nil ? "sso" : "apple", name: "Test", client, key: apple)]
        change(&settings.bounds)
        return OpenID(
            settings, rule: EndpointRule(AddressPolicy()), clock: clock.wall,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, send: issuer.send)
    }

    /// Begins a sign-in, and returns the provider's parameters.
    static func begin(_ openID: OpenID, _ secret: String) async throws -> FormFields {
        let challenge = Base64URL.encode(RefreshToken.hash(secret))
        let address = try await openID.begin(openID.parties[0].provider.id, challenge: challenge)
        let query = address.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return try #require(FormFields(query))
    }

    /// Goes through a provider that signs honestly, and returns the page's code.
    static func code(
        _ openID: OpenID, _ issuer: TestIssuer, _ secret: String, now: Int64, _ changes: [String: String?] = [:],
        more: [(String, String)] = []
    ) async throws -> String {
        let told = try await begin(openID, secret)
        let nonce = try #require(told["nonce"])
        let token = issuer.sign(TestIssuer.claims(now: now, ["nonce": "\"\(nonce)\""].merging(changes) { $1 }))
        issuer.change { $0.identityToken = token }
        return try come(openID, [("state", try #require(told["state"])), ("code", "code-1")] + more)
    }

    private static func come(_ openID: OpenID, _ fields: [(String, String)]) throws -> String {
        let read = try #require(FormFields(FormFields.encoded(fields).utf8))
        let page = try openID.comeBack(openID.parties[0].provider.id, read)
        #expect(page.hasPrefix("http://127.0.0.1:8080/#openid"))
        return String(page.drop { $0 != "=" }.dropFirst())
    }

    private func come(_ fields: [(String, String)]) throws -> String { try OpenIDTests.come(openID, fields) }

    private func subject(_ code: String, _ verifier: String) async throws -> String {
        try await openID.redeem(code, verifier: verifier) { (proven) throws(ServiceFault) in proven.identity.subject }
    }

    private func fault(_ body: () async throws -> Void) async -> ServiceFault.Code? {
        do { try await body() } catch { return (error as? ServiceFault)?.code }
        return nil
    }

    @Test("The browser is sent away with a state, a nonce and a challenge, all of them new")
    func begins() async throws {
        let (one, other) = (try await OpenIDTests.begin(openID, secret), try await OpenIDTests.begin(openID, secret))
        for name in ["state", "nonce", "code_challenge"] {
            #expect(one[name]?.utf8.count == 43)
            #expect(one[name] != other[name])
        }
        #expect(one["code_challenge_method"] == "S256")
        #expect(one["redirect_uri"] == "http://127.0.0.1:8081/v1/openid/sso/callback")
        #expect(one["client_id"] == "roost" && one["response_type"] == "code")
    }

    @Test("A round is good once, for the page that began it")
    func round() async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000)
        #expect(try await subject(code, secret) == "subject-1")
        let sent = try issuer.lastForm()
        #expect(sent["code"] == "code-1" && sent["code_verifier"]?.utf8.count == 43)
        #expect(await fault { _ = try await subject(code, secret) } == .identityRefused)
    }

    @Test("Who has the code only, or the secret of another page, gets nothing, and the code is spent")
    func otherPages() async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000)
        #expect(await fault { _ = try await subject(code, RefreshToken.randomText()) } == .identityRefused)
        #expect(await fault { _ = try await subject(code, secret) } == .identityRefused)
        #expect(issuer.count("/token") == 0)
    }

    @Test("A state is good once, for ten minutes, at its provider, and can't be invented")
    func states() async throws {
        let state = try #require(try await OpenIDTests.begin(openID, secret)["state"])
        #expect(try come([("state", state), ("code", "c")]) != "identity_refused")
        #expect(try come([("state", state), ("code", "c")]) == "identity_refused")
        #expect(try come([("state", "invented"), ("code", "c")]) == "identity_refused")
        #expect(try come([("code", "c")]) == "identity_refused")
        let old = try #require(try await OpenIDTests.begin(openID, secret)["state"])
        clock.advance(seconds: 600)
        #expect(try come([("state", old), ("code", "c")]) == "identity_refused")
        let mixed = try #require(try await OpenIDTests.begin(openID, secret)["state"])
        #expect(try come([("state", mixed), ("code", "c"), ("iss", "https://other.example")]) == "identity_refused")
        let denied = try #require(try await OpenIDTests.begin(openID, secret)["state"])
        #expect(try come([("state", denied), ("error", "access_denied")]) == "denied")
    }

    @Test("Beyond the bound the oldest sign-in that has begun is forgotten")
    func bound() async throws {
        let small = OpenIDTests.openID(issuer, clock) { $0.flowsMax = 3 }
        var states: [String] = []
        for _ in 0..<4 {
            clock.advance(seconds: 1)
            states.append(try #require(try await OpenIDTests.begin(small, secret)["state"]))
        }
        #expect(try OpenIDTests.come(small, [("state", states[0]), ("code", "c")]) == "identity_refused")
        #expect(try OpenIDTests.come(small, [("state", states[1]), ("code", "c")]) != "identity_refused")
    }

    @Test("Another page's nonce is refused")
    func nonce() async throws {
        let code = try await OpenIDTests.code(
            openID, issuer, secret, now: clock.now / 1_000, ["nonce": "\"another\""])
        #expect(await fault { _ = try await subject(code, secret) } == .identityRefused)
    }

    @Test("A browser's token must be for the browser's client")
    func clients() async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000, ["aud": "\"app\""])
        #expect(await fault { _ = try await subject(code, secret) } == .identityRefused)
        let token = issuer.sign(
            TestIssuer.claims(now: clock.now / 1_000, ["aud": "\"app\"", "nonce": TestIssuer.hashedNonce]))
        let proven = try await openID.prove("sso", token: token, nonce: "nonce", code: nil)
        #expect(proven.identity.client == "app")
    }

    @Test("What fails afterwards can be tried again, without asking the provider again")
    func again() async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000)
        for _ in 0..<2 {
            let code = await fault {
                try await openID.redeem(code, verifier: secret) { (_) throws(ServiceFault) in
                    throw .invalid("displayName", "is required")
                }
            }
            #expect(code == .invalid)
        }
        #expect(try await subject(code, secret) == "subject-1")
        #expect(issuer.count("/token") == 1)
    }

    @Test("Trying again makes a sign-in last no longer")
    func againLate() async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000)
        for seconds: Int64 in [599, 1] {
            clock.advance(seconds: seconds)
            let code = await fault {
                try await openID.redeem(code, verifier: secret) { (_) throws(ServiceFault) in
                    throw .invalid("displayName", "is required")
                }
            }
            #expect(code == (seconds == 1 ? .identityRefused : .invalid))
        }
    }

    @Test(
        "What the token endpoint may answer",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#, ServiceFault.Code.identityRefused),
            (401, #"{"error":"invalid_client"}"#, .unavailable), (500, "{}", .unavailable), (302, "", .unavailable),
            (200, "garbage", .unavailable), (200, "{}", .unavailable),
            (200, #"{"id_token":"a.b.c"}"#, .identityRefused),
        ])
    func tokenEndpoint(_ status: Int, _ body: String, _ expected: ServiceFault.Code) async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000)
        issuer.change { $0.answers["/token"] = (status, body) }
        for _ in 0..<(expected == .unavailable ? 5 : 1) {
            #expect(await fault { _ = try await subject(code, secret) } == expected)
        }
        // Otherwise the holder of a code could ask the provider again and again.
        #expect(await fault { _ = try await subject(code, secret) } == .identityRefused)
    }

    @Test("A provider that is away for a moment uses no code up, and is asked for nothing twice")
    func passingFailure() async throws {
        let code = try await OpenIDTests.code(openID, issuer, secret, now: clock.now / 1_000)
        issuer.change { $0.answers["/token"] = (503, "{}") }
        #expect(await fault { _ = try await subject(code, secret) } == .unavailable)
        issuer.change { state in
            state.answers["/token"] = nil
            state.answers["/jwks"] = (500, "{}")
        }
        #expect(await fault { _ = try await subject(code, secret) } == .unavailable)
        issuer.change { $0.answers["/jwks"] = nil }
        clock.advance(seconds: 31)
        #expect(try await subject(code, secret) == "subject-1")
        // Once in vain, and once for what was kept while the keys were away.
        #expect(issuer.count("/token") == 2)
        #expect(await fault { _ = try await subject(code, secret) } == .identityRefused)
    }

    @Test("What the token doesn't say of the address is asked at the userinfo endpoint")
    func userinfo() async throws {
        issuer.change { $0.document["userinfo_endpoint"] = TestIssuer.url + "/userinfo" }
        func identity(_ answer: (Int, String), _ changes: [String: String?] = [:]) async throws -> Identity {
            issuer.change { $0.answers["/userinfo"] = answer }
            let code = try await OpenIDTests.code(
                openID, issuer, secret, now: clock.now / 1_000, ["email": nil, "name": nil].merging(changes) { $1 })
            return try await openID.redeem(code, verifier: secret) { (proven) throws(ServiceFault) in proven.identity }
        }
        let ann = #"{"sub":"subject-1","email":"ann@example.org","email_verified":true,"name":"Ann"}"#
        let found = try await identity((200, ann))
        #expect(found.email == "ann@example.org" && found.isEmailVerified && found.name == "Ann")
        // Nothing is asked if the token has it.
        let asked = issuer.count("/userinfo")
        #expect(try await identity((500, ""), ["email": "\"bob@example.org\""]).email == "bob@example.org")
        #expect(issuer.count("/userinfo") == asked)
        // It may be about another user, or about none.
        for other in [
            #"{"sub":"subject-2","email":"eve@example.org","email_verified":true}"#, #"{"email":"e@example.org"}"#,
        ] {
            #expect(await fault { _ = try await identity((200, other)) } == .identityRefused)
        }
        #expect(try await identity((403, "{}")).email == nil)
        #expect(try await identity((200, "e30.e30.sig")).email == nil)
        #expect(await fault { _ = try await identity((502, "{}")) } == .unavailable)
    }

    @Test("Apple gets a secret that is made for it, and its form may name a person")
    func apple() async throws {
        let key = P256.Signing.PrivateKey()
        let apple = OpenIDTests.openID(issuer, clock, apple: AppleKey(team: "TEAM", name: "KEY", key: key))
        let told = try await OpenIDTests.begin(apple, secret)
        #expect(told["response_mode"] == "form_post" && told["scope"] == "openid name email")
        let user = #"{"name":{"firstName":"Ann","lastName":"Lee"},"email":"victim@example.org"}"#
        let code = try await OpenIDTests.code(
            apple, issuer, secret, now: clock.now / 1_000, ["name": nil, "email": nil], more: [("user", user)])
        let identity = try await apple.redeem(code, verifier: secret) { (proven) throws(ServiceFault) in proven.identity
        }
        #expect(identity.name == "Ann Lee" && identity.email == nil)
        let form = try issuer.lastForm()
        let parts = try #require(form["client_secret"]).split(separator: ".")
        let bytes = try #require(Base64URL.decode(parts[2]))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
        #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let payload = try #require(Base64URL.decode(parts[1]))
        let claims = try JSONDecoder().decode([String: Claim].self, from: Data(payload))
        #expect(claims["iss"] == .text("TEAM") && claims["sub"] == .text("roost"))
        #expect(claims["aud"] == .text(TestIssuer.url))
        #expect(claims["exp"] == .number(clock.now / 1_000 + 300))
    }

    private enum Claim: Decodable, Equatable {
        case text(String)
        case number(Int64)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = try (try? .text(container.decode(String.self))) ?? .number(container.decode(Int64.self))
        }
    }
}

/// The settings that an operator may write.
struct OpenIDConfigurationTests {
    private func settings(_ change: (inout ServicesConfiguration) -> Void) throws -> OpenID.Settings {
        var configuration = ServicesConfiguration()
        change(&configuration)
        return try OpenID.Settings(configuration, rule: EndpointRule(AddressPolicy(configuration)))
    }

    @Test("Nobody by default, and each by its client")
    func providers() throws {
        #expect(try settings { _ in }.providers.isEmpty)
        let some = try settings {
            $0.openID.google.id = "g"
            $0.openID.other.issuer = "https://login.example.org"
            $0.openID.other.apps = ["a"]
        }
        #expect(some.providers.map(\.id) == ["google", "sso"])
        #expect(some.providers[0].issuers == ["https://accounts.google.com", "accounts.google.com"])
        #expect(some.ownURL == "http://127.0.0.1:8081")
    }

    @Test("What is missing or can't be used is said at the start")
    func mistakes() {
        #expect(throws: ConfigurationFailure.self) { try settings { $0.openID.apple.id = "a" } }
        #expect(throws: ConfigurationFailure.self) { try settings { $0.openID.other.id = "a" } }
        #expect(throws: ConfigurationFailure.self) {
            try settings {
                $0.openID.google.id = "g"
                $0.openID.google.issuer = "http://127.0.0.1:1"
            }
        }
        #expect(throws: Never.self) {
            try settings {
                $0.openID.google.id = "g"
                $0.openID.google.issuer = "http://127.0.0.1:1"
                $0.allowedAddresses = ["127.0.0.0/8"]
            }
        }
    }
}
