import Crypto
import Foundation
import Logging
import RoostStore
import Synchronization
import Testing

@testable import RoostServices

/// The second step of signing in, at its bounds, with a clock of the test's own.
struct FactorsTests {
    private let folder = TestFolder()
    private let clock = TestClock()
    private let mail = SentLetters()
    private let password = "correct horse"
    private let line = Operators.Caller(name: "@line", hasAccount: false)

    private func factors(
        isRequired: Bool = false, _ change: (inout ServicesLimits) -> Void = { _ in }
    ) async throws -> Factors {
        var (settings, limits) = (Accounts.Settings(), ServicesLimits())
        settings.operatorsNeedFactor = isRequired
        // The tests of a limit make it small; the others shouldn't meet it.
        limits.addressAttempts = 1_000
        change(&limits)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return Factors(
            Accounts(
                settings: settings, limits: limits, clock: clock.wall,
                database: try await ServicesDatabase(path: folder.path + "/services.db", log: log),
                hashes: try HashPool(limits: limits),
                keys: try KeyRing(data: folder.path, limits: limits, clock: clock.wall), mail: mail, log: log))
    }

    private func signUp(_ factors: Factors, _ email: String = "ann@example.org") async throws -> Accounts.Tokens {
        try await factors.accounts.signUp(
            Accounts.Application(email: email, password: password, displayName: "Ann"), client: "c")
    }

    /// The first step, which must ask for the second.
    private func ticket(_ factors: Factors, _ email: String = "ann@example.org") async throws -> String {
        do throws(ServiceFault) {
            _ = try await factors.accounts.signIn(email: email, password: password, device: nil, client: "c")
        } catch {
            return try #require(error.ticket, "\(error)").secret
        }
        throw ServiceFault(.internalError, "there was no second step")
    }

    /// The code of this moment, by the standard and not by our own hand.
    private func code(_ secret: [UInt8], _ offset: Int64 = 0) -> String {
        TOTP.code(secret, step: TOTP.step(at: clock.wall.seconds) + offset)
    }

