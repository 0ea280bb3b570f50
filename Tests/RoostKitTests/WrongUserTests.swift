import RoostClient
import RoostKit
import RoostTestClient
import RoostWire
import Testing

/// The app, the file and the token say who the user is. If they don't agree, nothing goes out.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct WrongUserTests {
    private let relay = TestRelay()

    @Test(arguments: [nil, "alice"]) func aTokenOfAnotherUserIsNoSession(_ named: String?) async throws {
        let device = try Device("alice", on: relay)
        device.adjust = { $0.user = named }
        do {
            let roost = try await device.online()
            await roost.disconnect()
        }
        let roost = try await device.start(as: "ben")
        let timeline = try await roost.timeline(with: "@carol")
        try await timeline.send("alice's")
        await roost.connect()
        await roost.until { $0.connection == .failed(.wrongUser) }
        try await timeline.send("alice's too")
        await timeline.until { $0.texts == ["alice's", "alice's too"] }
        #expect(roost.snapshot.user == "alice")
        #expect(roost.sentences.banner(for: roost.snapshot) == roost.sentences.wrongUser)
        let carol = try await Device("carol", on: relay).online()
        #expect(carol.conversations.rows.isEmpty)
        // Nothing of it is lost.
        let again = try await device.online()
        let others = try await carol.timeline(with: "@alice")
        await others.until { $0.texts == ["alice's", "alice's too"] }
        _ = again
    }

    /// Only the app's word lets another user into the file.
    @Test func theAppLetsAnotherUserIn() async throws {
        let device = try Device("alice", on: relay)
        do {
            let roost = try await device.online()
            let timeline = try await roost.timeline(with: "@carol")
            timeline.draft = "alice's draft"
            try await timeline.saveDraft()
            await roost.disconnect()
        }
        device.adjust = { $0.user = "ben" }
        let roost = try await device.start(as: "ben")
        #expect(try await roost.timeline(with: "@carol").draft.isEmpty)
        await roost.connect()
        await roost.until { $0.isUpToDate }
        #expect(roost.snapshot.user == "ben")
    }

    /// After a sign-out the file is free for any user.
    @Test func afterASignOutAnybodyMayCome() async throws {
        let device = try Device("alice", on: relay)
        let roost = try await device.online()
        try await roost.signOut()
        let other = try await device.start(as: "ben")
        await other.connect()
        await other.until { $0.isUpToDate }
        #expect(other.snapshot.user == "ben")
    }
}
