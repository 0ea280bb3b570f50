import RoostWire

@testable import RoostChat
@testable import RoostKit
@testable import RoostStore

/// Scenes for tests: alice's terminal.
enum Stage {
    /// English and UTC.
    static let words = Words(.english, WallClock(isUTC: true))

    /// 24 November 2026, 12:00 UTC.
    static let noon: Int64 = 1_795_521_600_000

    static func conversation(_ members: [String] = ["alice", "bob"], name: String? = nil) -> LocalConversation {
        LocalConversation(
            id: "c-1", kind: name == nil ? .direct : .group, name: name, count: members.count, members: members,
            sequence: SequenceNumber(100), time: Timestamp(milliseconds: noon))
    }

    static func message(
        _ sequence: Int64?, _ from: String, _ text: String?, minutes: Int64 = 0, state: MessageState? = nil,
        replyTo: Int64? = nil, reactions: [ReactionCount] = [], isEdited: Bool = false
    ) -> TimelineItem {
        let isOwn = from == "alice"
        return .message(
            TimelineMessage(
                id: isOwn ? .key("k\(sequence ?? 0)") : .sequence(SequenceNumber(sequence ?? 0)),
                sequence: sequence.map(SequenceNumber.init), from: from, isOwn: isOwn,
                time: sequence.flatMap { _ in Timestamp(milliseconds: noon + minutes * 60_000).date }, kind: "text",
                body: text.map { MessageBody(text: $0) }, replyTo: replyTo.map(SequenceNumber.init),
                editedAt: isEdited ? Timestamp(milliseconds: noon).date : nil, isDeleted: text == nil,
                reactions: reactions, state: isOwn ? state ?? .sent : nil, isChanging: false,
                outboxItem: sequence == nil ? 7 : nil))
    }

    static func timeline(_ items: [TimelineItem], _ conversation: LocalConversation? = Stage.conversation())
        -> TimelineSnapshot
    {
        var timeline = TimelineSnapshot()
        timeline.conversation = conversation
        timeline.items = items
        return timeline
    }

    static func row(_ title: String, _ last: TimelineItem?, unread: Int = 0, id: String? = nil, isGroup: Bool = false)
        -> ConversationRow
    {
        ConversationRow(
            id: id ?? "c-\(title)", conversation: nil, title: title, peer: isGroup ? nil : title, last: last?.message,
            unread: unread, pending: 0, typing: [], draft: "")
    }

    /// A terminal on which alice talks with bob.
    static func scene(_ items: [TimelineItem], rows: Int = 24, columns: Int = 80, _ words: Words = words) -> Scene {
        var scene = Scene(words)
        scene.size = TerminalSize(rows: rows, columns: columns)
        scene.now = Timestamp(milliseconds: noon + 3_600_000)
        scene.session.user = "alice"
        scene.session.connection = .connected
        scene.session.isUpToDate = true
        scene.list.rows = [row("bob", items.last, id: "c-1"), row("carol", nil, unread: 3)]
        scene.open("c-1", timeline(items), draft: "")
        return scene
    }
}

extension Scene {
    /// The screen, row by row.
    func shown() -> [String] {
        var scene = self
        let picture = Picture(&scene)
        return (0..<picture.grid.rows).map { picture.grid.text($0) }
    }

    /// Types keys, and what is to be done then.
    @discardableResult
    mutating func type(_ keys: Key...) -> [Effect] { keys.flatMap { take($0) } }
}
