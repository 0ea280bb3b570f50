import RoostTestClient
import RoostWire
import Testing

@testable import RoostClient

@Suite(.timeLimit(.minutes(3))) struct ConnectTests {
    @Test func helloHasTokenAndDeviceAndLeavesTheCursorToTheServer() async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        let hello = await socket.welcome()
        #expect(hello.type == "hello")
        #expect(hello["token"] == "token-1")
        #expect(hello["device"] == "phone")
        #expect(hello.json?["resume"] == nil)
        guard case .connected(let welcome, _) = await fixture.client.nextEvent() else {
            Issue.record("not connected")
            return
        }
        #expect(welcome.user == "alice")
        #expect(welcome.isUpToDate)
        #expect(welcome.durability == .full)
        #expect(welcome.limits.frameBytes == 4_096)
    }

    @Test func aSecondConnectDoesNothing() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        await fixture.client.connect()
        #expect(socket.closeCodes.isEmpty)
        #expect(fixture.connector.isIdle)
    }

    @Test func waitsTwiceAsLongAfterEveryFailureUpToTwentySeconds() async {
        let fixture = Fixture(generator: Greatest())
        await fixture.client.connect()
        for wait in [500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000] {
            let socket = await fixture.connector.next()
            socket.fail("refused")
            let event = await fixture.client.nextEvent()
            #expect(event?.disconnection?.willRetryIn == .milliseconds(wait))
            #expect(event?.disconnection?.reason == "refused")
            await fixture.clock.pass(.milliseconds(wait))
        }
        #expect(fixture.tokens.count >= 8)
    }

    @Test func aShortSessionDoesNotMakeTheNextWaitShort() async {
        let fixture = Fixture(generator: Greatest())
        var socket = await fixture.connected()
        for wait in [500, 1_000, 2_000] {
            socket.close(1006)
            #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(wait))
            await fixture.clock.pass(.milliseconds(wait))
            socket = await fixture.connector.next()
            await socket.welcome()
            #expect(await fixture.client.nextEvent()?.isConnected == true)
        }
        await fixture.clock.pass(.seconds(45))
        socket.close(1006)
        #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(500))
    }

    @Test(
        arguments: [
            1000, 1001, 1002, 1006, 1011, 1013, 4000, 4001, 4002, 4003, 4004, 4005, 4008, 4499, 5000,
        ] as [UInt16])
    func reconnectsAfter(code: UInt16) async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.close(code, "why")
        let event = await fixture.client.nextEvent()?.disconnection
        #expect(event?.code == code)
        #expect(event?.isFinal == false)
        let again = await fixture.connector.next()
        #expect(await again.welcome()["token"] == "token-2")
        #expect(await fixture.client.nextEvent()?.isConnected == true)
    }

    @Test(arguments: [1003, 1007, 1009, 4500, 4501, 4502, 4999] as [UInt16])
    func endsAfter(code: UInt16) async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.close(code, "why")
        let event = await fixture.client.nextEvent()?.disconnection
        #expect(event == Disconnection(code: code, reason: "why", willRetryIn: nil, isFinal: true))
        #expect(await fixture.client.nextEvent() == nil)
        #expect(fixture.connector.isIdle)
        await #expect(throws: RoostFailure.ended(Ending(code: code, reason: "why", isWanted: false))) {
            try await fixture.client.send("hi", to: "@bob")
        }
    }

    @Test(arguments: [("unauthorized", 4500), ("forbidden", 4500), ("token_expired", 4004)] as [(String, UInt16)])
    func aRefusedTokenSaysWhy(code: String, close: UInt16) async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        socket.open()
        socket.refuse(await socket.next(), code)
        socket.close(close, "token refused")
        let event = await fixture.client.nextEvent()?.disconnection
        #expect(event?.code == close && event?.reason == "because" && event?.isFinal == (close >= 4500))
    }

    @Test(arguments: [false, true]) func saysWhetherTheServerWantsNothingOfIt(isRefused: Bool) async {
        let fixture = Fixture()
        await fixture.client.connect()
        await fixture.connector.next().fail("HTTP status 404", isRefused: isRefused)
        let event = await fixture.client.nextEvent()?.disconnection
        #expect(event?.isRefused == isRefused && event?.isFinal == false)
    }

    @Test func reconnectsWhenTheDrainSaid() async {
        let fixture = Fixture(generator: Greatest())
        let socket = await fixture.connected()
        socket.deliver(#"{"type":"drain","after":1200}"#)
        #expect(await fixture.client.nextEvent() == .drain(.milliseconds(1_200)))
        socket.close(4000)
        #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(1_200))
        await fixture.clock.pass(.milliseconds(1_200))
        // The server's wait is used once. After that the client uses its own waits again.
        await fixture.connector.next().fail("refused")
        #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(500))
    }

    @Test func aDrainCannotKeepTheClientAwayForEver() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        socket.deliver(#"{"type":"drain","after":9223372036854775807}"#)
        _ = await fixture.client.nextEvent()
        socket.close(4000)
        #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .seconds(300))
    }

    @Test func withoutATokenItTriesAgain() async {
        let fixture = Fixture(generator: Greatest())
        fixture.tokens.fail(true)
        await fixture.client.connect()
        #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(500))
        fixture.tokens.fail(false)
        await fixture.clock.pass(.milliseconds(500))
        let socket = await fixture.connector.next()
        #expect(await socket.welcome()["token"] == "token-2")
    }

    @Test func aTemporarilyRefusedHelloIsRepeatedWhenTheServerSaid() async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        socket.open()
        socket.refuse(await socket.next(), "unavailable", retry: true, after: 700)
        #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(700))
        #expect(socket.closeCodes == [1000])
    }

    @Test func aHelloThatIsRefusedForGoodEndsTheSession() async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        socket.open()
        socket.refuse(await socket.next(), "bad_request")
        #expect(await fixture.client.nextEvent()?.disconnection?.isFinal == true)
    }

    @Test func aHelloWithoutAnAnswerIsOneFailure() async {
        let fixture = Fixture(generator: Greatest())
        await fixture.client.connect()
        for wait in [500, 1_000] {
            let socket = await fixture.connector.next()
            socket.open()
            _ = await socket.next()
            socket.close(1006)
            #expect(await fixture.client.nextEvent()?.disconnection?.willRetryIn == .milliseconds(wait))
            await fixture.clock.pass(.milliseconds(wait))
        }
    }

    @Test func withAnExpiredTokenTheCloseCodeDecides() async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        socket.open()
        socket.refuse(await socket.next(), "token_expired")
        socket.close(4004)
        #expect(await fixture.client.nextEvent()?.disconnection?.code == 4004)
        #expect(await fixture.connector.next().welcome()["token"] == "token-2")
    }

    @Test func aURLThatCannotBeUsedEndsTheSession() async {
        let fixture = Fixture(url: "http://relay")
        await fixture.client.connect()
        #expect(await fixture.client.nextEvent()?.disconnection?.isFinal == true)
        #expect(await fixture.client.nextEvent() == nil)
    }

    @Test func aSocketThatNeverOpensIsGivenUp() async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        await fixture.clock.pass(.seconds(20))
        #expect(await fixture.client.nextEvent()?.disconnection?.reason == "no welcome in time")
        #expect(socket.closeCodes == [1000])
    }

    @Test func lateEventsOfAnEarlierConnectionAreIgnored() async {
        let fixture = Fixture()
        let old = await fixture.connected()
        old.close(1006)
        _ = await fixture.client.nextEvent()
        let new = await fixture.connector.next()
        old.deliver(messageJSON(1))
        old.close(4501)
        await new.welcome()
        #expect(await fixture.client.nextEvent()?.isConnected == true)
        new.deliver(messageJSON(2))
        #expect(await fixture.client.nextEvent()?.sequence == 2)
    }

    // MARK: Token

    @Test(arguments: [(3_600, 3_540), (100, 80)])
    func renewsTheToken(life: Int, after: Int) async {
        var limits = ClientLimits()
        limits.quietTime = .seconds(100_000)
        let fixture = Fixture(limits)
        let socket = await fixture.connected("\"expires\":\(1_000_000 + life * 1_000)")
        await fixture.clock.pass(.seconds(after))
        let refresh = await socket.next()
        #expect(refresh.type == "refresh")
        #expect(refresh["token"] == "token-2")
        // The time by the server's clock, which is now `after` seconds later.
        socket.ok(refresh, "\"expires\":\(1_000_000 + (after + life) * 1_000)")
        await fixture.clock.pass(.seconds(after))
        #expect(await socket.next()["token"] == "token-3")
    }

    @Test func triesAgainWithoutANewToken() async {
        var limits = ClientLimits()
        limits.quietTime = .seconds(100_000)
        let fixture = Fixture(limits, generator: Greatest())
        let socket = await fixture.connected("\"expires\":1100000")
        fixture.tokens.fail(true)
        await fixture.clock.pass(.seconds(80))
        await fixture.clock.sleeper(for: .seconds(1))
        fixture.tokens.fail(false)
        await fixture.clock.pass(.seconds(1))
        let refresh = await socket.next()
        #expect(refresh["token"] == "token-3")
        socket.refuse(refresh, "unauthorized")
        await fixture.clock.pass(.milliseconds(1_500))
        #expect(await socket.next()["token"] == "token-4")
    }

    // MARK: Life

    @Test func asksForASignOfLifeAndGivesUpWithoutOne() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        await fixture.clock.pass(.seconds(45))
        let ping = await socket.next()
        #expect(ping.type == "ping")
        socket.deliver("{\"type\":\"pong\",\"re\":\(ping.id ?? 0),\"time\":1}")
        // The event behind the pong was taken, so the pong was taken too before the clock moves.
        socket.deliver("{\"type\":\"typing\",\"conversation\":\"c1\",\"user\":\"bob\",\"active\":true}")
        _ = await fixture.client.nextEvent()
        await fixture.clock.pass(.seconds(45))
        #expect(await socket.next().type == "ping")
        await fixture.clock.pass(.seconds(10))
        #expect(await fixture.client.nextEvent()?.disconnection?.reason == "the server doesn't answer")
        #expect(socket.closeCodes == [1000])
    }

    @Test func saysGoodbye() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let goodbye: Void = fixture.client.disconnect()
        #expect(await socket.next().type == "bye")
        socket.close(1000, "bye")
        await goodbye
        #expect(await fixture.client.nextEvent()?.disconnection?.isFinal == true)
        #expect(await fixture.client.nextEvent() == nil)
    }

    @Test func leavesEvenIfTheServerDoesNotClose() async {
        let fixture = Fixture()
        let socket = await fixture.connected()
        async let goodbye: Void = fixture.client.disconnect()
        #expect(await socket.next().type == "bye")
        await fixture.clock.pass(.seconds(3))
        await goodbye
        #expect(socket.closeCodes == [1000])
    }

    @Test func leavesWithoutASession() async {
        let fixture = Fixture()
        await fixture.client.connect()
        let socket = await fixture.connector.next()
        await fixture.client.disconnect()
        #expect(socket.closeCodes == [1000])
        #expect(await fixture.client.nextEvent()?.disconnection?.isFinal == true)
    }

    @Test func releasingTheClientClosesItsSocket() async {
        let connector = FakeConnector()
        let socket: FakeSocket
        do {
            let client = ChatClient(url: "ws://relay", device: "phone", connector: connector) { "token" }
            await client.connect()
            socket = await connector.next()
        }
        await socket.closed()
        #expect(socket.closeCodes == [1000])
    }
}
