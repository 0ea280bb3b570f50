import Foundation
import RoostConfiguration
import RoostStore
import RoostWire
import Testing

@testable import RoostServices

/// Users that come from Firebase.
struct FirebaseImportTests {
    /// From the README of github.com/firebase/scrypt.
    private static let console = """
        hash_config {
          algorithm: SCRYPT,
          base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
          base64_salt_separator: Bw==,
          rounds: 8,
          mem_cost: 14,
        }
        """
    private static let hash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
    private static let salt = "42xEC+ixf3L2lw=="

    private let parameters: FirebaseHashParameters

    init() throws { parameters = try FirebaseHashParameters(reading: FirebaseImportTests.console) }

    private func published() throws -> FirebaseScrypt {
        let hash = try #require(FirebaseUser.bytes(base64: FirebaseImportTests.hash))
        let salt = try #require(FirebaseUser.bytes(base64: FirebaseImportTests.salt))
        return try #require(parameters.hash(hash, salt: salt))
    }

    private func user(_ members: String) throws(FirebaseUser.Refusal) -> FirebaseUser {
        try FirebaseUser(Array("{\"localId\":\"kYi4EvWQlQTKSfnJ3dRSP6IH3ed2\",\(members)}".utf8))
    }

    private func account(
        _ members: String, rules: PersonRules = PersonRules()
    ) throws(FirebaseUser.Refusal) -> Account {
        try user(members).account(parameters, rules: rules, now: 2_000_000_000_000)
    }

    private func refusal(_ body: () throws(FirebaseUser.Refusal) -> Void) -> FirebaseUser.Refusal? {
        do throws(FirebaseUser.Refusal) { try body() } catch { return error }
        return nil
    }

    @Test func claimsWithoutARoleGiveTheDefault() throws {
        var rules = PersonRules()
        rules.roles = ["trainer", "client"]
        func role(_ claims: String, default role: String?) throws -> String? {
            let text = #""email":"ann@example.org","customAttributes":"{\"role\":\"\#(claims)\"}""#
            return try user(text).account(parameters, rules: rules, defaultRole: role, now: 2_000_000_000_000).role
        }
        #expect(try role("trainer", default: "client") == "trainer")
        #expect(try role("admin", default: "client") == "client")
        #expect(try role("admin", default: nil) == nil)
    }

    // MARK: Hashes

    @Test func thePublishedVectorIsRight() throws {
        let hash = try published()
        #expect(hash.verify("user1password") == true)
        #expect(hash.verify("user1passwore") == false)
        #expect(hash.verify("") == false)
        #expect(FirebaseScrypt(reading: hash.text) == hash)
        #expect(hash.decoy()?.verify("user1password") == false)
    }

    @Test func theSignerKeyIsKeptNowhere() throws {
        let hash = try published()
        let kept = Array(hash.text.utf8) + hash.stream + hash.salt
        let key = parameters.signerKey.prefix(4)
        #expect(!kept.indices.contains { kept[$0...].starts(with: key) })
    }

    @Test func theFirstSignInMakesANewHash() async throws {
        let pool = try HashPool(limits: ServicesLimits())
        let text = try published().text
        let verdict = try await pool.verify("user1password", against: text)
        let renewed = try #require(verdict.renewed)
        #expect(verdict.isRight && renewed.hasPrefix(Argon2.head))
        #expect(try await pool.verify("user1password", against: renewed) == HashPool.Verdict(isRight: true))
        #expect(try await pool.verify("wrong", against: text) == HashPool.Verdict(isRight: false))
    }

    @Test(arguments: ["15$8", "0$8", "14$9", "14$0", "x$8", "14"]) func costsThatAreTooHighAreRefused(_ costs: String)
        throws
    {
        let rest = try published().text.dropFirst(FirebaseScrypt.mark.count + "14$8".count)
        #expect(FirebaseScrypt(reading: FirebaseScrypt.mark + "14$8" + rest) != nil)
        #expect(FirebaseScrypt(reading: FirebaseScrypt.mark + costs + rest) == nil)
    }

    @Test func asManyUnknownAddressesAsKnownOnesTakeTheTimeOfFirebase() throws {
        var decoys = try #require(DecoyHashes())
        func share() -> Double {
            let found = (0..<256).count { decoys.hash(for: [UInt8($0), 0, 0, 0]).hasPrefix(FirebaseScrypt.mark) }
            return Double(found) / 256
        }
        #expect(share() == 0)
        decoys.adapt(to: try published().text, share: 0.25)
        #expect(share() == 0.25)
        // An address that took the other time before takes it no more.
        let (early, late): ([UInt8], [UInt8]) = ([10, 0, 0, 0], [60, 0, 0, 0])
        #expect(decoys.hash(for: early) == decoys.hash(for: late))
        decoys.adapt(to: try published().text, share: 0.1)
        #expect(decoys.hash(for: early) != decoys.hash(for: late))
        decoys.adapt(to: try published().text, share: 1)
        #expect(share() == 1)
        decoys.adapt(to: nil, share: 0)
        #expect(share() == 0)
        // Without the digest of an address, too.
        #expect(!decoys.hash(for: []).isEmpty)
    }

    // MARK: Parameters

