import RoostKit
import RoostTestClient
import RoostWire
import Testing

/// A draft goes only by being sent.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct DraftTests {
    private let relay = TestRelay()

    /// An answer from a notification, or from another window, is another text.
    @Test func aQuickAnswerKeepsWhatIsBeingWritten() async throws {
        let device = try Device("alice", on: relay)
        let roost = try await device.start()
        let written = try await roost.timeline(with: "@bob")
        written.draft = "a long text that isn't ready"
        try await written.saveDraft()
        let quick = try await roost.timeline(with: "@bob")
        #expect(quick.draft == "a long text that isn't ready")
        try await quick.send("quick")
        try await written.send(kind: "picture", MessageBody(text: "https://example.org"))
        #expect(written.draft == "a long text that isn't ready" && quick.draft == written.draft)
        #expect(try await device.start().timeline(with: "@bob").draft == "a long text that isn't ready")
    }

    @Test(arguments: ["ready", " ready\n"]) func sentTextsAreNoDrafts(_ draft: String) async throws {
        let device = try Device("alice", on: relay)
        let roost = try await device.start()
        let timeline = try await roost.timeline(with: "@bob")
        timeline.draft = draft
        try await timeline.saveDraft()
        try await timeline.send("ready")
        #expect(timeline.draft.isEmpty)
        #expect(try await device.start().timeline(with: "@bob").draft.isEmpty)
    }

    /// Text typed while a message is on its way to the disk is the next one.
    @Test func textTypedMeanwhileStays() async throws {
        let device = try Device("alice", on: relay)
        let roost = try await device.start()
        let timeline = try await roost.timeline(with: "@bob")
        timeline.draft = "one"
        try await timeline.saveDraft()
        async let sent = timeline.send("one")
        timeline.draft = "two"
        try await timeline.saveDraft()
        _ = try await sent
        #expect(timeline.draft == "two")
        #expect(try await device.start().timeline(with: "@bob").draft == "two")
    }

    /// A text that another window has sent can be kept again.
    @Test func aDraftIsKeptAgain() async throws {
        let device = try Device("alice", on: relay)
        let roost = try await device.start()
        let (one, other) = (try await roost.timeline(with: "@bob"), try await roost.timeline(with: "@bob"))
        one.draft = "same"
        try await one.saveDraft()
        try await other.send("same")
        #expect(try await device.start().timeline(with: "@bob").draft.isEmpty)
        one.draft = "same"
        try await one.saveDraft()
        #expect(try await device.start().timeline(with: "@bob").draft == "same")
    }
}
