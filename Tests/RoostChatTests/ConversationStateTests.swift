import RoostKit
import RoostWire
import Testing

@testable import RoostChat
@testable import RoostKit
@testable import RoostStore

/// Lines about pins, threads, forwarded and disappearing messages, requests, and unread counts.
@Suite struct ConversationStateTests {
    private func message(_ item: TimelineItem, _ change: (inout TimelineMessage) -> Void) -> TimelineItem {
        guard case .message(var message) = item else { return item }
        change(&message)
        return .message(message)
    }

    private func shows(_ scene: Scene, _ text: String) -> Bool { scene.shown().contains { $0.contains(text) } }

    @Test func threadsPinsAndOriginsStandWithTheirMessages() {
        let items = [
            message(Stage.message(1, "bob", "Who comes?")) {
                $0.replies = ThreadSummary(count: 2, last: SequenceNumber(3), time: Timestamp(milliseconds: Stage.noon))
            },
            message(Stage.message(2, "alice", "I do", minutes: 1)) { $0.thread = SequenceNumber(1) },
            message(Stage.message(3, "bob", "a joke", minutes: 2)) { $0.origin = "carol" },
            message(Stage.message(4, "bob", "in it", minutes: 3)) { $0.thread = SequenceNumber(1) },
            Stage.message(5, "bob", "not in it", minutes: 3),
        ]
        var scene = Stage.scene(items)
        scene.timeline.pins = [PinnedMessage(LocalPin(sequence: SequenceNumber(1)), items[0].message)]
        #expect(shows(scene, "pinned · 2 replies in its thread"))
        #expect(shows(scene, "╭ in the thread of bob: Who comes?"))
        #expect(shows(scene, "╭ forwarded from carol"))
        #expect(shows(scene, "12:03 bob    not in it"), "what ends a thread has a name of its own")
        #expect(scene.shown()[0].contains("1 pinned"))
        // In the thread itself that needs no saying.
        scene.show(Stage.timeline(Array(items.prefix(2))), thread: SequenceNumber(1), draft: "")
        #expect(!shows(scene, "in the thread of"))
        let lines = items.compactMap(\.message).map { PlainLine($0).text(for: "alice", Names(), Stage.words) }
        #expect(lines[0].hasSuffix("bob: Who comes? (2 replies)"))
        #expect(lines[1].hasSuffix("alice: ↳1 I do ✓"))
        #expect(lines[2].hasSuffix("bob: (from carol) a joke"))
        let pin = PinLine.text(
            PinnedMessage(LocalPin(sequence: SequenceNumber(1), by: "bob"), items[0].message), Names(), Stage.words)
        #expect(pin == "  #1 bob: Who comes?, pinned by bob")
    }

    @Test func theTitleTellsHowTheConversationIs() {
        var scene = Stage.scene([], columns: 160)
        scene.timeline.conversation?.expiry = 604_800_000
        scene.timeline.conversation?.request = .received
        #expect(scene.shown()[0].contains("wants to write to you: /accept or /drop"))
        #expect(scene.shown()[0].contains("messages disappear after 1 week"))
        func text(_ milliseconds: Int64) -> String { Stage.words(.expiry(milliseconds: milliseconds)) }
        #expect(text(0) == "messages don’t disappear" && text(86_400_000).hasSuffix("24 hours"))
        #expect(text(36 * 3_600_000).hasSuffix("36 hours") && text(3_600_000).hasSuffix("1 hour"))
    }

    @Test func aPipeIsToldOfAnExpiryOnce() {
        var report = PlainReport(Stage.words)
        var conversation = Stage.conversation()
        #expect(report.lines(Stage.timeline([], conversation), user: "alice").isEmpty)
        conversation.expiry = 86_400_000
        let line = "· From now on, messages disappear after 24 hours"
        #expect(report.lines(Stage.timeline([], conversation), user: "alice") == [line])
        #expect(report.lines(Stage.timeline([], conversation), user: "alice").isEmpty)
        conversation.expiry = 0
        #expect(
            report.lines(Stage.timeline([], conversation), user: "alice") == ["· From now on, messages don’t disappear"]
        )
        var other = PlainReport(Stage.words)
        conversation.expiry = 86_400_000
        #expect(other.lines(Stage.timeline([], conversation), user: "alice") == [line], "also when it is opened")
    }

    @Test func aPipeIsToldOfARequestOnce() {
        var report = PlainReport(Stage.words)
        var list = ConversationListSnapshot()
        list.rows = [Stage.row("zoe", Stage.message(1, "zoe", "hello"))]
        let line = "· Message request from zoe: hello – /accept zoe · /drop zoe"
        #expect(report.lines(requests: list, open: nil) == [line])
        #expect(report.lines(requests: list, open: nil).isEmpty)
        // Accepted, it is in the other list; only what comes then is news there.
        #expect(report.lines(ConversationListSnapshot(), open: nil, user: "alice", isUpToDate: true).isEmpty)
        #expect(report.lines(list, open: nil, user: "alice", isUpToDate: true).isEmpty)
        list.rows = [Stage.row("zoe", Stage.message(2, "zoe", "thanks"))]
        #expect(report.lines(list, open: nil, user: "alice", isUpToDate: true) == ["· zoe wrote: thanks"])
    }

    @Test func howMuchIsUnreadStandsInTheTitleOfTheWindowAndBelow() {
        var title = WindowTitle()
        var session = RoostSnapshot()
        session.user = "al\u{7}ice"
        #expect(title.change(to: session) == "\u{1B}]2;Roost al\u{FFFD}ice\u{07}", "a name can't end the title")
        #expect(title.change(to: session).isEmpty)
        session.badge = 3
        #expect(title.change(to: session).contains("(3) Roost"))
        title.forget()
        #expect(title.change(to: session).contains("(3) Roost"))
        var scene = Stage.scene([])
        scene.session.badge = 3
        scene.requests = 1
        #expect(scene.shown()[23].contains("● connected · 3 unread · 1 message request: /requests"))
    }
}
