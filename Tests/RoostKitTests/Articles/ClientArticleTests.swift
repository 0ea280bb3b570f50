import RoostClient
import RoostLock
import RoostTestClient
import RoostWire
import Testing

/// The code of the page of `RoostClient`.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ClientArticleTests {
    // article
    func follow(
        _ relay: String, connector: any SocketConnector, token: @escaping @Sendable () async throws -> String,
        keep: (Message) -> Void
    ) async throws -> Disconnection? {
        let client = ChatClient(url: relay, device: "phone-7f3a", connector: connector, token: token)
        await client.connect()
        let stored = try await client.send("Are you there?", to: "@bob")
        print("stored as \(stored.sequence.value) of \(stored.conversation)")
        for await event in client.events {
            switch event {
            case .message(let message): keep(message)
            case .disconnected(let disconnection) where disconnection.isFinal: return disconnection
            default: break
            }
        }
        return nil
    }
    // end

    @Test func aClientFollowsUntilItsTokenIsRefused() async throws {
        let relay = TestRelay()
        let (alice, bob) = (relay.token(for: "alice"), relay.token(for: "bob"))
        let answering = ChatClient(url: "ws://test/v1/socket", device: "laptop", connector: relay.connector) { bob }
        await answering.connect()
        let answered = Task { () -> StoredMessage? in
            for await event in answering.events {
                guard case .message(let message) = event else { continue }
                return try await answering.send("Yes", to: message.conversation)
            }
            return nil
        }
        let kept = Locked<[String]>([])
        let ended = try await follow(
            "ws://test/v1/socket", connector: relay.connector, token: { alice },
            keep: { message in
                kept.withLock { $0.append(message.body?.text ?? "") }
                relay.close(CloseCode.unauthorized.rawValue, "revoked")
            })
        #expect(ended?.code == CloseCode.unauthorized.rawValue)
        #expect(kept.withLock { $0 } == ["Yes"])
        #expect(try await answered.value?.sequence == SequenceNumber(2))
        await answering.disconnect()
    }
}
