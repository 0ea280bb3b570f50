import RoostLock
import RoostTestClient
import RoostWire
import Testing

@testable import RoostClient

/// The user of a session: nothing that one user typed goes out as another's.
@Suite(.timeLimit(.minutes(3))) struct UserTests {
    private let connector = FakeConnector()
    private let clock = ManualClock()

    private func client(_ user: String?, _ tokens: @escaping @Sendable () -> String) -> ChatClient {
        ChatClient(
            url: "ws://relay/v1/socket", device: "phone", user: user, connector: connector, clock: clock,
            generator: Counting(), token: tokens)
    }

    /// A JWT of this user's, with a signature of no meaning. `{"sub":"…"}` in base64url.
    private static let (alices, bens) = (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJiZW4ifQ.c2ln"
    )

    @Test(
        arguments: [
            (UserTests.alices, "alice"), (UserTests.bens, "ben"), ("token", nil), ("a.b", nil), ("..", nil),
            ("a.=.c", nil),
            ("a.bm90IEpTT04.c", nil), ("a.e30.c", nil),
        ] as [(String, String?)])
    func aTokenNamesItsUser(_ token: String, _ user: String?) { #expect(TokenUser.of(token) == user) }

    @Test func aTokenOfAnotherUserIsNotUsed() async {
        let client = client("alice") { UserTests.bens }
        await client.connect()
        let end = await client.nextEvent()?.disconnection
        #expect(end?.isFinal == true && end?.isOfAnotherUser == true)
        #expect(connector.isIdle, "nobody was called")
        let failure = await #expect(throws: RoostFailure.self) { try await client.send("hi", to: "@bob") }
        guard case .ended(let ending)? = failure else { return #expect(Bool(false)) }
        #expect(ending.isOfAnotherUser)
    }

    @Test func aWelcomeToAnotherUserEndsTheSession() async {
        let client = client("ben") { "opaque" }
        await client.connect()
        async let sent = client.send("ben's", to: "@bob")
        let socket = await connector.next()
        await socket.welcome()
        let end = await client.nextEvent()?.disconnection
        #expect(end?.isOfAnotherUser == true)
        await #expect(throws: RoostFailure.self) { try await client.send("more", to: "@bob") }
        do {
            _ = try await sent
            Issue.record("sent as another user")
        } catch { #expect(error is RoostFailure) }
        #expect(!socket.closeCodes.isEmpty)
    }

    /// Waiting messages were typed by the user of the first session.
    @Test func theUserOfTheFirstSessionStays() async {
        let tokens = Locked([UserTests.alices, UserTests.bens])
        let client = client(nil) { tokens.withLock { $0.removeFirst() } }
        await client.connect()
        let socket = await connector.next()
        await socket.welcome()
        #expect(await client.nextEvent()?.isConnected == true)
        socket.close(1006)
        #expect(await client.nextEvent()?.disconnection?.isFinal == false)
        await client.wake()
        #expect(await client.nextEvent()?.disconnection?.isOfAnotherUser == true)
        #expect(connector.isIdle)
    }
}
