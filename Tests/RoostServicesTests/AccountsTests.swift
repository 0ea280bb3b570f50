import Logging
import RoostStore
import Synchronization
import Testing

@testable import RoostServices

/// Accounts without HTTP, with a clock of the test's own.
struct AccountsTests {
    private let folder = TestFolder()
    private let clock = TestClock()
    private let mail = TestMail()

    private func accounts(
        most: Int? = nil, _ change: (inout ServicesLimits) -> Void = { _ in }
    ) async throws -> Accounts {
        var settings = Accounts.Settings()
        if let most { settings.accountsMax = most }
        var limits = ServicesLimits()
        // The tests of a limit make it small; the others shouldn't meet it.
        limits.addressAttempts = 1_000
        change(&limits)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return Accounts(
            settings: settings, limits: limits, clock: clock.wall,
            database: try await ServicesDatabase(path: folder.path + "/services.db", log: log),
            hashes: try HashPool(limits: limits),
            keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall), mail: mail, log: log)
    }

    private func signUp(_ accounts: Accounts, _ email: String = "ann@example.org") async throws -> Accounts.Tokens {
        try await accounts.signUp(
            Accounts.Application(email: email, password: "correct horse", displayName: "Ann"), client: "c")
    }

    private func signIn(_ accounts: Accounts, _ password: String = "correct horse") async throws -> Accounts.Tokens {
        try await accounts.signIn(email: "ann@example.org", password: password, device: nil, client: "c")
    }

    private func code(_ body: () async throws -> Void) async -> ServiceFault.Code? {
        do { try await body() } catch { return (error as? ServiceFault)?.code }
        return nil
    }

    @Test func aLinkIsGoodForHalfAnHour() async throws {
        let accounts = try await accounts()
        _ = try await signUp(accounts)
        _ = try await signUp(accounts, "bob@example.org")
        let (ann, bob) = (try mail.secret(to: "ann@example.org"), try mail.secret(to: "bob@example.org"))
        clock.advance(seconds: 1_799)
        try await accounts.verifyEmail(token: ann)
        clock.advance(seconds: 1)
        #expect(await code { try await accounts.verifyEmail(token: bob) } == .badLink)
        try await accounts.clean()
        let left = try await accounts.database.read { database throws(LocalFailure) in
            try database.rows("SELECT count(*) FROM link") { $0.integer(0) }
        }
        #expect(left == [0])
    }

    @Test func whoHasNoPasswordShowsThemselvesByAFreshSession() async throws {
        let accounts = try await accounts()
        let account = Account(user: "uguest", name: "Guest", language: "en", created: clock.wall.now())
        let (old, token) = try accounts.begin(account, device: "phone")
        try await accounts.database.write { database throws(LocalFailure) in
            _ = try AccountTable.insert(account, database)
            // By it its owner can sign in again.
            let identity = LinkedIdentity(
                id: "i", issuer: "https://x.example", subject: "s", user: "uguest", created: 0)
            _ = try IdentityTable.insert(identity, database)
            try SessionTable.insert(old, keep: 10, database)
        }
        let caller = try await accounts.caller(token.access)
        clock.advance(seconds: 601)
        #expect(await code { try await accounts.erase(caller, password: "correct horse") } == .signInAgain)
        let (fresh, newer) = try accounts.begin(account, device: "phone")
        try await accounts.database.write { database throws(LocalFailure) in
            try SessionTable.insert(fresh, keep: 10, database)
        }
        clock.advance(seconds: 600)
        try await accounts.erase(try await accounts.caller(newer.access), password: nil)
        #expect(await code { _ = try await accounts.caller(newer.access) } == .unauthorized)
    }

    private func secret(_ link: String) -> String { String(link.drop { $0 != "=" }.dropFirst()) }

    @Test func theFirstLinksAreGoodOnceAndForATime() async throws {
        let accounts = try await accounts { $0.friendLinksMax = 2 }
        let links = FirstLinks(
            database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "http://127.0.0.1:8080")
        func enter(_ link: String, _ name: String? = "Finn") async throws -> Accounts.Tokens {
            try await accounts.enter(by: secret(link), Accounts.Application(displayName: name), client: "c")
        }
        #expect(try await !links.hasOwner())
        let old = try await links.owner()
        let unused = try await links.owner()
        clock.advance(seconds: 1_799)
        // Without a name nothing is used up.
        #expect(await code { _ = try await enter(old, nil) } == .invalid)
        let owner = try await enter(old, "Olga")
        #expect(await code { _ = try await enter(old, "Olga") } == .badLink)
        clock.advance(seconds: 1)
        #expect(await code { _ = try await enter(unused) } == .badLink)
        #expect(try await links.hasOwner())
        #expect(try await enter(try await links.owner(), nil).user == owner.user)
        // A link of the one sort isn't one of the other.
        var friends: [String] = []
        for _ in 0..<3 {
            clock.advance(seconds: 1)
            friends.append(try await links.friend())
        }
        #expect(await code { _ = try await enter(friends[0]) } == .badLink)
        let friend = try await enter(friends[1])
        let isOperator = [owner, friend].map { AccessToken.read($0.access, by: accounts.keys, now: 0)?.isOperator }
        #expect(isOperator == [true, false])
        #expect(await code { try await accounts.verifyEmail(token: secret(friends[2])) } == .badLink)
        #expect(
            await code { try await accounts.resetPassword(token: secret(friends[2]), to: "battery staple") } == .badLink
        )
    }

    @Test func theOwnersLinkIsForTheFirstOperator() async throws {
        let accounts = try await accounts()
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        func enter() async throws -> String {
            let link = secret(try await links.owner())
            return try await accounts.enter(by: link, Accounts.Application(displayName: "Olga"), client: "c").user
        }
        let ann = try await signUp(accounts).user
        clock.advance(seconds: 1)
        let olga = try await enter()
        clock.advance(seconds: 1)
        // Her account is older, and twice is once.
        let (operators, line) = (Operators(accounts), Operators.Caller(name: "@line", hasAccount: false))
        for user in [ann, olga] { _ = try await operators.setOperator(true, of: user, by: line) }
        #expect(try await enter() == olga)
        _ = try await operators.setOperator(false, of: olga, by: line)
        #expect(try await enter() == ann)
    }

    @Test func aUserWhoCameByALinkGetsAPassword() async throws {
        let accounts = try await accounts()
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        _ = try await signUp(accounts, "bob@example.org")
        let tokens = try await accounts.enter(
            by: secret(try await links.friend()), Accounts.Application(displayName: "Ann"), client: "c")
        let caller = try await accounts.caller(tokens.access)
        func add(_ email: String) async throws {
            _ = try await accounts.addPassword(of: caller, email: email, password: "correct horse", client: "c")
        }
        #expect(await code { try await add("Bob@example.org") } == .emailTaken)
        clock.advance(seconds: 601)
        try await add("ann@example.org")
        #expect(try await signIn(accounts).user == tokens.user)
        try await accounts.verifyEmail(token: try mail.secret(to: "ann@example.org"))
        #expect(await code { try await add("anne@example.org") } == .conflict)
    }

    @Test func anOperatorsTokenSaysSo() async throws {
        let accounts = try await accounts()
        var account = Account(user: "uguest", name: "Guest", language: "en", created: clock.wall.now())
        let (_, plain) = try accounts.begin(account, device: "phone")
        account.isOperator = true
        let (_, token) = try accounts.begin(account, device: "phone")
        let isOperator = [plain, token].map { AccessToken.read($0.access, by: accounts.keys, now: 0)?.isOperator }
        #expect(isOperator == [false, true])
    }

    @Test func theOldestOfFourLinksEnds() async throws {
        let accounts = try await accounts()
        _ = try await signUp(accounts)
        var secrets: [String] = []
        for _ in 0..<4 {
            clock.advance(seconds: 1)
            try await accounts.sendReset(to: "ann@example.org")
            secrets.append(try mail.secret(to: "ann@example.org"))
        }
        #expect(await code { try await accounts.resetPassword(token: secrets[0], to: "battery staple") } == .badLink)
        try await accounts.resetPassword(token: secrets[1], to: "battery staple")
        // One that was used ends the others.
        #expect(await code { try await accounts.resetPassword(token: secrets[3], to: "battery staple") } == .badLink)
    }

    @Test func lettersThatAnybodyCanCauseAreBounded() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        for _ in 0..<5 {
            clock.advance(seconds: 1)
            try await accounts.sendReset(to: "ann@example.org")
        }
        #expect(mail.letters.count == 6)
        let last = try mail.secret(to: "ann@example.org")
        for _ in 0..<4 { try await accounts.sendReset(to: "ann@example.org") }
        #expect(mail.letters.count == 6)
        // A client that asks again and again doesn't end the link that the reader of the mail has.
        try await accounts.resetPassword(token: last, to: "battery staple")
        // An owner is warned all the same.
        #expect(mail.letters.map(\.purpose) == [.verify, .reset, .reset, .reset, .reset, .reset, .changed])
        try await accounts.sendReset(to: "bob@example.org")
        clock.advance(seconds: 900)
        try await accounts.sendReset(to: "ann@example.org")
        #expect(mail.letters.count == 8)
        #expect(await code { _ = try await accounts.caller(tokens.access) } == .unauthorized)
    }

    @Test func whoAsksForResetsKeepsBackNoLetterOfASignUp() async throws {
        let accounts = try await accounts()
        for _ in 0..<10 { try await accounts.sendReset(to: "ann@example.org") }
        let tokens = try await signUp(accounts)
        #expect(mail.letters.map(\.purpose) == [.verify])
        // The link of that letter ends one day; then there are others.
        clock.advance(seconds: 1_800)
        let caller = try await accounts.caller(tokens.access)
        for _ in 0..<5 { try await accounts.sendConfirmation(of: caller) }
        #expect(mail.letters.map(\.purpose) == Array(repeating: .verify, count: 6))
        let fault = await #expect(throws: ServiceFault.self) { try await accounts.sendConfirmation(of: caller) }
        #expect(fault?.code == .rateLimited && fault?.retryAfter == 900)
        try await accounts.verifyEmail(token: try mail.secret(to: "ann@example.org"))
        #expect(await code { try await accounts.sendConfirmation(of: caller) } == .conflict)
        #expect(mail.letters.count == 6)
    }

    @Test func usersWithoutAnAddressGetNoMail() async throws {
        let accounts = try await accounts()
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        let link = secret(try await links.friend())
        let tokens = try await accounts.enter(by: link, Accounts.Application(displayName: "Finn"), client: "c")
        let caller = try await accounts.caller(tokens.access)
        #expect(await code { try await accounts.sendConfirmation(of: caller) } == .conflict)
        #expect(mail.letters.isEmpty)
    }

    @Test func aFriendWithoutAWayInCanGetOneOrLeaveAtAnyTime() async throws {
        let accounts = try await accounts()
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        let link = secret(try await links.friend())
        let tokens = try await accounts.enter(by: link, Accounts.Application(displayName: "Finn"), client: "c")
        let other = try await accounts.enter(
            by: secret(links.friend()), Accounts.Application(displayName: "Gwen"), client: "c")
        clock.advance(seconds: 601)
        let caller = try await accounts.caller(tokens.access)
        let account = try await accounts.addPassword(
            of: caller, email: "f@x.org", password: "correct horse", client: "c")
        #expect(account.email == "f@x.org")
        // From then on there is something to show.
        #expect(await code { try await accounts.erase(caller, password: nil) } == .invalid)
        let leaving = try await accounts.caller(other.access)
        try await accounts.erase(leaving, password: nil)
        #expect(await code { _ = try await accounts.caller(other.access) } == .unauthorized)
    }

    @Test func aLinkForAUserSignsThatOneInAgain() async throws {
        let accounts = try await accounts()
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        func enter(_ link: String) async throws -> Accounts.Tokens {
            try await accounts.enter(by: secret(link), Accounts.Application(), client: "c")
        }
        let friend = secret(try await links.friend())
        let first = try await accounts.enter(by: friend, Accounts.Application(displayName: "Finn"), client: "c")
        clock.advance(seconds: 86_400)
        let used = try await links.entry(of: first.user, by: "@operator").address
        let late = try await links.entry(of: first.user, by: "@operator").address
        let again = try await enter(used)
        #expect(again.user == first.user && again.sid != first.sid)
        #expect(await code { _ = try await enter(used) } == .badLink)
        let caller = try await accounts.caller(again.access)
        let account = try await accounts.addPassword(
            of: caller, email: "f@x.org", password: "correct horse", client: "c")
        #expect(account.user == first.user)
        clock.advance(seconds: 1_800)
        #expect(await code { _ = try await enter(late) } == .badLink)
        #expect(await code { _ = try await links.entry(of: "unobody", by: "@operator") } == .userNotFound)
        // Another password ends it, and it goes with the account.
        let ended = try await links.entry(of: first.user, by: "@operator").address
        let now = try await accounts.caller(again.access)
        try await accounts.changePassword(of: now, from: "correct horse", to: "battery staple")
        #expect(await code { _ = try await enter(ended) } == .badLink)
        let kept = try await links.entry(of: first.user, by: "@operator").address
        try await accounts.erase(now, password: "battery staple")
        #expect(await code { _ = try await enter(kept) } == .badLink)
        let audit = try await accounts.database.read { database throws(LocalFailure) in
            try AuditTable.page(of: first.user, before: nil, limit: 10, database)
        }
        #expect(audit.map(\.entry.act) == [.link, .link, .link, .link])
    }

    @Test func aRoleIsChosenOnceByWhoHasNone() async throws {
        let before = try await accounts()
        let tokens = try await signUp(before)
        let caller = try await before.caller(tokens.access)
        #expect(await code { _ = try await before.change(of: caller, name: nil, language: nil, role: "a") } == .invalid)
        // The operator names roles later.
        var settings = Accounts.Settings()
        settings.rules.roles = ["trainer", "client"]
        let after = Accounts(
            settings: settings, limits: before.limits, clock: clock.wall, database: before.database,
            hashes: before.hashes, keys: before.keys, mail: mail, log: before.log)
        func change(_ role: String, name: String? = nil) async throws -> Account {
            try await after.change(of: caller, name: name, language: nil, role: role)
        }
        #expect(await code { _ = try await change("admin") } == .invalid)
        // The state is that after the sign-up was sent to the relay.
        try await after.database.write { database throws(LocalFailure) in
            try database.run("DELETE FROM profile_due", [])
        }
        #expect(try await change("trainer").role == "trainer")
        for role in ["client", "trainer", "admin"] {
            #expect(await code { _ = try await change(role, name: "Other") } == .roleImmutable)
        }
        #expect(try await after.account(of: caller).name == "Ann")
        let due = try await after.database.read { database throws(LocalFailure) in
            try database.rows("SELECT parts FROM profile_due WHERE user = ?", [.text(tokens.user)]) { $0.integer(0) }
        }
        // Only the role is sent to the relay.
        #expect(due == [2])
    }

    @Test func onlyOneOfManyRoleChoicesAtOnceSucceeds() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        let chosen = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await accounts.database.write { database throws(LocalFailure) in
                        try AccountTable.chooseRole(tokens.user, "role\(number)", database)
                    }
                }
            }
            var count = 0
            for try await isChosen in group where isChosen { count += 1 }
            return count
        }
        #expect(chosen == 1)
    }

    @Test func anExportHasWhatOperatorsHaveSetAndDone() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        let operators = Operators(accounts)
        let caller = Operators.Caller(name: "@olga", hasAccount: false)
        _ = try await operators.setTier("gold", of: tokens.user, by: caller)
        let text = String(decoding: try await accounts.export(try await accounts.caller(tokens.access)), as: UTF8.self)
        #expect(text.contains(#""suspended":false,"operator":false"#))
        #expect(text.contains(#""act":"tier","detail":"gold""#))
        // Facts about the operator aren't the person's.
        #expect(!text.contains("olga"))
    }

    @Test func accountsAreBounded() async throws {
        let accounts = try await accounts(most: 2)
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        let (first, second) = (try await links.friend(), try await links.friend())
        func enter(_ link: String) async throws {
            _ = try await accounts.enter(by: secret(link), Accounts.Application(displayName: "Finn"), client: "c")
        }
        let ann = try await signUp(accounts)
        #expect(await code { _ = try await signUp(accounts) } == .emailTaken)
        try await enter(first)
        #expect(await code { _ = try await signUp(accounts, "bob@example.org") } == .full)
        #expect(await code { try await enter(second) } == .full)
        // Users with an account aren't kept out, nor is the owner of the server.
        _ = try await signIn(accounts)
        try await enter(try await links.owner())
        #expect(await code { _ = try await signUp(accounts, "bob@example.org") } == .full)
        // Two have to go, since the owner came beyond the bound.
        try await accounts.erase(try await accounts.caller(ann.access), password: "correct horse")
        #expect(await code { try await enter(second) } == .full)
        try await accounts.database.write { database throws(LocalFailure) in
            try database.run("DELETE FROM account WHERE operator > 0")
        }
        // Others' changes to the table are seen by the next count.
        try await accounts.clean()
        // The link that was refused is still good.
        try await enter(second)
    }

    @Test func nothingIsSentToUnknownAddresses() async throws {
        let accounts = try await accounts()
        try await accounts.sendReset(to: "nobody@example.org")
        #expect(mail.letters.isEmpty)
    }

    @Test func forgottenPasswordsThatWaitAreBounded() async throws {
        let accounts = try await accounts { $0.forgottenQueue = 2 }
        for _ in 0..<2 { try accounts.forgot(email: "a@example.org", client: "c") }
        #expect(await code { try accounts.forgot(email: "a@example.org", client: "c") } == .busy)
    }

    @Test func anAccountOpensAgainAfterAQuarterOfAnHour() async throws {
        let accounts = try await accounts()
        _ = try await signUp(accounts)
        for _ in 0..<5 { #expect(await code { _ = try await signIn(accounts, "wrong one") } == .invalidCredentials) }
        #expect(await code { _ = try await signIn(accounts) } == .rateLimited)
        clock.advance(seconds: 900)
        _ = try await signIn(accounts)
    }

    @Test func failuresAtOnceCountBeforeTheyAreKnown() async throws {
        let accounts = try await accounts()
        _ = try await signUp(accounts)
        let codes = await withTaskGroup(of: ServiceFault.Code?.self) { group in
            for _ in 0..<20 { group.addTask { await code { _ = try await signIn(accounts, "wrong one") } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == .invalidCredentials } == 5)
        #expect(codes.count { $0 == .rateLimited } == 15)
    }

    @Test func passwordsOfAnAccountThatAreCheckedAreBounded() async throws {
        let accounts = try await accounts { $0.accountChecks = 3 }
        _ = try await signUp(accounts)
        for _ in 0..<3 { _ = try await signIn(accounts) }
        for _ in 0..<9 { #expect(await code { _ = try await signIn(accounts) } == .rateLimited) }
        clock.advance(seconds: 900)
        _ = try await signIn(accounts)
    }

    @Test func strangersDoNotKeepTheOwnerFromTheAccount() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        for _ in 0..<6 { _ = await code { _ = try await signIn(accounts, "wrong one") } }
        #expect(await code { _ = try await signIn(accounts) } == .rateLimited)
        let caller = try await accounts.caller(tokens.access)
        try await accounts.changePassword(of: caller, from: "correct horse", to: "battery staple")
        // That opens no sign-in: strangers would have as many guesses more.
        #expect(await code { _ = try await signIn(accounts, "battery staple") } == .rateLimited)
        try await accounts.erase(caller, password: "battery staple")
    }

    @Test func aSessionDoesNotGuessThePasswordFreely() async throws {
        let accounts = try await accounts { $0.accountChecks = 8 }
        let (own, stolen) = (try await signUp(accounts), try await signIn(accounts))
        let (owner, thief) = (try await accounts.caller(own.access), try await accounts.caller(stolen.access))
        func guess(_ caller: Accounts.Caller, _ password: String) async -> ServiceFault.Code? {
            await code { try await accounts.changePassword(of: caller, from: password, to: "battery staple") }
        }
        for _ in 0..<5 { #expect(await guess(thief, "wrong one") == .invalidCredentials) }
        #expect(await guess(thief, "correct horse") == .rateLimited)
        #expect(await code { try await accounts.erase(thief, password: "correct horse") } == .rateLimited)
        // Neither signing in nor another session suffers by it.
        let third = try await accounts.caller(try await signIn(accounts).access)
        // All sessions together have so many checks, and no more.
        for _ in 0..<3 { #expect(await guess(third, "wrong one") == .invalidCredentials) }
        #expect(await guess(owner, "correct horse") == .rateLimited)
        clock.advance(seconds: 900)
        #expect(await guess(owner, "correct horse") == nil)
    }

    @Test func successesDontCount() async throws {
        let accounts = try await accounts { $0.addressAttempts = 2 }
        _ = try await signUp(accounts)
        for _ in 0..<5 { _ = try await signIn(accounts) }
    }

    @Test func theSessionThatWasUsedLongestAgoMakesRoom() async throws {
        let accounts = try await accounts { $0.sessionsMax = 3 }
        let first = try await signUp(accounts)
        clock.advance(seconds: 1)
        let second = try await signIn(accounts)
        clock.advance(seconds: 1)
        let renewed = try await accounts.refresh(first.refresh, key: nil)
        for _ in 0..<2 {
            clock.advance(seconds: 1)
            _ = try await signIn(accounts)
        }
        #expect(await code { _ = try await accounts.caller(second.access) } == .unauthorized)
        let caller = try await accounts.caller(renewed.access)
        #expect(try await accounts.sessions(of: caller).count == 3)
        #expect(try await waiting(accounts).map(\.sid) == [second.sid])
    }

    @Test func aSessionEndsWithItsRefreshToken() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        clock.advance(seconds: 60 * 86_400)
        #expect(await code { _ = try await accounts.refresh(tokens.refresh, key: nil) } == .unauthorized)
        // Its access tokens had ended long before, so the relay needn't know.
        #expect(try await waiting(accounts).isEmpty)
    }

    @Test func revocationsLastAsLongAsTokens() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        clock.advance(seconds: 1_000)
        let fresh = try await accounts.refresh(tokens.refresh, key: nil)
        try await accounts.endAll(of: try await accounts.caller(fresh.access))
        let revocation = try #require(try await waiting(accounts).first)
        #expect(revocation.user == tokens.user && revocation.sid == tokens.sid)
        #expect(revocation.until >= fresh.accessExpires)
        clock.advance(seconds: 3_601)
        try await accounts.clean()
        #expect(try await waiting(accounts).isEmpty)
    }

    @Test func anErasedAccountIsRevokedWhole() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        try await accounts.erase(try await accounts.caller(tokens.access), password: "correct horse")
        #expect(try await waiting(accounts).map(\.sid) == [nil])
        for table in ["account", "session", "link"] {
            let left = try await accounts.database.read { database throws(LocalFailure) in
                try database.rows("SELECT count(*) FROM \(table)") { $0.integer(0) }
            }
            #expect(left == [0], "\(table)")
        }
    }

    private func waiting(_ accounts: Accounts) async throws -> [Revocation] {
        try await accounts.database.read { database throws(LocalFailure) in
            try RevocationTable.next(1_000, now: 0, database).map(\.revocation)
        }
    }

    @Test func everyRouteIsInTheDocument() async throws {
        let accounts = try await accounts()
        var table = RouteTable()
        let readiness = Readiness(database: accounts.database, clock: clock.wall, seconds: 5)
        PublicRoutes(readiness: readiness, keys: accounts.keys).add(to: &table)
        FactorRoutes(factors: Factors(accounts)).add(to: &table)
        AccountRoutes(accounts: accounts).add(to: &table)
        let openID = OpenIDTests.openID(try TestIssuer(), clock)
        OpenIDRoutes(identities: Identities(accounts: accounts, openID: openID)).add(to: &table)
        LetterRoutes(operators: Operators(accounts)).add(to: &table)
        AdminRoutes(operators: Operators(accounts), limits: ServicesLimits()).add(to: &table)
        InvitationRoutes(invitations: Invitations(accounts, relay: TestRelay([]))).add(to: &table)
        AdminInviteRoutes(
            desk: InvitationDesk(operators: Operators(accounts), relay: TestRelay([]))
        ).add(to: &table)
        ReportRoutes(
            desk: ReportDesk(operators: Operators(accounts), relay: TestRelay([])), limits: ServicesLimits()
        ).add(to: &table)
        UserRoutes(lookup: UserLookup(accounts, isOn: true)).add(to: &table)
        let census = Census(database: accounts.database, clock: clock.wall, seconds: 5)
        let metrics = ServicesMetrics(
            accounts: accounts, requests: RequestCounts(), outgoing: [], census: census, started: 0)
        MetricsRoutes(metrics: metrics, token: "").add(to: &table)
        let database = accounts.database
        BackendRoutes(
            keys: APIKeys(database: database, clock: clock.wall), relay: TestRelay([]),
            erasures: ErasureQueue(
                database: database, relay: TestRelay([]), clock: clock.wall, limits: ServicesLimits()),
            accounts: accounts, limits: ServicesLimits()
        ).add(to: &table)
        let document = String(decoding: PublicRoutes.document, as: UTF8.self)
        var paths: [String: Set<String>] = [:]
        var path = ""
        for line in document.split(separator: "\n") {
            if line.hasPrefix("  /") { path = String(line.dropFirst(2).dropLast()) }
            let word = line.dropFirst(4).dropLast()
            guard line.hasPrefix("    "), ["get", "post", "patch", "delete", "put"].contains(word) else { continue }
            paths[path, default: []].insert(word.uppercased())
        }
        #expect(table.paths == paths)
    }

    @Test func theRelayIsToldUntilItSaysOk() async throws {
        let accounts = try await accounts()
        let tokens = try await signUp(accounts)
        try await accounts.endAll(of: try await accounts.caller(tokens.access))
        let away = Result<String, ServiceFault>.failure(ServiceFault(.unavailable, "away"))
        let refusal = Result<String, ServiceFault>.failure(ServiceFault(.forbidden, "a mistake"))
        let relay = TestRelay([away, away, refusal] + Array(repeating: .success(#"{"type":"ok","re":1}"#), count: 2))
        let (isTold, tell) = AsyncStream.makeStream(of: Void.self)
        let queue = RevocationQueue(
            database: accounts.database, relay: relay, clock: clock.wall, log: Logger(label: "test"), due: .hasty
        ) { tell.yield() }
        let task = Task { await queue.run() }
        var told = isTold.makeAsyncIterator()
        await told.next()
        #expect(relay.asked.count == 4 && relay.rests == 1)
        #expect(relay.asked.allSatisfy { $0.hasPrefix(#"{"type":"admin.revoke","sid":"\#(tokens.sid)","until":"#) })
        let again = try await signIn(accounts)
        try await accounts.endAll(of: try await accounts.caller(again.access))
        queue.wake()
        await told.next()
        #expect(relay.asked.count == 5 && relay.asked.last?.contains(again.sid) == true)
        task.cancel()
        await task.value
    }
}

/// Keeps letters.
private final class TestMail: MailSender {
    private let kept = Mutex<[Letter]>([])

    var letters: [Letter] { kept.withLock { $0 } }

    func send(_ letter: Letter) async { kept.withLock { $0.append(letter) } }

    /// The text behind `#` in the newest mail.
    func secret(to address: String) throws -> String {
        let link = try #require(letters.last { $0.to == address && $0.link != nil }?.link)
        return String(link[link.index(after: try #require(link.firstIndex(of: "=")))...])
    }
}
