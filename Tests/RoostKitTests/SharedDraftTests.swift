import RoostClient
import RoostKit
import RoostStore
import RoostTestClient
import RoostWire
import Testing

/// A draft is on all devices of the user, and goes only by the send that used it.
@MainActor
@Suite(.timeLimit(.minutes(3))) struct SharedDraftTests {
    private let relay = TestRelay()

    // Two devices of one user with a conversation that both know, and a clock for the first.
    private func two() async throws -> (
        phone: Roost, tablet: Roost, one: ConversationTimeline, other: ConversationTimeline
    ) {
        let (phone, tablet) = (try await online("phone"), try await online("tablet"))
        let one = try await phone.timeline(with: "@bob")
        try await one.stored(try await one.send("hi"))
        let other = try await tablet.timeline(with: "@bob")
        await other.until { $0.texts == ["hi"] }
        return (phone, tablet, one, other)
    }

    private func online(_ name: String) async throws -> Roost {
        let device = try Device("alice", on: relay, name: name)
        let roost = try await device.online()
        kept.devices.append(device)
        kept.roosts.append(roost)
        return roost
    }

    private let kept = Kept()

    // A chat ends when no reference holds it.
    @MainActor private final class Kept {
        var devices: [Device] = []
        var roosts: [Roost] = []
    }

    @Test func draftsContinueOnTheOtherDevice() async throws {
        let (_, _, one, other) = try await two()
        one.draft = "half a"
        await other.draft { $0 == "half a" }
        other.draft = "half a thought"
        await one.draft { $0 == "half a thought" }
        let id = try await other.send("half a thought")
        try await other.stored(id)
        #expect(other.draft.isEmpty)
        await one.draft { $0.isEmpty }
    }

    /// Text typed since stays, on both.
    @Test func textWrittenMeanwhileStays() async throws {
        let (phone, tablet, one, other) = try await two()
        await phone.disconnect()
        one.draft = "here"
        other.draft = "there"
        try await one.saveDraft()
        try await other.saveDraft()
        await tablet.settings(have: "draft/", text: "there")
        await phone.connect()
        await phone.until { $0.isUpToDate }
        await phone.settings(have: "draft/", text: "there")
        #expect(one.draft == "here" && other.draft == "there")
        one.draft = "here too"
        await other.draft { $0 == "here too" }
    }

    @Test func draftsBegunWithoutASessionAreSharedLater() async throws {
        let (phone, _, one, other) = try await two()
        await phone.disconnect()
        one.draft = "offline"
        try await one.saveDraft()
        await phone.connect()
        await other.draft { $0 == "offline" }
        one.draft = ""
        await other.draft { $0.isEmpty }
    }

    /// A new device has what was begun elsewhere.
    @Test func aNewDeviceHasIt() async throws {
        let (_, _, one, other) = try await two()
        one.draft = "begun"
        await other.draft { $0 == "begun" }
        let third = try await online("desk")
        let timeline = try await third.timeline(with: "@bob")
        await timeline.draft { $0 == "begun" }
    }

    /// Another window of the same app shows it at once.
    @Test func windowsShareIt() async throws {
        let roost = try await Device("alice", on: relay).start()
        let (one, other) = (try await roost.timeline(with: "@bob"), try await roost.timeline(with: "@bob"))
        one.draft = "a"
        await other.draft { $0 == "a" }
        for text in ["ab", "abc", "abcd"] { one.draft = text }
        await other.draft { $0 == "abcd" }
        #expect(one.draft == "abcd")
    }
}

extension ConversationTimeline {
    /// Waits until that is the draft.
    func draft(_ isSo: (String) -> Bool) async {
        while !isSo(draft) { await change { _ = draft } }
    }
}

extension Roost {
    /// Waits until a setting whose key begins so has this text.
    fileprivate func settings(have prefix: String, text: String) async {
        for await now in settings.snapshots()
        where now.contains(where: { $0.key.hasPrefix(prefix) && $0.value.value == MessageBody(text: text).json }) {
            return
        }
    }
}
