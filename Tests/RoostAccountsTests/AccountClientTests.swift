import RoostLock
import RoostTestClient
import RoostWire
import Testing

@testable import RoostAccounts

/// An app's accounts without services, with a clock of the test's own.
struct AccountClientTests {
    private let services = FakeServices()
    private let store = FakeStore()
    private let pause = ManualClock()
    private let time = Time()

    final class Time: Sendable {
        private let value = Locked<Int64>(1_800_000_000_000)
        var now: Int64 { value.withLock { $0 } }
        func advance(seconds: Int64) { value.withLock { $0 += seconds * 1_000 } }
    }

    private func client() -> AccountClient {
        AccountClient(
            url: "https://services/", device: "phone", store: store, transport: services, clock: pause
        ) { [time] in time.now }
    }

    private func signedIn(life: Int = 3_600) async throws -> AccountClient {
        let client = client()
        services.reply(FakeServices.tokens(1, life: life))
        try await client.signIn(email: "ann@example.org", password: "correct horse")
        return client
    }

    private func failure(_ body: () async throws -> Void) async -> AccountFailure? {
        do { try await body() } catch { return error as? AccountFailure }
        return nil
    }

    private func number(_ token: String) -> String { String(token.split(separator: ".").last ?? "") }

    // MARK: Signing in and out

