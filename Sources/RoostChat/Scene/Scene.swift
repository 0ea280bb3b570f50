import RoostKit
import RoostStore
import RoostWire

/// The state of the screen, which keys and the kit's news change, and what the user is about. Pure: a key changes it
/// and says what is to be done; it does nothing itself.
struct Scene {
    /// Where keys go.
    enum Focus: Equatable, Sendable { case composer, list, messages }

    /// The action of Enter on what is written.
    enum Purpose: Equatable, Sendable {
        case write
        case reply(TimelineItem.ID)
        case edit(TimelineItem.ID)
        /// A refused message or edit gets another text, by its number in the outbox.
        case replace(Int64)
    }

    // News from the kit.
    var session = RoostSnapshot()
    var list = ConversationListSnapshot()
    var timeline = TimelineSnapshot()
    var presences: [String: UserPresence] = [:]
    var names = Names()
    /// Strangers who ask to write.
    var requests = 0

    // The conversation that is open: its id or `@name`; nil if none is.
    private(set) var destination: String?
    /// The message with which the thread began that is open; nil if none is. Its messages are then the timeline's.
    private(set) var thread: SequenceNumber?
    /// The last message that was read when it was opened.
    var read: SequenceNumber?

    // Time and place.
    var size = TerminalSize(rows: 24, columns: 80)
    var now = Timestamp.never
    /// Seconds to the next try to connect.
    var secondsToTry: Int?
    /// Where the relay is, to show.
    var relay = ""

    // What the user is about.
    var focus = Focus.list
    var composer = Composer(scalarsMax: Limits().textScalars)
    var purpose = Purpose.write
    /// The row of the list that keys move.
    var listCursor = 0
    /// The row of the timeline that keys are about.
    var selected: TimelineItem.ID?
    var viewport = Viewport()
    var overlay: Overlay?
    /// The result of the last act, shown until the next key.
    var notice: String?
    /// A person without any conversation here, while the user is asked whether the name is right.
    var question: String?
    /// A first message that was agreed to.
    var agreed: String?
    var lines: TimelineLines
    let words: Words

    init(_ words: Words) { (lines, self.words) = (TimelineLines(words), words) }

    /// Opens a conversation, with what was begun to be written there.
    mutating func open(_ destination: String, _ timeline: TimelineSnapshot, draft: String) {
        (self.destination, thread) = (destination, nil)
        self.timeline = timeline
        read = timeline.conversation?.unread ?? 0 > 0 ? timeline.conversation?.read : nil
        viewport.toEnd()
        composer.replace(draft)
        (purpose, selected, question, overlay, focus) = (.write, nil, nil, nil, .composer)
        if let row = list.rows.firstIndex(where: isOpen) { listCursor = row }
    }

    /// Nothing is open any more, as after leaving a group.
    mutating func close() {
        (destination, thread) = (nil, nil)
        timeline = TimelineSnapshot()
        composer.replace("")
        (purpose, selected, question, focus) = (.write, nil, nil, .list)
    }

    /// Shows a thread of the open conversation, or the conversation again.
    /// - Parameter thread: the message with which it began; nil for the conversation.
    mutating func show(_ timeline: TimelineSnapshot, thread: SequenceNumber?, draft: String) {
        self.thread = thread
        self.timeline = timeline
        read = nil
        viewport.toEnd()
        composer.replace(draft)
        (purpose, selected, overlay, focus) = (.write, nil, nil, .composer)
    }

    var layout: Layout {
        let width = Layout(size, lines: 1, showsList: focus == .list).composerWidth
        return Layout(size, lines: composer.layout(width: width).rows.count, showsList: focus == .list)
    }

    /// Whether a row of the list is the open conversation.
    func isOpen(_ row: ConversationRow) -> Bool {
        guard let destination else { return false }
        return row.id == destination || row.id == timeline.conversation?.id
            || (row.peer.map { "@\($0)" } == destination)
    }

    /// The lines of the timeline.
    mutating func timelineLines() -> [TimelineLine] {
        let view = TimelineLines.View(
            width: layout.width, now: now, read: read, thread: thread, user: session.user ?? "")
        return lines.lines(timeline, names, view)
    }

