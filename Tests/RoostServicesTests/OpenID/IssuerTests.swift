import Logging
import RoostConfiguration
import Testing

@testable import RoostServices

/// When an issuer is asked, and what of its answers is used.
struct IssuerTests {
    private static let discovery = "/.well-known/openid-configuration"
    private let issuer: TestIssuer
    private let clock = TestClock()
    private let asked: Issuer

    init() throws {
        let issuer = try TestIssuer()
        self.issuer = issuer
        asked = IssuerTests.issuer(issuer, clock)
    }

    private static func issuer(_ issuer: TestIssuer, _ clock: TestClock) -> Issuer {
        Issuer(
            name: "test", url: TestIssuer.url, rule: EndpointRule(AddressPolicy()), bounds: OpenIDBounds(),
            clock: clock.wall, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, send: issuer.send)
    }

    private func token(_ kid: String) throws -> IdentityToken {
        let text = issuer.sign(TestIssuer.claims(now: clock.now / 1_000), head: #"{"alg":"RS256","kid":"\#(kid)"}"#)
        return try IdentityToken(text, bytesMax: 8_192)
    }

    private func isUnavailable(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch { return (error as? ServiceFault)?.code == .unavailable }
        return false
    }

    @Test("The document and the keys are fetched once, for all who ask at once, and again after an hour")
    func cache() async throws {
        let token = try token("rsa")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await asked.key(of: token) != nil } }
            for try await isFound in group { #expect(isFound) }
        }
        #expect(issuer.count(Self.discovery) == 1)
        #expect(issuer.count("/jwks") == 1)
        clock.advance(seconds: 3_599)
        _ = try await asked.key(of: token)
        #expect(issuer.count("/jwks") == 1)
        clock.advance(seconds: 1)
        _ = try await asked.key(of: token)
        #expect(issuer.count("/jwks") == 2)
        #expect(issuer.count(Self.discovery) == 2)
    }

    @Test("A new key costs one fetch, and invented keys no more than one in half a minute")
    func rotation() async throws {
        let old = try token("rsa")
        #expect(try await asked.key(of: old) != nil)
        issuer.change { $0.published = ["rsa-2", "rsa"] }
        let new = try token("rsa-2")
        #expect(try await asked.key(of: new) != nil)
        #expect(issuer.count("/jwks") == 2)
        for number in 0..<100 {
            let invented = try token("invented-\(number)")
            #expect(try await asked.key(of: invented) == nil)
        }
        #expect(issuer.count("/jwks") == 2)
        clock.advance(seconds: 30)
        for number in 0..<100 {
            let invented = try token("invented-\(number)")
            #expect(try await asked.key(of: invented) == nil)
        }
        #expect(issuer.count("/jwks") == 3)
        #expect(try await asked.key(of: old) != nil)
        #expect(issuer.count(Self.discovery) == 1)
    }

    @Test("A key that was withdrawn is gone after an hour")
    func withdrawal() async throws {
        let token = try token("rsa")
        #expect(try await asked.key(of: token) != nil)
        issuer.change { $0.published = ["ec"] }
        clock.advance(seconds: 3_600)
        #expect(try await asked.key(of: token) == nil)
    }

    @Test("While the issuer is away the old keys are good, for a day")
    func away() async throws {
        let token = try token("rsa")
        _ = try await asked.key(of: token)
        issuer.change { $0.failure = .timeout }
        clock.advance(seconds: 3_600)
        for _ in 0..<10 { #expect(try await asked.key(of: token) != nil) }
        // The keys' fetch begins with the document's, which fails.
        #expect(issuer.count(Self.discovery) == 2)
        clock.advance(seconds: 86_400)
        #expect(await isUnavailable { _ = try await asked.key(of: token) })
        issuer.change { $0.failure = nil }
        clock.advance(seconds: 30)
        #expect(try await asked.key(of: token) != nil)
    }

    @Test("A failure isn't repeated for half a minute")
    func pause() async throws {
        issuer.change { $0.answers["/jwks"] = (500, "{}") }
        let token = try token("rsa")
        for _ in 0..<10 { #expect(await isUnavailable { _ = try await asked.key(of: token) }) }
        #expect(issuer.count("/jwks") == 1)
        issuer.change { $0.answers = [:] }
        #expect(await isUnavailable { _ = try await asked.key(of: token) })
        clock.advance(seconds: 30)
        #expect(try await asked.key(of: token) != nil)
    }

    @Test(
        "A document that names another issuer, or addresses that aren't to be used",
        arguments: [
            ("issuer", "https://issuer.example/"), ("issuer", "https://other.example"),
            ("jwks_uri", "http://issuer.example/jwks"), ("jwks_uri", "http://127.0.0.1/jwks"),
            ("jwks_uri", "file:///keys"),
            ("jwks_uri", "https://user@issuer.example/jwks"), ("jwks_uri", "https://issuer.example/jwks#a"),
            ("token_endpoint", "http://issuer.example/token"), ("authorization_endpoint", "javascript:alert(1)"),
            ("authorization_endpoint", ""), ("revocation_endpoint", "http://issuer.example/revoke"),
        ])
    func documents(_ name: String, _ value: String) async {
        issuer.change { $0.document[name] = value }
        #expect(await isUnavailable { _ = try await asked.document() })
    }

    @Test(
        "A redirect, garbage, and a set that isn't one",
        arguments: [(302, #"{"keys":[]}"#), (200, "\u{0}{["), (200, "[]"), (404, "{}")])
    func answers(_ status: Int, _ body: String) async throws {
        issuer.change { $0.answers["/jwks"] = (status, body) }
        let token = try token("rsa")
        #expect(await isUnavailable { _ = try await asked.key(of: token) })
        issuer.change { $0.answers[Self.discovery] = (status, body) }
        let other = IssuerTests.issuer(issuer, clock)
        #expect(await isUnavailable { _ = try await other.document() })
    }

    @Test("Plain HTTP goes to this machine only, and only if its addresses are allowed")
    func endpoints() throws {
        let (closed, open) = (
            EndpointRule(AddressPolicy()), EndpointRule(AddressPolicy(allowed: [try range("127.0.0.0/8")]))
        )
        for url in ["http://localhost:1/a", "http://127.0.0.1:1", "http://[::1]:1/"] {
            #expect(!closed.allows(url), "\(url)")
            #expect(open.allows(url), "\(url)")
        }
        for url in ["http://localhost.example/", "http://10.0.0.1/", "http://127.0.0.1.example/", "ftp://localhost/"] {
            #expect(!open.allows(url), "\(url)")
        }
        #expect(closed.allows("https://localhost/"))
    }

    private func range(_ text: String) throws -> AddressRange { try #require(AddressRange(text)) }
}
