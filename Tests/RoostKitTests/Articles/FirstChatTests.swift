import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// The code of `FirstChat.md`.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct FirstChatTests {
    // article
    func openChat(
        at relay: URL, in folder: URL, connector: any SocketConnector,
        token: @escaping @Sendable () async throws -> String
    ) async throws -> Roost {
        let settings = RoostSettings(
            relay: relay, file: folder.appending(path: "roost.db"), device: "phone-\(UUID().uuidString)",
            connector: connector, token: token)
        let roost = try await Roost(settings)
        await roost.connect()
        return roost
    }
    // end

    // article
    func talk(_ roost: Roost, show: ([String]) -> Void) async throws {
        let timeline = try await roost.timeline(with: "@bob")
        try await timeline.send("Are you there?")
        for await now in timeline.snapshots() {
            let messages = now.items.compactMap(\.message)
            show(messages.map { "\($0.from): \($0.text ?? $0.kind)" })
            guard let last = messages.last, !last.isOwn, let sequence = last.sequence else { continue }
            try await timeline.seen(upTo: sequence)
            return
        }
    }
    // end

    @Test func twoPeopleTalk() async throws {
        let relay = TestRelay()
        let (alice, bob) = (try Device("alice", on: relay), try Device("bob", on: relay))
        let folder = URL(filePath: alice.path).deletingLastPathComponent()
        let token = relay.token(for: "alice")
        let roost = try await openChat(at: URL(filePath: "/"), in: folder, connector: relay.connector) { token }
        let other = try await bob.online()
        let answering = try await other.timeline(with: "@alice")
        let answer = Task { @MainActor in
            await answering.until { $0.texts == ["Are you there?"] }
            try await answering.send("Yes")
        }
        var shown: [String] = []
        try await talk(roost) { shown = $0 }
        try await answer.value
        #expect(shown == ["alice: Are you there?", "bob: Yes"])
        await answering.until { $0.states.last == .read(count: 1, others: 1) }
        #expect(roost.pendingCount == 0)
    }
}
