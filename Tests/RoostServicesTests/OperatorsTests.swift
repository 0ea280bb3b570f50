import Logging
import RoostStore
import Testing

@testable import RoostServices

/// Operators' acts, at the bounds, with a clock of the test's own.
struct OperatorsTests {
    private let folder = TestFolder()
    private let clock = TestClock()
    private let caller = Operators.Caller(name: "@olga", hasAccount: false)

    private func operators(_ change: (inout ServicesLimits) -> Void = { _ in }) async throws -> Operators {
        var limits = ServicesLimits()
        limits.addressAttempts = 1_000
        change(&limits)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return Operators(
            Accounts(
                settings: Accounts.Settings(), limits: limits, clock: clock.wall,
                database: try await ServicesDatabase(path: folder.path + "/services.db", log: log),
                hashes: try HashPool(limits: limits),
                keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall),
                mail: HeldMail(limits: limits, clock: clock.wall),
                log: log))
    }

    private func signUp(_ operators: Operators, _ email: String, _ name: String = "Ann") async throws -> String {
        try await operators.accounts.signUp(
            Accounts.Application(email: email, password: "correct horse", displayName: name), client: "c"
        ).user
    }

    @Test func theAuditLogKeepsSoManyEntries() async throws {
        let operators = try await operators { $0.auditRows = 3 }
        let user = try await signUp(operators, "ann@example.org")
        for number in 1...5 { _ = try await operators.setTier("t\(number)", of: user, by: caller) }
        let rows = try await operators.audit(of: nil, before: nil, limit: 100)
        #expect(rows.map(\.entry.detail) == ["t5", "t4", "t3"])
    }

    @Test func theAuditLogKeepsAYear() async throws {
        let operators = try await operators()
        let user = try await signUp(operators, "ann@example.org")
        _ = try await operators.setTier("old", of: user, by: caller)
        clock.advance(seconds: 1)
        _ = try await operators.setTier("new", of: user, by: caller)
        clock.advance(seconds: 365 * 86_400)
        try await operators.accounts.clean()
        #expect(try await operators.audit(of: user, before: nil, limit: 100).map(\.entry.detail) == ["new"])
        clock.advance(seconds: 1)
        try await operators.accounts.clean()
        #expect(try await operators.audit(of: user, before: nil, limit: 100).isEmpty)
    }

    @Test func anOperatorWithoutAWayInMustBeFresh() async throws {
        let operators = try await operators()
        let accounts = operators.accounts
        func code(_ body: () async throws -> Void) async -> ServiceFault.Code? {
            do { try await body() } catch { return (error as? ServiceFault)?.code }
            return nil
        }
        func secret(_ link: String) -> String { String(link.drop { $0 != "=" }.dropFirst()) }
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        let owner = try await accounts.enter(
            by: secret(try await links.owner()), Accounts.Application(displayName: "Olga"), client: "c")
        clock.advance(seconds: 601)
        // The holder of an old session of an operator doesn't get the account for good.
        let old = try await accounts.caller(owner.access)
        func add(_ caller: Accounts.Caller) async throws {
            _ = try await accounts.addPassword(of: caller, email: "o@x.org", password: "correct horse", client: "c")
        }
        #expect(await code { try await add(old) } == .signInAgain)
        #expect(await code { try await accounts.erase(old, password: nil) } == .signInAgain)
        // A new link makes its owner fresh.
        let link = try await operators.link(of: owner.user, by: caller)
        let again = try await accounts.enter(by: secret(link.address), Accounts.Application(), client: "c")
        #expect(again.user == owner.user)
        try await add(try await accounts.caller(again.access))
    }

    @Test func failedActsAreNoEntries() async throws {
        let operators = try await operators()
        let user = try await signUp(operators, "ann@example.org")
        await #expect(throws: ServiceFault.self) { _ = try await operators.setTier("No", of: user, by: caller) }
        await #expect(throws: ServiceFault.self) { _ = try await operators.suspend("u1", by: caller) }
        await #expect(throws: ServiceFault.self) { try await operators.delete("u1", by: caller) }
        #expect(try await operators.audit(of: nil, before: nil, limit: 100).isEmpty)
    }

    @Test func whoIsSuspendedWhileTheyAreCheckedGetsNoSession() async throws {
        let operators = try await operators()
        let accounts = operators.accounts
        let user = try await signUp(operators, "ann@example.org")
        let account = try #require(
            try await accounts.database.read { database throws(LocalFailure) in
                try AccountTable.find(user: user, database)
            })
        let (session, _) = try accounts.begin(account, device: "phone")
        _ = try await operators.suspend(user, by: caller)
        await #expect(throws: ServiceFault.self) {
            try await accounts.database.write { database throws(LocalFailure) in
                try SessionTable.insert(session, keep: 10, database)
            }
        }
    }

    @Test func theRelayIsToldOfEachSession() async throws {
        let operators = try await operators()
        let user = try await signUp(operators, "ann@example.org")
        _ = try await operators.accounts.signIn(
            email: "ann@example.org", password: "correct horse", device: nil, client: "c")
        _ = try await operators.suspend(user, by: caller)
        let waiting = try await operators.accounts.database.read { database throws(LocalFailure) in
            try RevocationTable.next(1_000, now: 0, database).map(\.revocation)
        }
        #expect(waiting.map { $0.sid != nil } == [true, true, false] && waiting.allSatisfy { $0.user == user })
        // The last is for the user's invitations. It doesn't wait any more for a user who may sign in again.
        _ = try await operators.resume(user, by: caller)
        let left = try await operators.accounts.database.read { database throws(LocalFailure) in
            try RevocationTable.next(1_000, now: 0, database).filter { $0.revocation.sid == nil }.count
        }
        #expect(left == 0)
    }

    @Test func addressesComeBeforeNames() async throws {
        let operators = try await operators()
        var expected: [String] = []
        for email in ["ana@example.org", "anb@example.org"] { expected.append(try await signUp(operators, email)) }
        expected.append(try await signUp(operators, "z@example.org", "AN"))
        expected.append(try await signUp(operators, "y@example.org", "Anton"))
        _ = try await signUp(operators, "x@example.org", "Bo")
        for limit in [1, 2, 3, 100] {
            var (found, cursor): ([String], AccountCursor?) = ([], nil)
            repeat {
                let page = try await operators.find(prefix: "An", after: cursor, limit: limit, by: caller)
                #expect(page.accounts.count <= limit)
                found += page.accounts.map(\.user)
                cursor = try page.next.map { try #require(AccountCursor($0.text)) }
            } while cursor != nil
            #expect(found == expected, "in pages of \(limit)")
        }
    }

    @Test func aCursorIsReadAsItWasWritten() {
        for cursor in [
            AccountCursor.address("ann@example.org"), .name("Änne \u{1F600}", user: "u1"), .name("", user: ""),
        ] {
            #expect(AccountCursor(cursor.text) == cursor)
        }
        for text in ["", "x", "!", "bm9wZQ", String(repeating: "YQ", count: 400)] {
            #expect(AccountCursor(text) == nil, "\(text)")
        }
    }

    @Test func aTokenOfTheCommandLineEnds() async throws {
        let operators = try await operators()
        let keys = operators.accounts.keys
        let token = try OperatorToken.make(for: "olga", by: keys, issued: clock.now / 1_000, seconds: 300)
        #expect(try await operators.caller(token) == Operators.Caller(name: "@olga", hasAccount: false))
        clock.advance(seconds: 300)
        await #expect(throws: ServiceFault.unauthorized) { _ = try await operators.caller(token) }
        let service = try AccessToken.service(by: keys, issued: clock.now / 1_000, seconds: 300)
        await #expect(throws: ServiceFault.unauthorized) { _ = try await operators.caller(service) }
    }

    @Test func rowsAreCountedOnceInFiveSeconds() async throws {
        let operators = try await operators()
        let census = Census(database: operators.accounts.database, clock: clock.wall, seconds: 5)
        _ = try await signUp(operators, "ann@example.org")
        #expect(try await census.take().accounts == 1)
        _ = try await signUp(operators, "bob@example.org")
        clock.advance(seconds: 4)
        #expect(try await census.take().accounts == 1)
        clock.advance(seconds: 1)
        #expect(try await census.take().accounts == 2)
        // A clock that is set back doesn't stop it.
        _ = try await signUp(operators, "carol@example.org")
        clock.advance(seconds: -100)
        #expect(try await census.take().accounts == 3)
    }

    @Test func lookUpsAreBoundedForEachCaller() async throws {
        let operators = try await operators { $0.lookups = 2 }
        let accounts = operators.accounts
        let lookup = UserLookup(accounts, isOn: true)
        _ = try await signUp(operators, "ann@example.org")
        let callers = ["u1", "u2"].map { Accounts.Caller(user: $0, sid: "s") }
        for caller in callers {
            for _ in 0..<2 {
                await #expect(throws: ServiceFault(.userNotFound, "nobody has this address")) {
                    _ = try await lookup.find(address: "bob@example.org", by: caller)
                }
            }
        }
        let refused = await #expect(throws: ServiceFault.self) {
            _ = try await lookup.find(address: "ann@example.org", by: callers[0])
        }
        #expect(refused?.code == .rateLimited && refused?.retryAfter == 60)
        clock.advance(seconds: 60)
        await #expect(throws: ServiceFault(.userNotFound, "nobody has this address")) {
            _ = try await lookup.find(address: "bob@example.org", by: callers[0])
        }
    }
}