    /// The other user of the open conversation, if nothing was ever said in it.
    var stranger: String? {
        guard let destination, destination.hasPrefix("@"), timeline.conversation == nil, timeline.items.isEmpty else {
            return nil
        }
        return String(destination.dropFirst())
    }

    /// The message that an act without a choice is about.
    func message(_ id: TimelineItem.ID?) -> TimelineMessage? {
        guard let id else { return nil }
        return timeline.items.first { $0.id == id }?.message
    }

    /// Shows a message that was jumped to.
    mutating func show(_ sequence: SequenceNumber) {
        let item = timeline.items.first { $0.message?.sequence == sequence }
        guard let item else { return notice = words(.notInConversation(sequence.value)) }
        (focus, selected, overlay) = (.messages, item.id, nil)
        let lines = timelineLines()
        viewport.reveal(item.id, in: lines, height: layout.height)
    }

    // MARK: What is missing

    /// Requests for what the screen needs and doesn't have: older or newer messages, those of a gap, more
    /// conversations.
    mutating func wants() -> [Effect] {
        var wants: [Effect] = []
        if listCursor + layout.listHeight >= list.rows.count, list.hasMore { wants.append(.moreConversations) }
        guard layout.width > 0, destination != nil, session.connection == .connected || !timeline.items.isEmpty else {
            return wants
        }
        let lines = timelineLines()
        let shown = viewport.range(in: lines, height: layout.height)
        if shown.lowerBound < layout.height, timeline.hasOlder { wants.append(.older) }
        if shown.upperBound >= lines.count, timeline.hasNewer, !viewport.isAtEnd || selected == nil {
            wants.append(.newer)
        }
        let ids = Set(lines[shown].map(\.item))
        for case .gap(let from, let to) in timeline.items where ids.contains(.gap(to)) {
            wants.append(.fill(from: from, to: to))
        }
        return wants
    }

    /// The last message that a user who looks at the screen has seen.
    var seen: SequenceNumber? {
        // Before a message of a thread there are others that were not seen.
        guard layout.width > 0, thread == nil, viewport.isAtEnd, !timeline.hasNewer, overlay == nil else { return nil }
        return timeline.items.last { $0.message?.sequence != nil && $0.message?.isOwn == false }?.message?.sequence
    }
}

/// Actions to do outside of the scene.
enum Effect: Equatable, Sendable {
    case open(String)
    case send(String, replyTo: TimelineItem.ID?)
    case edit(TimelineItem.ID, String)
    case replace(Int64, String)
    case act(Act, on: TimelineItem.ID?)
    /// The text being written has changed.
    case draft(String)
    case older, newer, toEnd, moreConversations
    case fill(from: SequenceNumber, to: SequenceNumber)
    case bell, redraw, suspend, interrupt
}

/// Something that is shown above the timeline until it is closed: help, members, what was found.
struct Overlay: Equatable, Sendable {
    /// A line, and what Enter does with it.
    struct Row: Equatable, Sendable {
        var spans: [Span]
        var act: Act?

        init(_ spans: [Span], act: Act? = nil) { (self.spans, self.act) = (spans, act) }

        init(_ text: String) { self.init([Span(text)]) }
    }

    var title: String
    var rows: [Row]
    var cursor = 0
    /// Whether a row can be chosen.
    var isChoice: Bool { rows.contains { $0.act != nil } }

    init(_ title: String, _ rows: [Row]) { (self.title, self.rows) = (title, rows) }

    /// The rows that fit: around the one that can be chosen, or from the one that was scrolled to.
    func shown(_ height: Int) -> Range<Int> {
        let start =
            isChoice ? max(0, min(cursor - height / 2, rows.count - height)) : max(0, min(cursor, rows.count - height))
        return start..<min(rows.count, start + height)
    }
}

extension ThreadSnapshot {
    /// A thread as the timeline of its conversation shows messages.
    func timeline(in conversation: TimelineSnapshot) -> TimelineSnapshot {
        var shown = conversation
        shown.items = (root.map { [.message($0)] } ?? []) + items
        (shown.hasOlder, shown.hasNewer) = (hasOlder, false)
        return shown
    }

    /// Whether its newest messages are here: all of them, or as many as the relay sends at once.
    var isRead: Bool { root != nil && (!hasOlder || items.count >= ThreadSnapshot.page) }

    private static let page = 100
}