    @Test func signingUpSaysWhatIsNeeded() async throws {
        let client = client()
        services.reply(FakeServices.tokens(1))
        let signIn = try await client.signUp(
            email: "ann@example.org", password: "correct horse", displayName: "Ann", role: "trainer")
        #expect(signIn == SignIn(user: "uann", device: "phone", session: "s1"))
        #expect(services.paths == ["POST /v1/accounts"] && services.requests.first?.token == nil)
        #expect(
            services.body(0) == [
                "email": "ann@example.org", "password": "correct horse", "displayName": "Ann", "role": "trainer",
                "device": "phone",
            ])
        // The next start of the app.
        #expect(try await self.client().signedIn() == signIn)
        #expect(try await number(self.client().token()) == "1" && services.requests.count == 1)
    }

    @Test func anIdentityTokenSignsIn() async throws {
        let client = client()
        services.reply(FakeServices.tokens(1))
        try await client.signIn(provider: "apple", identityToken: "a.b.c", nonce: "n", displayName: "Ann")
        #expect(services.paths == ["POST /v1/openid/apple/token"])
        #expect(
            services.body(0) == ["identityToken": "a.b.c", "nonce": "n", "displayName": "Ann", "device": "phone"])
        let refused = await failure { try await client.signIn(provider: "../x", identityToken: "", nonce: "") }
        #expect(refused?.mayPass == false && services.requests.count == 1)
    }

    @Test func theSecondStepSignsIn() async throws {
        let client = client()
        let required = FakeServices.json(
            #"{"code":"factor_required","reason":"a code","ticket":"s3cret","expires":1800000300000}"#, status: 401)
        services.reply(required)
        let first = await failure { try await client.signIn(email: "ann@example.org", password: "correct horse") }
        guard case .factorRequired(let ticket) = first else { throw AccountFailure.unexpectedAnswer }
        #expect(ticket.expires.milliseconds == 1_800_000_300_000 && first?.mayPass == false)
        // It signs no user in, and it is in no log of an app.
        #expect(try await client.signedIn() == nil)
        #expect(!"\(ticket) \(String(reflecting: ticket)) \(String(describing: first))".contains("s3cret"))
        services.reply(FakeServices.json(#"{"code":"wrong_code","reason":"no"}"#, status: 401), FakeServices.tokens(1))
        let wrong = await failure { try await client.signIn(ticket: ticket, code: "000000") }
        #expect(wrong == .refused(AccountRefusal(status: 401, code: "wrong_code", reason: "no")))
        #expect(try await client.signIn(ticket: ticket, code: "123456").user == "uann")
        #expect(services.body(2) == ["ticket": "s3cret", "code": "123456", "device": "phone"])
        #expect(services.paths.last == "POST /v1/sessions/factor")
    }

    @Test func aSecondFactorIsTurnedOnAndOff() async throws {
        let client = try await signedIn()
        services.reply(
            FakeServices.json(#"{"recoveryCodes":0,"required":true}"#),
            FakeServices.json(#"{"secret":"ABC","address":"otpauth://x","expires":7}"#, status: 201),
            FakeServices.json(#"{"recoveryCodes":["a-b","c-d"]}"#), FakeServices.json(#"{"recoveryCodes":["e-f"]}"#),
            .success(AccountAnswer(status: 204)))
        let state = try await client.secondFactor.state()
        #expect(state.since == nil && state.recoveryCodes == 0 && state.isRequired)
        let offer = try await client.secondFactor.offer(password: "correct horse")
        #expect(offer.secret == "ABC" && offer.address == "otpauth://x" && offer.expires.milliseconds == 7)
        #expect(try await client.secondFactor.turnOn(code: "123456") == ["a-b", "c-d"])
        #expect(try await client.secondFactor.renewRecoveryCodes(password: "correct horse", code: "123456") == ["e-f"])
        try await client.secondFactor.turnOff(password: "correct horse", code: "a-b")
        #expect(services.body(5) == ["password": "correct horse", "code": "a-b"])
        #expect(
            Array(services.paths.dropFirst()) == [
                "GET /v1/account/factor", "POST /v1/account/factor", "POST /v1/account/factor/confirm",
                "POST /v1/account/factor/codes", "DELETE /v1/account/factor",
            ])
    }

    @Test func refusalsAreTold() async throws {
        services.reply(
            FakeServices.json(
                #"{"code":"rate_limited","reason":"too many","member":"email","retryAfter":60}"#, status: 429),
            .success(AccountAnswer(status: 502, body: Array("<html>".utf8))), .failure(.noAnswer),
            FakeServices.json("{}"), .success(AccountAnswer(status: 302)))
        let client = client()
        let refusal = AccountRefusal(
            status: 429, code: "rate_limited", reason: "too many", member: "email", retryAfter: 60)
        let bad = AccountRefusal(status: 502, code: "", reason: "")
        for expected in [
            AccountFailure.refused(refusal), .refused(bad), .unreachable, .unexpectedAnswer, .unexpectedAnswer,
        ] {
            #expect(await failure { try await client.signIn(email: "a", password: "b") } == expected)
        }
        #expect(try await client.signedIn() == nil && store.text == nil)
    }

    @Test func whoeverSignsOutLeavesNothing() async throws {
        let client = try await signedIn()
        var events = await client.events().makeAsyncIterator()
        services.reply(FakeServices.done)
        try await client.signOut()
        #expect(services.paths.last == "DELETE /v1/sessions/current" && store.text == nil)
        #expect(await events.next() == .signedOut(.asked))
        #expect(await failure { _ = try await client.token() } == .signedOut)
        #expect(await failure { _ = try await client.profile() } == .signedOut)
        #expect(services.requests.count == 2)
    }

    @Test func signingOutNeedsNoNetwork() async throws {
        let client = try await signedIn()
        services.reply(.failure(.notSent))
        #expect(await failure { try await client.signOut() } == .unreachable)
        #expect(try await client.signedIn() == nil && store.text == nil)
    }

    @Test func signingOutEverywhereNeedsOne() async throws {
        let client = try await signedIn()
        services.reply(.failure(.notSent), FakeServices.done)
        #expect(await failure { try await client.signOutEverywhere() } == .unreachable)
        #expect(try await client.signedIn() != nil)
        try await client.signOutEverywhere()
        #expect(try await client.signedIn() == nil)
    }

    @Test func aLetterIsAskedForAgainAndARoleIsChosen() async throws {
        let client = try await signedIn()
        services.reply(
            FakeServices.json("{}"), FakeServices.fault(429, "rate_limited"),
            FakeServices.json(
                """
                {"user":"u1","displayName":"Ann","role":"trainer","language":"en","verified":false,"hasPassword":true,
                "created":1}
                """))
        try await client.sendConfirmation()
        #expect(services.paths.last == "POST /v1/account/confirmation")
        #expect(await failure { try await client.sendConfirmation() } != nil)
        try await client.change(role: "trainer")
        #expect(services.body(3) == ["role": "trainer"])
    }

    @Test func otherSessionsAreListedAndEnded() async throws {
        let client = try await signedIn()
        services.reply(
            FakeServices.json(
                """
                {"sessions":[{"session":"s1","device":"phone","created":1,"used":2,"expires":3,"current":true},
                {"session":"s2","device":"laptop","created":1,"used":2,"expires":3}]}
                """), FakeServices.done, FakeServices.done)
        let sessions = try await client.sessions()
        #expect(sessions.map(\.id) == ["s1", "s2"] && sessions.map(\.isCurrent) == [true, false])
        try await client.signOut(session: "s2")
        #expect(try await client.signedIn() != nil)
        #expect(await failure { try await client.signOut(session: "a/b") }?.mayPass == false)
        try await client.signOut(session: "s1")
        #expect(try await client.signedIn() == nil)
        #expect(services.paths.suffix(2) == ["DELETE /v1/sessions/s2", "DELETE /v1/sessions/s1"])
    }

    @Test func theAccountIsChangedAndDeleted() async throws {
        let client = try await signedIn()
        let account = #"{"user":"uann","displayName":"Anna","language":"de","verified":true,"created":5}"#
        services.reply(
            FakeServices.json(account), FakeServices.json(account), FakeServices.json("{}"), FakeServices.done,
            FakeServices.fault(401, "invalid_credentials"), FakeServices.done)
        let profile = try await client.change(displayName: "Anna")
        #expect(profile.displayName == "Anna" && profile.isVerified && profile.email == nil)
        #expect(try await client.profile() == profile)
        #expect(try await client.export() == Array("{}".utf8))
        try await client.changePassword(from: "old", to: "new")
        // A wrong password isn't the end of a session.
        let refused = await failure { try await client.deleteAccount(password: "wrong") }
        #expect(refused == .refused(AccountRefusal(status: 401, code: "invalid_credentials", reason: "no")))
        try await client.deleteAccount(password: "new")
        #expect(store.text == nil)
        #expect(
            services.paths.dropFirst() == [
                "PATCH /v1/account", "GET /v1/account", "GET /v1/account/export", "POST /v1/password/change",
                "DELETE /v1/account", "DELETE /v1/account",
            ])
        #expect(services.requests.dropFirst().allSatisfy { $0.token?.hasSuffix(".1") == true })
        #expect(services.body(4) == ["password": "old", "newPassword": "new"])
    }

    @Test func anAddressIsLookedUp() async throws {
        let client = try await signedIn()
        services.reply(
            .success(AccountAnswer(status: 200, body: Array(#"{"user":"u7","displayName":"Bob"}"#.utf8))),
            .success(
                AccountAnswer(status: 404, body: Array(#"{"code":"user_not_found","reason":"no such user"}"#.utf8))),
            .success(
                AccountAnswer(status: 429, body: Array(#"{"code":"rate_limited","reason":"later","after":60}"#.utf8))))
        #expect(try await client.lookUp(email: "bob@example.org") == FoundUser(user: "u7", displayName: "Bob"))
        #expect(try await client.lookUp(email: "eve@example.org") == nil)
        await #expect(throws: AccountFailure.self) { try await client.lookUp(email: "eve@example.org") }
        #expect(services.paths.suffix(3) == Array(repeating: "POST /v1/users/lookup", count: 3)[...])
        #expect(services.body(1) == ["email": "bob@example.org"])
    }

    @Test func linksNeedNobodyToBeSignedIn() async throws {
        let client = client()
        services.reply(FakeServices.done, FakeServices.done, FakeServices.done)
        try await client.forgotPassword(email: "ann@example.org")
        try await client.resetPassword(token: "t", to: "new")
        try await client.verifyEmail(token: "v")
        #expect(services.paths == ["POST /v1/password/forgot", "POST /v1/password/reset", "POST /v1/email/verify"])
        #expect(services.body(1) == ["token": "t", "password": "new"] && services.body(2) == ["token": "v"])
    }

    // MARK: Renewing

    @Test func tokensAreRenewedBeforeTheyEnd() async throws {
        let client = try await signedIn()
        time.advance(seconds: 3_479)
        #expect(try await number(client.token()) == "1")
        time.advance(seconds: 1)
        services.reply(FakeServices.tokens(2))
        #expect(try await number(client.token()) == "2")
        #expect(services.paths.last == "POST /v1/sessions/refresh" && services.body(1)["refreshToken"] == "r1")
        #expect(services.requests.last?.token == nil && services.requests.last?.timeout == .seconds(4))
        #expect(try await number(client.token()) == "2" && services.requests.count == 2)
    }

    @Test func shortTokensAreRenewedInTheLastQuarter() async throws {
        // The relay's client asks when a fifth is left.
        let client = try await signedIn(life: 4)
        time.advance(seconds: 3)
        services.reply(FakeServices.tokens(2, life: 4))
        #expect(try await number(client.token()) == "2")
    }

    @Test func aWrongClockChangesNothing() async throws {
        // By this device's clock, the token ended long ago.
        let client = client()
        services.reply(FakeServices.tokens(1, expires: 1_000))
        try await client.signIn(email: "a", password: "b")
        #expect(try await number(client.token()) == "1")
        // The clock was set back: how old the token is can't be known.
        time.advance(seconds: -10)
        services.reply(FakeServices.tokens(2))
        #expect(try await number(client.token()) == "2")
    }

    @Test func oneExchangeServesAll() async throws {
        let client = try await signedIn()
        time.advance(seconds: 3_600)
        services.hold()
        services.reply(FakeServices.tokens(2))
        let tasks = (0..<20).map { _ in Task { try await client.token() } }
        await services.asked(2)
        // A cancelled caller doesn't end it for others.
        tasks[0].cancel()
        services.release()
        for task in tasks { #expect(try await number(task.value) == "2") }
        #expect(services.requests.count == 2)
    }

    @Test func newTokensAreStoredBeforeTheyAreUsed() async throws {
        let client = try await signedIn()
        time.advance(seconds: 3_600)
        services.reply(FakeServices.tokens(2))
        store.fail(true)
        let failed = await failure { _ = try await client.token() }
        guard case .store? = failed else { return #expect(failed == .store("")) }
        #expect(store.text?.contains("\"r1\"") == true)
    }

    @Test func aLostAnswerIsAskedForOnceMore() async throws {
        let client = try await signedIn()
        time.advance(seconds: 3_600)
        services.reply(.failure(.noAnswer), FakeServices.tokens(2))
        async let token = client.token()
        await services.asked(2)
        await pause.pass(.milliseconds(500))
        #expect(try await number(token) == "2")
        #expect(services.body(1) == services.body(2))
        // A second loss isn't followed by a third try: the next call asks for the same exchange.
        time.advance(seconds: 3_600)
        services.reply(.failure(.noAnswer), .failure(.noAnswer))
        async let lost: AccountFailure? = failure { _ = try await client.token() }
        await services.asked(4)
        await pause.pass(.milliseconds(500))
        #expect(await lost == .unreachable)
        #expect(services.requests.count == 5)
        services.reply(FakeServices.tokens(3))
        #expect(try await number(client.token()) == "3")
        #expect(services.body(3) == services.body(5))
        #expect(services.body(3)["key"] != services.body(1)["key"] && services.body(3)["key"] != nil)
    }

    @Test func withoutANetworkTheOldTokenServesToItsEnd() async throws {
        let client = try await signedIn()
        time.advance(seconds: 3_500)
        services.reply(
            .failure(.notSent), FakeServices.fault(503, "unavailable"), FakeServices.fault(429, "rate_limited"))
        #expect(try await number(client.token()) == "1")
        #expect(try await number(client.token()) == "1")
        #expect(try await number(client.token()) == "1")
        time.advance(seconds: 100)
        services.reply(.failure(.notSent))
        #expect(await failure { _ = try await client.token() } == .unreachable)
        services.reply(FakeServices.tokens(2))
        #expect(try await number(client.token()) == "2")
    }

    @Test(arguments: [
        (401, "refresh_reused", SignOutReason.stolen), (401, "unauthorized", .ended), (401, "", .ended),
        (403, "suspended", .suspended),
    ])
    func anEndedSessionIsTold(_ status: Int, _ code: String, _ reason: SignOutReason) async throws {
        let client = try await signedIn()
        var (one, other) = (await client.events().makeAsyncIterator(), await client.events().makeAsyncIterator())
        time.advance(seconds: 3_500)
        services.reply(FakeServices.fault(status, code))
        #expect(await failure { _ = try await client.token() } == .signedOut)
        #expect(await one.next() == .signedOut(reason))
        #expect(await other.next() == .signedOut(reason))
        #expect(store.text == nil)
    }

    @Test func aRefusedTokenIsRenewedOnce() async throws {
        let client = try await signedIn()
        services.reply(
            FakeServices.fault(401, "unauthorized"), FakeServices.tokens(2), FakeServices.json("{\"sessions\":[]}"))
        #expect(try await client.sessions().isEmpty)
        #expect(services.paths.suffix(3) == ["GET /v1/sessions", "POST /v1/sessions/refresh", "GET /v1/sessions"])
        services.reply(
            FakeServices.fault(401, "unauthorized"), FakeServices.tokens(3), FakeServices.fault(401, "unauthorized"))
        #expect(
            await failure { _ = try await client.sessions() }
                == .refused(AccountRefusal(status: 401, code: "unauthorized", reason: "no")))
        services.reply(FakeServices.fault(403, "suspended"), FakeServices.fault(403, "suspended"))
        #expect(await failure { _ = try await client.sessions() } == .signedOut)
    }

    @Test func anExchangeThatComesTooLateBringsNobodyBack() async throws {
        let client = try await signedIn()
        services.hold()
        services.reply(FakeServices.done, FakeServices.tokens(2))
        async let signOut: Void = client.signOut()
        await services.asked(2)
        async let renewal = failure { try await client.renew() }
        await services.asked(3)
        services.release()
        try await signOut
        #expect(await renewal == .signedOut)
        #expect(store.text == nil)
    }

    @Test func tokensStoredByAnotherProcessCount() async throws {
        let client = try await signedIn()
        time.advance(seconds: 3_600)
        services.hold()
        services.reply(FakeServices.fault(401, "refresh_reused"))
        async let token = client.token()
        await services.asked(2)
        store.put(
            #"{"user":"uann","device":"phone","session":"s1","access":"x.y.9","refresh":"r9","key":"k9","received":0,"#
                + #""life":9}"#)
        services.release()
        #expect(try await number(token) == "9")
    }

    @Test func nonsenseInTheStoreIsNobody() async throws {
        store.put("nonsense")
        #expect(try await client().signedIn() == nil)
    }

    @Test func eventsThatNobodyTakesAreBounded() async throws {
        let client = client()
        let events = await client.events()
        for number in 1...40 {
            services.reply(FakeServices.tokens(number))
            try await client.signIn(email: "a", password: "b")
        }
        services.reply(FakeServices.done)
        try await client.signOut()
        var taken: [AccountEvent] = []
        for await event in events {
            taken.append(event)
            if case .signedOut = event { break }
        }
        #expect(taken.count == AccountLimits().eventsMax)
    }
}
