import Logging
import RoostClient
import RoostWire

/// A session with the relay, as a service, for as long as there is something to tell it. It is opened when it is
/// needed, so that a relay that is away costs nothing.
package actor SocketRelayLink: RelayLink {
    private let url: String
    private let connector: any SocketConnector
    private let token: @Sendable () throws(ServiceFault) -> String
    private let clock: WallClock
    private let log: Logger
    private var client: OperatorClient?
    // What was logged last: a relay that is away is told of once.
    private var lastFailure = ""

    /// Nothing is connected yet.
    /// - Parameter token: makes a token with the scope `service`.
    package init(
        url: String, connector: any SocketConnector, clock: WallClock, log: Logger,
        token: @escaping @Sendable () throws(ServiceFault) -> String
    ) {
        self.url = url
        self.connector = connector
        self.token = token
        self.clock = clock
        self.log = log
    }

    package func revoke(_ revocation: Revocation) async -> Bool {
        // The second time with a new connection: the relay may have been started again meanwhile.
        for _ in 0..<2 {
            do throws(RoostFailure) {
                let isOld = client != nil
                let client = try await connected()
                do throws(RoostFailure) {
                    _ = try await send(revocation, by: client)
                    lastFailure = ""
                    return true
                } catch {
                    await client.close()
                    self.client = nil
                    guard isOld else { throw error }
                }
            } catch {
                note(error)
                return false
            }
        }
        return false
    }

    /// Says goodbye until there is more to tell.
    package func rest() async {
        let client = client
        self.client = nil
        await client?.close()
    }

    private func connected() async throws(RoostFailure) -> OperatorClient {
        if let client { return client }
        let token: String
        do throws(ServiceFault) { token = try self.token() } catch { throw .notConnected }
        let made = try OperatorClient(url: url, token: token, connector: connector)
        do throws(RoostFailure) { _ = try await made.connect() } catch {
            await made.close()
            throw error
        }
        client = made
        return made
    }

    private func send(
        _ revocation: Revocation, by client: OperatorClient
    ) async throws(RoostFailure) -> OperatorClient.Reply {
        guard let sid = revocation.sid else {
            return try await client.revoke(revocation.user, device: revocation.device)
        }
        // The relay takes a day at most, by its own clock.
        let latest = clock.now() + 86_400_000 - 60_000
        return try await client.revoke(
            signIn: sid, until: Timestamp(milliseconds: min(revocation.until, latest)))
    }

    private func note(_ failure: RoostFailure) {
        let text = "\(failure)"
        guard text != lastFailure else { return }
        lastFailure = text
        log.warning("the relay can't be told who has signed out; trying on", metadata: ["failure": "\(text)"])
    }
}
