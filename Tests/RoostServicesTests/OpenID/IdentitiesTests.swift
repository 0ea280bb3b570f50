import Crypto
import Foundation
import Logging
import RoostStore
import Synchronization
import Testing

@testable import RoostServices

/// The account that an identity opens.
struct IdentitiesTests {
    private let folder = TestFolder()
    private let clock = TestClock()
    private let issuer: TestIssuer
    private let identities: Identities
    private let grants: GrantQueue

    init() async throws {
        let issuer = try TestIssuer()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var limits = ServicesLimits()
        limits.addressAttempts = 1_000
        let accounts = Accounts(
            settings: Accounts.Settings(), limits: limits, clock: clock.wall,
            database: try await ServicesDatabase(path: folder.path + "/services.db", log: log),
            hashes: try HashPool(limits: limits),
            keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall),
            mail: HeldMail(limits: limits, clock: clock.wall),
            log: log)
        let apple = AppleKey(team: "TEAM", name: "KEY", key: P256.Signing.PrivateKey())
        let openID = OpenIDTests.openID(issuer, clock, apple: apple) { $0.identitiesMax = 3 }
        self.issuer = issuer
        identities = Identities(accounts: accounts, openID: openID)
        grants = GrantQueue(
            database: accounts.database, openID: openID, seal: identities.seal, log: log,
            pause: { _ in await Task.yield() })
    }

    private func proof(_ changes: [String: String?] = [:], code: String? = nil) -> Identities.Proof {
        let all = ["nonce": TestIssuer.hashedNonce].merging(changes) { $1 }
        let token = issuer.sign(TestIssuer.claims(now: clock.now / 1_000, all))
        return .token(provider: "apple", token, nonce: "nonce", code: code)
    }

    private func enter(
        _ changes: [String: String?] = [:], code: String? = nil, name: String? = nil
    ) async throws -> Accounts.Tokens {
        try await identities.signIn(
            by: proof(changes, code: code), Accounts.Application(displayName: name), client: "c")
    }

    private func caller(_ tokens: Accounts.Tokens) async throws -> Accounts.Caller {
        try await identities.accounts.caller(tokens.access)
    }

    private func account(_ tokens: Accounts.Tokens) async throws -> Account {
        try await identities.accounts.account(of: try await caller(tokens))
    }

    private func signUp(verified: Bool = false) async throws -> Accounts.Tokens {
        let tokens = try await identities.accounts.signUp(
            Accounts.Application(email: "ann@example.org", password: "correct horse", displayName: "First"), client: "c"
        )
        guard verified else { return tokens }
        try await identities.accounts.database.write { database throws(LocalFailure) in
            try AccountTable.verify(tokens.user, database)
        }
        return tokens
    }

    private func fault(_ body: () async throws -> Void) async -> ServiceFault? {
        do { try await body() } catch { return error as? ServiceFault }
        return nil
    }

    private func count(_ table: String) async throws -> Int64? {
        try await identities.accounts.database.read { database throws(LocalFailure) in
            try database.rows("SELECT count(*) FROM \(table)") { $0.integer(0) }.first
        }
    }

    // MARK: Signing in

    @Test("A new identity makes an account, and opens it again, whatever its address and name are later")
    func newAccount() async throws {
        let tokens = try await enter()
        let account = try await account(tokens)
        #expect(account.name == "Ann" && account.email == "ann@example.org")
        #expect(account.isVerified && account.hash == nil)
        let again = try await enter(["email": "\"new@example.org\"", "name": "\"Anna\""])
        #expect(again.user == tokens.user && again.sid != tokens.sid)
        #expect(try await self.account(again).name == "Ann")
        let other = try await enter(["sub": "\"subject-2\"", "email": nil])
        #expect(other.user != tokens.user)
    }

    @Test("A second factor is asked for whichever provider has asked for one, and a new identity waits for nothing")
    func secondFactor() async throws {
        let (accounts, factors) = (identities.accounts, Factors(identities.accounts))
        let first = try await enter()
        let sealed = try FactorSeal(accounts.keys.secret).sealed(Array("12345678901234567890".utf8), of: first.user)
        let now = clock.now
        try await accounts.database.write { database throws(LocalFailure) in
            _ = try FactorTable.begin(first.user, sealed, now: now, database)
            try FactorTable.turnOn(first.user, step: 0, now: now, database)
        }
        let fault = await fault { _ = try await enter() }
        #expect(fault?.code == .factorRequired)
        #expect(try await count("session") == 1)
        let code = TOTP.code(Array("12345678901234567890".utf8), step: TOTP.step(at: now / 1_000))
        let tokens = try await factors.signIn(by: fault?.ticket?.secret, code: code, device: nil, client: "c")
        #expect(tokens.user == first.user && tokens.sid != first.sid)
        #expect(try await enter(["sub": #""2""#, "email": nil]).user != first.user)
    }

    @Test("A name comes from the person, or from the token, or is asked for")
    func names() async throws {
        let refused = await fault { _ = try await enter(["name": nil]) }
        #expect(refused?.code == .invalid && refused?.member == "displayName")
        // One that we don't allow is as none.
        #expect(await fault { _ = try await enter(["name": #""a\u0000b""#]) }?.member == "displayName")
        #expect(try await account(try await enter(name: " Annie ")).name == "Annie")
        let parts = ["sub": #""2""#, "email": nil, "name": nil, "given_name": #""An""#, "family_name": #""Li""#]
        #expect(try await account(try await enter(parts)).name == "An Li")
    }

    @Test("An address that the provider hasn't seen is no way into an account, and isn't kept")
    func unverifiedAddress() async throws {
        let stranger = try await enter(["email_verified": "false", "email": "\"victim@example.org\""])
        #expect(try await account(stranger).email == nil)
        let first = try await signUp(verified: true)
        #expect(await fault { _ = try await enter(["sub": #""2""#, "email_verified": "false"]) }?.code == .emailTaken)
        #expect(try await enter(["sub": #""2""#]).user == first.user)
    }

    @Test("Whoever signed up with somebody else's address, and didn't confirm it, doesn't get their identity")
    func preHijacking() async throws {
        _ = try await signUp()
        #expect(await fault { _ = try await enter() }?.code == .emailTaken)
        #expect(try await count("identity") == 0)
    }

    @Test("A new password by mail takes ways in that were made before the address was confirmed, and no others")
    func trojanIdentities() async throws {
        let mallory = ["sub": #""mallory""#, "email": #""mallory@example.org""#]
        func reset() async throws {
            try await identities.accounts.sendReset(to: "ann@example.org")
            let link = try #require(identities.accounts.mail.held().last?.letter.link)
            let secret = String(link.drop { $0 != "=" }.dropFirst())
            try await identities.accounts.resetPassword(token: secret, to: "correct horse")
        }
        // An attacker signs up with Ann's address, and adds another way in; then she comes.
        let tokens = try await signUp()
        _ = try await identities.link(
            proof(mallory, code: "code"), to: try await caller(tokens), password: "correct horse", client: "c")
        try await reset()
        #expect(try await enter(mallory).user != tokens.user)
        #expect(try await count("ended_grant") == 1)
        let ann = try await identities.accounts.signIn(
            email: "ann@example.org", password: "correct horse", device: nil, client: "c")
        _ = try await identities.link(proof(), to: try await caller(ann), password: "correct horse", client: "c")
        try await reset()
        #expect(try await enter().user == ann.user)
    }

    @Test("An account with a confirmed address and an identity with the same are one person")
    func sameAddress() async throws {
        let first = try await signUp(verified: true)
        let second = try await enter(["email": "\"ANN@Example.org\""])
        #expect(second.user == first.user)
        #expect(try await account(second).name == "First")
        #expect(try await identities.all(of: try await caller(second)).count == 1)
    }

    @Test("An identity that joins an account by its address ends what led into it before, once")
    func joining() async throws {
        let mallory = ["sub": #""mallory""#, "email": #""mallory@example.org""#]
        let first = try await signUp(verified: true)
        _ = try await identities.link(
            proof(mallory, code: "code"), to: try await caller(first), password: "correct horse", client: "c")
        let ann = try await enter()
        #expect(ann.user == first.user)
        #expect(await fault { _ = try await caller(first) }?.code == .unauthorized)
        let refreshed = await fault { _ = try await identities.accounts.refresh(first.refresh, key: nil) }
        #expect(refreshed?.code == .unauthorized)
        #expect(try await account(ann).hash == nil)
        #expect(try await identities.all(of: try await caller(ann)).map(\.subject) == ["subject-1"])
        #expect(try await count("ended_grant") == 1)
        #expect(try await count("revocation") == 1)
        #expect(try await enter(mallory).user != ann.user)
        // Another provider of hers ends nothing of hers.
        let other = try await enter(["sub": #""subject-2""#])
        #expect(other.user == ann.user)
        _ = try await caller(ann)
        #expect(try await identities.all(of: try await caller(other)).count == 2)
    }

    @Test("Whoever taps twice gets one account, and nothing is left of the second")
    func twice() async throws {
        let proof = proof(["email": nil])
        let users = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try? await identities.signIn(by: proof, Accounts.Application(), client: "c").user
                }
            }
            var users: Set<String> = []
            for await user in group { if let user { users.insert(user) } }
            return users
        }
        #expect(users.count == 1)
        #expect(try await count("account") == 1)
        #expect(try await count("identity") == 1)
    }

    // MARK: Linking

    @Test("The caller links with their password, and is told if the identity is somebody else's")
    func linking() async throws {
        let ann = try await signUp()
        let caller = try await caller(ann)
        #expect(
            await fault { _ = try await identities.link(proof(), to: caller, password: nil, client: "c") }?.code
                == .invalid)
        let wrong = await fault {
            _ = try await identities.link(proof(), to: caller, password: "wrong horse", client: "c")
        }
        #expect(wrong?.code == .invalidCredentials)
        let linked = try await identities.link(proof(), to: caller, password: "correct horse", client: "c")
        // Once more changes nothing.
        #expect(try await identities.link(proof(), to: caller, password: "correct horse", client: "c") == linked)
        #expect(try await enter().user == ann.user)
        let bob = try await enter(["sub": #""2""#, "email": "\"bob@example.org\""])
        let taken = await fault {
            _ = try await identities.link(proof(), to: try await self.caller(bob), password: nil, client: "c")
        }
        #expect(taken?.code == .identityTaken)
        clock.advance(seconds: 601)
        let late = await fault {
            _ = try await identities.link(
                proof(["sub": #""3""#]), to: try await self.caller(bob), password: nil, client: "c")
        }
        #expect(late?.code == .signInAgain)
    }

    @Test("An account has so many identities and no more")
    func bound() async throws {
        let caller = try await caller(try await signUp(verified: true))
        for number in 1...3 {
            _ = try await identities.link(
                proof(["sub": "\"\(number)\""]), to: caller, password: "correct horse", client: "c")
        }
        let refused = await fault {
            _ = try await identities.link(proof(["sub": #""4""#]), to: caller, password: "correct horse", client: "c")
        }
        #expect(refused?.code == .conflict)
        // Joining by the address counts, too, once the address's reader has the account and nothing is ended by it.
        try await identities.accounts.database.write { database throws(LocalFailure) in
            try database.run("UPDATE account SET verified = 2")
        }
        #expect(await fault { _ = try await enter(["sub": #""4""#]) }?.code == .conflict)
    }

    @Test("The last way in stays; others go, and only by their owner")
    func unlinking() async throws {
        let ann = try await caller(try await enter())
        let one = try #require(try await identities.all(of: ann).first)
        #expect(await fault { try await identities.unlink(one.id, of: ann) }?.code == .lastWayIn)
        let other = try await identities.link(proof(["sub": #""2""#]), to: ann, password: nil, client: "c")
        let bob = try await caller(try await enter(["sub": #""3""#, "email": nil]))
        #expect(await fault { try await identities.unlink(other.id, of: bob) }?.code == .notFound)
        try await identities.unlink(one.id, of: ann)
        #expect(try await identities.all(of: ann).map(\.id) == [other.id])
        #expect(await fault { try await identities.unlink(other.id, of: ann) }?.code == .lastWayIn)
    }

    // MARK: Grants

    @Test("A grant is kept so that the database alone doesn't tell it, and ended with the account, however late")
    func grant() async throws {
        let tokens = try await enter(code: "code-1")
        let bytes = try await identities.accounts.database.read { database throws(LocalFailure) in
            try database.rows("SELECT sealed FROM identity") { $0.bytes(0) }
        }
        #expect(bytes.count == 1 && !String(decoding: bytes[0], as: UTF8.self).contains("refresh-of-ann"))
        issuer.change { $0.answers["/revoke"] = (503, "{}") }
        try await identities.accounts.erase(try await caller(tokens), password: nil)
        #expect(try await count("identity") == 0)
        #expect(try await count("ended_grant") == 1)
        let task = Task { await grants.run() }
        while issuer.count("/revoke") < 3 { await Task.yield() }
        #expect(try await count("ended_grant") == 1)
        issuer.change { $0.answers = [:] }
        while try await count("ended_grant") != 0 { await Task.yield() }
        task.cancel()
        grants.wake()
        await task.value
        let form = try issuer.lastForm()
        #expect(form["token"] == "refresh-of-ann" && form["client_id"] == "roost")
    }

    @Test("A grant that no provider takes is forgotten after so many tries, and one of another key at once")
    func hopelessGrants() async throws {
        let seal = GrantSeal(SymmetricKey(size: .bits256))
        let foreign = try seal.sealed("a", issuer: TestIssuer.url, client: "roost")
        let own = try identities.seal.sealed("b", issuer: TestIssuer.url, client: "roost")
        #expect(identities.seal.opened(own, issuer: "https://other.example") == nil)
        #expect(identities.seal.opened(foreign, issuer: TestIssuer.url) == nil)
        let tries = identities.openID.settings.bounds.grantTries - 2
        try await identities.accounts.database.write { database throws(LocalFailure) in
            for grant in [foreign, own] {
                try database.run(
                    "INSERT INTO ended_grant(issuer, client, sealed, tries) VALUES (?, ?, ?, ?)",
                    [.text(TestIssuer.url), .text(grant.client), .bytes(grant.bytes), .integer(tries)])
            }
        }
        issuer.change { $0.answers["/revoke"] = (400, "{}") }
        let task = Task { await grants.run() }
        while try await count("ended_grant") != 0 { await Task.yield() }
        task.cancel()
        grants.wake()
        await task.value
        #expect(issuer.count("/revoke") == 2)
    }

    @Test("An app's code isn't spent on a sign-up that is refused")
    func codesOfApps() async throws {
        #expect(await fault { _ = try await enter(["name": nil], code: "code-1") }?.code == .invalid)
        #expect(issuer.count("/token") == 0)
        _ = try await enter(["name": nil], code: "code-1", name: "Ann")
        #expect(issuer.count("/token") == 1)
    }
}