    @Test(arguments: [
        ("mem_cost: 14", "mem_cost: 15"), ("mem_cost: 14", "mem_cost: 0"), ("rounds: 8", "rounds: 9"),
        ("rounds: 8", "rounds: x"), ("rounds: 8", "round: 8"), ("algorithm: SCRYPT", "algorithm: BCRYPT"),
        ("jxspr8Ki", "jxspr8K"), ("base64_signer_key: ", "base64_signer_key: Bw==\n x: "),
    ]) func faultyParametersAreNamed(_ old: String, _ new: String) {
        do throws(ConfigurationFailure) {
            _ = try FirebaseHashParameters(
                reading: FirebaseImportTests.console.replacingOccurrences(of: old, with: new))
            Issue.record("\(new) was taken")
        } catch {
            #expect(error.description.hasPrefix("--hash-config: ") && !error.description.contains("jxs"))
        }
    }

    // MARK: Users

    @Test func aUserBecomesAnAccount() throws {
        let found = try account(
            """
            "email":"Ann@Example.org","emailVerified":true,"displayName":" Ann ","disabled":true,"photoUrl":"x",
            "createdAt":"1508893925000","salt":"\(FirebaseImportTests.salt)",
            "passwordHash":"\(FirebaseImportTests.hash)"
            """)
        #expect(
            found
                == Account(
                    user: "kYi4EvWQlQTKSfnJ3dRSP6IH3ed2", email: "ann@example.org", name: "Ann", language: "en",
                    hash: try published().text, isVerified: true, isSuspended: true, created: 1_508_893_925_000))
    }

    @Test func aUserWithTheLeast() throws {
        let found = try account(#""email":"ann@example.org","createdAt":"never""#)
        #expect(found.hash == nil && found.name.isEmpty && !found.isVerified && found.created == 2_000_000_000_000)
    }

    @Test func namesAreTakenFromProvidersAndMadeToFit() throws {
        let google = #""providerUserInfo":[{"providerId":"google.com","displayName":"Ann G"}]"#
        #expect(try account(#""email":"a@example.org","displayName":"",\#(google)"#).name == "Ann G")
        #expect(try account(#""email":"a@example.org","displayName":"a\u0000b\nc""#).name == "abc")
        let long = String(repeating: "x", count: 63) + " y"
        #expect(try account(#""email":"a@example.org","displayName":"\#(long)""#).name.count == 63)
    }

    @Test func aRoleIsTakenFromTheClaims() throws {
        let rules = PersonRules(roles: ["trainer"])
        func role(_ claims: String) throws -> String? {
            try account(#""email":"a@example.org","customAttributes":"\#(claims)""#, rules: rules).role
        }
        #expect(try role(#"{\"role\":\"trainer\"}"#) == "trainer")
        #expect(try role(#"{\"role\":\"admin\"}"#) == nil)
        #expect(try role("nonsense") == nil)
    }

    @Test func idsThatDontFitAreReplaced() throws {
        func user(_ id: String) throws -> String {
            try FirebaseUser(Array("{\"localId\":\"\(id)\"}".utf8)).user(parameters)
        }
        #expect(try user("custom:17") == "custom:17")
        let ids = ["ann@example.org", "@ann", "a b", "é", String(repeating: "x", count: 128)]
        let users = try ids.map(user)
        #expect(users.allSatisfy { $0.count == 17 && $0.hasPrefix("u") } && Set(users).count == ids.count)
        #expect(try ids.map(user) == users)
    }

    @Test func usersWhoCannotBeImportedAreRefused() throws {
        #expect(refusal { () throws(FirebaseUser.Refusal) in _ = try FirebaseUser(Array("[]".utf8)) } == .unreadable)
        #expect(refusal { () throws(FirebaseUser.Refusal) in _ = try FirebaseUser(Array("{}".utf8)) } == .nameless)
        for (members, expected) in [
            (#""phoneNumber":"+49""#, FirebaseUser.Refusal.noWayIn), (#""email":"ann""#, .badAddress),
            (#""email":"a@example.org","passwordHash":"!","salt":"""#, .badHash),
            (#""email":"a@example.org","passwordHash":"Bw==","salt":"Bw==""#, .badHash),
        ] {
            #expect(refusal { () throws(FirebaseUser.Refusal) in _ = try account(members) } == expected, "\(members)")
        }
    }

    // MARK: The file

    private func entries(_ text: String, pieces: Int = 7) throws -> [String?] {
        var export = FirebaseExport(entryBytesMax: 40)
        var found: [String?] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try export.read(bytes[start..<min(start + pieces, bytes.count)]) { entry in
                found.append(entry.bytes.map { "\(entry.line) " + String(decoding: $0, as: UTF8.self) })
            }
        }
        try export.finish()
        return found
    }

    @Test(arguments: 1...60) func usersAreCutAnywhere(_ pieces: Int) throws {
        let text = "{\"users\": [\n{\"a\":\"}]\\\"{\"},\n{\"b\":[{\"c\":{}}]} ],\"x\":[]}\n"
        #expect(
            try entries(text, pieces: pieces) == [#"2 {"a":"}]\"{"}"#, #"3 {"b":[{"c":{}}]}"#])
    }

    @Test func aUserThatIsTooLongIsSkipped() throws {
        let long = String(repeating: "x", count: 40)
        #expect(try entries(#"[{"a":"\#(long)"},{"b":1}]"#) == [nil, #"1 {"b":1}"#])
        #expect(try entries("[{\"a\":\"\(String(repeating: "x", count: 32))\"}]").first??.count == 42)
    }

    @Test(arguments: [
        "", "{", "{\"users\":[{}", "{\"users\":[{}]", "[}", "ann,a@example.org", "{\"users\":[]}}", "{}", "[] []",
        "{\"users\":[\"", String(repeating: "[", count: 70),
    ]) func whatIsNoExportIsRefused(_ text: String) {
        #expect(throws: ImportFailure.self) { try entries(text) }
    }
}
