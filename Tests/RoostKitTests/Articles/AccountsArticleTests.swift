import Foundation
import RoostAccounts
import RoostClient
import RoostKit
import RoostTestClient
import RoostWire
import Testing

/// The code of the page of `RoostAccounts`.
@Suite(.serialized, .timeLimit(.minutes(3))) struct AccountsArticleTests {
    // article
    @MainActor func chat(
        of accounts: AccountClient, relay: URL, file: URL?, connector: any SocketConnector,
        askToSignIn: @escaping @MainActor () -> Void
    ) async throws -> Roost {
        var settings = RoostSettings(relay: relay, file: file, device: accounts.device, connector: connector) {
            try await accounts.token()
        }
        settings.user = try await accounts.signedIn()?.user
        let roost = try await Roost(settings)
        let events = await accounts.events()
        Task {
            for await event in events {
                guard case .signedOut = event else { continue }
                await roost.disconnect()
                askToSignIn()
            }
        }
        Task {
            // The relay is notified at once when a session ends, and the app by the relay.
            for await now in roost.snapshots() where now.connection == .failed(.signedOut) {
                try? await accounts.renew()
            }
        }
        return roost
    }
    // end

    /// Signs a user in by a token of the test's relay, and then reports that the session has ended.
    private struct Services: AccountTransport {
        let token: String

        func send(_ request: AccountRequest) async throws(TransportFailure) -> AccountAnswer {
            guard request.url.hasSuffix("/v1/sessions") else {
                return AccountAnswer(status: 401, body: Array(#"{"code":"unauthorized","reason":""}"#.utf8))
            }
            let tokens = """
                {"user":"alice","device":"phone","session":"s","accessToken":"\(token)","refreshToken":"r",
                "accessExpires":9000000000000,"refreshExpires":9000000000000}
                """
            return AccountAnswer(status: 200, body: Array(tokens.utf8))
        }
    }

    @MainActor @Test func aSignedOutUserIsAskedToSignIn() async throws {
        let relay = TestRelay()
        let accounts = AccountClient(
            url: "https://services", device: "phone", store: MemoryTokenStore(),
            transport: Services(token: relay.token(for: "alice")))
        try await accounts.signIn(email: "alice@example.org", password: "correct horse")
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let roost = try await chat(
            of: accounts, relay: URL(filePath: "/"), file: nil, connector: relay.connector
        ) { ask.yield() }
        await roost.connect()
        for await now in roost.snapshots() where now.connection == .connected { break }
        relay.close(CloseCode.revoked.rawValue, "revoked")
        for await _ in asked { break }
        #expect(try await accounts.signedIn() == nil)
        #expect(roost.connection == .offline)
    }
}
