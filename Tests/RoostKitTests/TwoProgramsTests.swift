import Foundation
import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// Two programs open one device's file, and both want the session.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(3))) struct TwoProgramsTests {
    private let relay = TestRelay()

    /// The relay has one session for a device. The program with the session sends for both, and both show each message
    /// once.
    @Test func theProgramWithTheSessionSendsForBoth() async throws {
        let alice = try Device("alice", on: relay)
        let bob = try await Device("bob", on: relay).online()
        let other = try await bob.timeline(with: "@alice")
        let first = try await alice.online()
        let shown = try await first.timeline(with: "@bob")
        let second = try await alice.online()
        await first.until { $0.connection == .failed(.takenOver) }
        let shownToo = try await second.timeline(with: "@bob")
        try await shownToo.send("from the second")
        await shown.until { $0.texts == ["from the second"] && $0.areSent == [true] }
        try await shown.send("from the first")
        for timeline in [shown, shownToo] {
            await timeline.until { $0.texts == ["from the second", "from the first"] && $0.areSent == [true, true] }
        }
        await other.until { $0.texts == ["from the second", "from the first"] }
        await first.until { $0.pendingCount == 0 }
        #expect(first.connection == .failed(.takenOver))
    }

    /// A program that still has the damaged file shows and keeps nothing more.
    @Test func aProgramWithAReplacedFileGetsAnError() async throws {
        let alice = try Device("alice", on: relay)
        let first = try await alice.online()
        let timeline = try await first.timeline(with: "@bob")
        try await timeline.send("one")
        await timeline.until { $0.areSent == [true] }
        let mark = FileManager.default.createFile(atPath: alice.path + ".mark", contents: nil)
        #expect(mark)
        let second = try await alice.start()
        #expect(second.repair != nil)
        let failure = await #expect(throws: LocalFailure.self) { try await timeline.send("two") }
        #expect(failure?.wasReplaced == true)
        await first.until { if case .failed(.store) = $0.connection { true } else { false } }
        #expect(second.pendingCount == 0)
    }
}