    private func secret(_ text: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, rest, bits): ([UInt8], Int, Int) = ([], 0, 0)
        for letter in text {
            rest = rest << 5 | (letters.firstIndex(of: letter) ?? 0)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(rest >> bits & 255))
        }
        return bytes
    }

    /// Turns it on. Returns the secret and the recovery codes, and waits until another step has begun.
    private func turnOn(
        _ factors: Factors, _ tokens: Accounts.Tokens, password: String? = "correct horse"
    ) async throws -> (secret: [UInt8], codes: [String]) {
        let caller = try await factors.accounts.caller(tokens.access)
        let secret = secret(try await factors.begin(of: caller, password: password).secret)
        let codes = try await factors.turnOn(of: caller, code: code(secret))
        clock.advance(seconds: TOTP.period)
        return (secret, codes)
    }

    private func signIn(_ factors: Factors, _ ticket: String?, _ code: String?) async throws -> Accounts.Tokens {
        try await factors.signIn(by: ticket, code: code, device: nil, client: "c")
    }

    private func fault(_ body: () async throws -> Void) async -> ServiceFault.Code? {
        do { try await body() } catch { return (error as? ServiceFault)?.code }
        return nil
    }

    @Test func thereIsNoSessionBeforeTheCode() async throws {
        let factors = try await factors()
        let first = try await signUp(factors)
        let (secret, codes) = try await turnOn(factors, first)
        #expect(Set(codes).count == 10)
        let ticket = try await ticket(factors)
        let caller = try await factors.accounts.caller(first.access)
        #expect(try await factors.accounts.sessions(of: caller).count == 1)
        // It is no link, no token, and nothing else's secret.
        #expect(await fault { _ = try await factors.accounts.caller(ticket) } == .unauthorized)
        #expect(await fault { try await factors.accounts.verifyEmail(token: ticket) } == .badLink)
        #expect(
            await fault {
                _ = try await factors.accounts.enter(by: ticket, Accounts.Application(displayName: "X"), client: "c")
            } == .badLink)
        let tokens = try await signIn(factors, ticket, code(secret))
        #expect(tokens.user == first.user && tokens.sid != first.sid)
        #expect(await fault { _ = try await signIn(factors, ticket, code(secret, 1)) } == .signInAgain)
        #expect(try await factors.accounts.sessions(of: caller).count == 2)
        #expect(mail.letters.map(\.purpose) == [.verify, .guarded])
    }

    @Test func aCodeIsTakenOnceAndNoneThatIsOlder() async throws {
        let factors = try await factors()
        let first = try await signUp(factors)
        let caller = try await factors.accounts.caller(first.access)
        let secret = secret(try await factors.begin(of: caller, password: password).secret)
        let shown = code(secret)
        _ = try await factors.turnOn(of: caller, code: shown)
        // The one that it was turned on by is used, too.
        #expect(await fault { _ = try await signIn(factors, ticket(factors), shown) } == .wrongCode)
        // A clock that goes ahead by a step.
        _ = try await signIn(factors, ticket(factors), code(secret, 1))
        for offset in [-1, 0, 1] as [Int64] {
            #expect(await fault { _ = try await signIn(factors, ticket(factors), code(secret, offset)) } == .wrongCode)
        }
        clock.advance(seconds: 2 * TOTP.period)
        _ = try await signIn(factors, ticket(factors), code(secret))
        clock.advance(seconds: 3 * TOTP.period)
        #expect(await fault { _ = try await signIn(factors, ticket(factors), code(secret, -2)) } == .wrongCode)
        _ = try await signIn(factors, ticket(factors), code(secret, -1))
    }

    @Test func ofTwoWithTheSameCodeOneSignsIn() async throws {
        let factors = try await factors()
        let (secret, _) = try await turnOn(factors, try await signUp(factors))
        let tickets = [try await ticket(factors), try await ticket(factors)]
        let typed = code(secret)
        let count = await withTaskGroup(of: Bool.self) { group in
            for ticket in tickets {
                group.addTask { await fault { _ = try await signIn(factors, ticket, typed) } == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 1)
    }

    @Test func aRecoveryCodeSignsInOnce() async throws {
        let factors = try await factors()
        let first = try await signUp(factors)
        let (secret, codes) = try await turnOn(factors, first)
        let caller = try await factors.accounts.caller(first.access)
        _ = try await signIn(factors, ticket(factors), codes[3].uppercased())
        #expect(mail.letters.last?.purpose == .recovered)
        #expect(await fault { _ = try await signIn(factors, ticket(factors), codes[3]) } == .wrongCode)
        #expect(try await factors.state(of: caller).codes == 9)
        // Another account's are none.
        let bob = try await signUp(factors, "bob@example.org")
        let (_, others) = try await turnOn(factors, bob)
        #expect(await fault { _ = try await signIn(factors, ticket(factors), others[0]) } == .wrongCode)
        // New ones replace those that are left.
        let newer = try await factors.renewCodes(of: caller, password: password, code: code(secret))
        #expect(await fault { _ = try await signIn(factors, ticket(factors), codes[0]) } == .wrongCode)
        _ = try await signIn(factors, ticket(factors), newer[0])
        var kept = Data()
        for name in ["services.db", "services.db-wal"] {
            kept += FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
        }
        #expect(kept.count > 10_000)
        for text in newer + [TOTP.base32(secret), newer[0].replacing("-", with: "")] {
            #expect(kept.range(of: Data(text.utf8)) == nil)
        }
        #expect(kept.range(of: Data(secret)) == nil)
    }

    @Test func wrongCodesOfAnAccountAreBounded() async throws {
        let factors = try await factors { $0.factorFailuresDaily = 8 }
        let first = try await signUp(factors)
        let (secret, codes) = try await turnOn(factors, first)
        let wrong = String(repeating: code(secret).first == "0" ? "1" : "0", count: 6)
        func guess(_ typed: String) async -> ServiceFault.Code? {
            await fault { _ = try await signIn(factors, ticket(factors), typed) }
        }
        // A form that is none isn't a guess.
        for _ in 0..<9 { #expect(await guess("12345") == .invalid) }
        for _ in 0..<5 { #expect(await guess(wrong) == .wrongCode) }
        // Another ticket, and a recovery code, open nothing.
        for typed in [code(secret), codes[0]] { #expect(await guess(typed) == .rateLimited) }
        // Passwords count apart, and so do others.
        _ = try await ticket(factors)
        let (others, _) = try await turnOn(factors, try await signUp(factors, "bob@example.org"))
        _ = try await signIn(factors, ticket(factors, "bob@example.org"), code(others))
        clock.advance(seconds: 900)
        for _ in 0..<3 { #expect(await guess(wrong) == .wrongCode) }
        // Those of a day.
        let last = await #expect(throws: ServiceFault.self) {
            _ = try await signIn(factors, ticket(factors), code(secret))
        }
        #expect(last?.code == .rateLimited && (last?.retryAfter ?? 0) > 80_000)
        clock.advance(seconds: 86_400)
        #expect(await guess(wrong) == .wrongCode)
        // A right one forgives.
        #expect(await guess(code(secret)) == nil)
        clock.advance(seconds: TOTP.period)
        for _ in 0..<5 { #expect(await guess(wrong) == .wrongCode) }
    }

    @Test func codesOfAClientAreBounded() async throws {
        let factors = try await factors { $0.addressAttempts = 4 }
        let (secret, _) = try await turnOn(factors, try await signUp(factors))
        func enter(_ ticket: String, _ code: String, _ client: String) async -> ServiceFault.Code? {
            await fault { _ = try await factors.signIn(by: ticket, code: code, device: nil, client: client) }
        }
        let ticket = try await ticket(factors)
        for _ in 0..<4 { #expect(await enter("invented", "123456", "10.0.0.1") == .signInAgain) }
        #expect(await enter(ticket, code(secret), "10.0.0.1") == .rateLimited)
        #expect(await enter(ticket, code(secret), "10.0.0.2") == nil)
        // Those who sign in don't count.
        for _ in 0..<5 {
            clock.advance(seconds: TOTP.period)
            #expect(await enter(try await self.ticket(factors), code(secret), "10.0.0.2") == nil)
        }
    }

    @Test func whatIsRefusedFirst() async throws {
        let factors = try await factors()
        let first = try await signUp(factors)
        let (secret, _) = try await turnOn(factors, first)
        let (accounts, operators) = (factors.accounts, Operators(factors.accounts))
        func signIn(_ password: String) async -> ServiceFault.Code? {
            await fault {
                _ = try await accounts.signIn(email: "ann@example.org", password: password, device: nil, client: "c")
            }
        }
        let ticket = try await ticket(factors)
        // A client without the password doesn't learn of a factor or a suspension.
        #expect(await signIn("wrong one") == .invalidCredentials)
        _ = try await operators.suspend(first.user, by: line)
        #expect(await signIn("wrong one") == .invalidCredentials)
        #expect(await signIn(password) == .suspended)
        #expect(await fault { _ = try await self.signIn(factors, ticket, code(secret)) } == .suspended)
        // A suspended account's codes aren't looked at.
        #expect(await fault { _ = try await self.signIn(factors, ticket, "000000") } == .suspended)
        _ = try await operators.resume(first.user, by: line)
        // The form comes first, then the ticket, then the code.
        #expect(await fault { _ = try await self.signIn(factors, "invented", "1") } == .invalid)
        #expect(await fault { _ = try await self.signIn(factors, nil, code(secret)) } == .invalid)
        #expect(await fault { _ = try await self.signIn(factors, "invented", code(secret)) } == .signInAgain)
    }

    @Test func aTicketEndsInTimeAndWithThePassword() async throws {
        let factors = try await factors { $0.ticketsMax = 2 }
        let first = try await signUp(factors)
        let (secret, _) = try await turnOn(factors, first)
        func enter(_ ticket: String) async -> ServiceFault.Code? {
            await fault { _ = try await signIn(factors, ticket, code(secret)) }
        }
        let late = try await ticket(factors)
        clock.advance(seconds: 300)
        #expect(await enter(late) == .signInAgain)
        // The oldest of three ends.
        let old = try await ticket(factors)
        for _ in 0..<2 {
            clock.advance(seconds: 1)
            _ = try await ticket(factors)
        }
        #expect(await enter(old) == .signInAgain)
        let ended = try await ticket(factors)
        let caller = try await factors.accounts.caller(first.access)
        try await factors.accounts.changePassword(of: caller, from: password, to: "battery staple")
        #expect(await enter(ended) == .signInAgain)
        // It is in no list of links.
        let export = try await factors.accounts.export(caller)
        #expect(!String(decoding: export, as: UTF8.self).contains(#""purpose":"factor""#))
    }

    @Test func linksAskForItToo() async throws {
        let factors = try await factors()
        let accounts = factors.accounts
        let links = FirstLinks(database: accounts.database, limits: accounts.limits, clock: clock.wall, page: "")
        func enter(_ link: String) async throws -> Accounts.Tokens {
            let token = String(link.drop { $0 != "=" }.dropFirst())
            return try await accounts.enter(by: token, Accounts.Application(displayName: "Olga"), client: "c")
        }
        let owner = try await enter(try await links.owner())
        let (secret, _) = try await turnOn(factors, owner, password: nil)
        for link in [
            try await links.owner(), try await Operators(accounts).link(of: owner.user, by: line).address,
        ] {
            let fault = await #expect(throws: ServiceFault.self) { _ = try await enter(link) }
            #expect(fault?.code == .factorRequired)
            #expect(await self.fault { _ = try await enter(link) } == .badLink)
            clock.advance(seconds: TOTP.period)
            #expect(try await signIn(factors, fault?.ticket?.secret, code(secret)).user == owner.user)
        }
    }

    @Test func turningItOnEndsWhatBeganWithoutIt() async throws {
        let factors = try await factors()
        let accounts = factors.accounts
        let own = try await signUp(factors)
        let other = try await accounts.signIn(email: "ann@example.org", password: password, device: nil, client: "c")
        try await accounts.sendReset(to: "ann@example.org")
        let caller = try await accounts.caller(own.access)
        // By the password only; and a secret without its code changes nothing.
        #expect(await fault { _ = try await factors.begin(of: caller, password: nil) } == .invalid)
        #expect(await fault { _ = try await factors.begin(of: caller, password: "wrong one") } == .invalidCredentials)
        #expect(await fault { _ = try await factors.turnOn(of: caller, code: "123456") } == .conflict)
        let first = secret(try await factors.begin(of: caller, password: password).secret)
        _ = try await accounts.signIn(email: "ann@example.org", password: password, device: nil, client: "c")
        // A second beginning replaces the first.
        let second = secret(try await factors.begin(of: caller, password: password).secret)
        #expect(await fault { _ = try await factors.turnOn(of: caller, code: code(first)) } == .wrongCode)
        clock.advance(seconds: 600)
        _ = try await factors.turnOn(of: caller, code: code(second))
        #expect(await fault { _ = try await accounts.caller(other.access) } == .unauthorized)
        let reset = try #require(mail.letters.last { $0.purpose == .reset }?.link).split(separator: "=").last
        #expect(
            await fault { try await accounts.resetPassword(token: reset.map(String.init), to: "battery staple") }
                == .badLink)
        #expect(await fault { _ = try await factors.begin(of: caller, password: password) } == .conflict)
        #expect(try await accounts.account(of: caller).hasFactor)
    }

    @Test func aSecretWaitsForItsCodeForTenMinutes() async throws {
        let factors = try await factors()
        let caller = try await factors.accounts.caller(try await signUp(factors).access)
        let secret = secret(try await factors.begin(of: caller, password: password).secret)
        clock.advance(seconds: 601)
        #expect(await fault { _ = try await factors.turnOn(of: caller, code: code(secret)) } == .conflict)
        try await factors.accounts.clean()
        let left = try await factors.accounts.database.read { database throws(LocalFailure) in
            try FactorTable.find(caller.user, database)
        }
        #expect(left == nil)
    }

    @Test func turningItOffTakesThePasswordAndACode() async throws {
        let factors = try await factors()
        let tokens = try await signUp(factors)
        let (secret, codes) = try await turnOn(factors, tokens)
        let caller = try await factors.accounts.caller(tokens.access)
        func off(_ password: String?, _ code: String?) async -> ServiceFault.Code? {
            await fault { try await factors.turnOff(of: caller, password: password, code: code) }
        }
        #expect(await off(password, nil) == .invalid)
        #expect(await off(nil, code(secret)) == .invalid)
        #expect(await off("wrong one", code(secret)) == .invalidCredentials)
        #expect(await off(password, "000000") == .wrongCode)
        #expect(await off(password, codes[0]) == nil)
        #expect(mail.letters.last?.purpose == .unguarded)
        #expect(await off(password, codes[1]) == .conflict)
        #expect(try await factors.state(of: caller) == Factors.State())
        _ = try await factors.accounts.signIn(email: "ann@example.org", password: password, device: nil, client: "c")
    }

    @Test func operatorsAreNoneWithoutItWhereTheyNeedIt() async throws {
        let factors = try await factors(isRequired: true)
        let accounts = factors.accounts
        let operators = Operators(accounts)
        func isOperator(_ tokens: Accounts.Tokens) -> Bool? {
            AccessToken.read(tokens.access, by: accounts.keys, now: 0)?.isOperator
        }
        let first = try await signUp(factors)
        _ = try await operators.setOperator(true, of: first.user, by: line)
        let plain = try await accounts.refresh(first.refresh, key: nil)
        #expect(isOperator(plain) == false)
        #expect(await fault { _ = try await operators.caller(plain.access) } == .factorMissing)
        let (secret, codes) = try await turnOn(factors, plain)
        _ = try await operators.caller(plain.access)
        let full = try await accounts.refresh(plain.refresh, key: nil)
        #expect(isOperator(full) == true)
        let caller = try await accounts.caller(full.access)
        #expect(try await factors.state(of: caller).isRequired)
        // It stays on.
        #expect(
            await fault { try await factors.turnOff(of: caller, password: password, code: code(secret)) } == .conflict)
        #expect(isOperator(try await signIn(factors, ticket(factors), code(secret))) == true)
        // A user who isn't an operator needs none.
        #expect(isOperator(try await signUp(factors, "bob@example.org")) == false)
        // Without it there is none, at the relay either.
        try await operators.resetFactor(of: first.user, by: line)
        #expect(await fault { _ = try await accounts.caller(full.access) } == .unauthorized)
        let again = try await accounts.signIn(email: "ann@example.org", password: password, device: nil, client: "c")
        #expect(isOperator(again) == false)
        #expect(codes.count == 10)
    }

    @Test func anOperatorResetsThoseOfOthersOnly() async throws {
        let factors = try await factors()
        let (accounts, operators) = (factors.accounts, Operators(factors.accounts))
        var people: [Accounts.Tokens] = []
        for email in ["ann@example.org", "bob@example.org", "eve@example.org"] {
            people.append(try await signUp(factors, email))
            if email != "ann@example.org" {
                _ = try await operators.setOperator(true, of: people[people.count - 1].user, by: line)
            }
        }
        let bob = try await operators.caller(people[1].access)
        #expect(await fault { try await operators.resetFactor(of: people[0].user, by: bob) } == .conflict)
        for tokens in people { _ = try await turnOn(factors, tokens) }
        #expect(await fault { try await operators.resetFactor(of: people[1].user, by: bob) } == .conflict)
        #expect(await fault { try await operators.resetFactor(of: people[2].user, by: bob) } == .forbidden)
        #expect(await fault { try await operators.resetFactor(of: "unobody", by: bob) } == .userNotFound)
        // No link either: it would open the account.
        #expect(await fault { _ = try await operators.link(of: people[0].user, by: bob) } == .forbidden)
        try await operators.resetFactor(of: people[0].user, by: bob)
        _ = try await accounts.caller(people[0].access)
        try await operators.resetFactor(of: people[2].user, by: line)
        #expect(mail.letters.filter { $0.purpose == .unguarded }.map(\.to) == ["ann@example.org", "eve@example.org"])
        let acts = try await operators.audit(of: people[0].user, before: nil, limit: 10)
        #expect(acts.map(\.entry) == [AuditEntry(actor: people[1].user, act: .factor, user: people[0].user)])
    }

    @Test func aResetByMailTakesItAwayOnlyFromAnAddressThatNobodyHadConfirmed() async throws {
        let factors = try await factors()
        let accounts = factors.accounts
        for (email, isConfirmed) in [("ann@example.org", true), ("bob@example.org", false)] {
            let tokens = try await signUp(factors, email)
            func secret(_ purpose: Letter.Purpose) throws -> String {
                let link = try #require(mail.letters.last { $0.to == email && $0.purpose == purpose }?.link)
                return String(try #require(link.split(separator: "=").last))
            }
            if isConfirmed { try await accounts.verifyEmail(token: try secret(.verify)) }
            _ = try await turnOn(factors, tokens)
            try await accounts.sendReset(to: email)
            try await accounts.resetPassword(token: try secret(.reset), to: password)
            let step = await fault {
                _ = try await accounts.signIn(email: email, password: password, device: nil, client: "c")
            }
            #expect(step == (isConfirmed ? .factorRequired : nil))
        }
    }

    @Test func withOtherKeysNobodyGetsPastIt() async throws {
        let factors = try await factors()
        let (secret, codes) = try await turnOn(factors, try await signUp(factors))
        // As after a theft.
        try FileManager.default.removeItem(atPath: folder.path + "/keys")
        let after = try await self.factors()
        for typed in [code(secret), codes[0]] {
            #expect(await fault { _ = try await signIn(after, ticket(after), typed) } == .wrongCode)
        }
    }

    @Test func aLinkForASuspendedOrDeletedAccountIsRefused() async throws {
        let factors = try await factors()
        let operators = Operators(factors.accounts)
        let tokens = try await signUp(factors)
        let made = try await operators.link(of: tokens.user, by: line)
        #expect(made.expires == clock.wall.now() + 1_800_000)
        #expect(mail.letters.last?.purpose == .opened && mail.letters.last?.link == nil)
        _ = try await operators.suspend(tokens.user, by: line)
        let fault = await #expect(throws: ServiceFault.self) { _ = try await operators.link(of: tokens.user, by: line) }
        #expect(fault?.code == .conflict && fault?.reason.contains("suspended") == true)
        try await operators.delete(tokens.user, by: line)
        let gone = await #expect(throws: ServiceFault.self) { _ = try await operators.link(of: tokens.user, by: line) }
        #expect(gone?.code == .userNotFound && gone?.reason.contains("deleted") == true)
        let acts = try await operators.audit(of: tokens.user, before: nil, limit: 10).map(\.entry.act)
        #expect(acts == [.delete, .suspend, .link])
    }
}

/// Keeps letters.
private final class SentLetters: MailSender {
    private let kept = Mutex<[Letter]>([])

    var letters: [Letter] { kept.withLock { $0 } }

    func send(_ letter: Letter) async { kept.withLock { $0.append(letter) } }
}
