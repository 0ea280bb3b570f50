import RoostKit
import RoostStore
import RoostWire

/// The conversations, each in two rows: who, and what was said last. Pure.
struct ListPane {
    private let scene: Scene
    private let layout: Layout
    private var words: Words { scene.words }
    private var width: Int { layout.list }

    init(_ scene: Scene, _ layout: Layout) {
        self.scene = scene
        self.layout = layout
    }

    func draw(on grid: inout CellGrid) {
        let me = scene.session.user.map { TerminalText.printable($0) } ?? ""
        grid.put([Span("Roost ", .bold), Span(TextWidth.clip(me, width - 8), .faint)], row: 0, column: 1)
        grid.put([Span(String(repeating: "─", count: width), .faint)], row: 1, column: 0)
        if layout.width > 0 {
            for row in 0..<layout.statusRow {
                grid.put([Span(row == 1 ? "┼" : "│", .faint)], row: row, column: width)
                if row == 1 { grid.put([Span("─", .faint)], row: row, column: width + 1) }
            }
        }
        let most = max(1, layout.listHeight / 2)
        let first = max(0, min(scene.listCursor - most / 2, scene.list.rows.count - most))
        for (offset, row) in scene.list.rows.dropFirst(first).prefix(most).enumerated() {
            draw(row, index: first + offset, at: layout.top + offset * 2, on: &grid)
        }
    }

    private func draw(_ row: ConversationRow, index: Int, at top: Int, on grid: inout CellGrid) {
        let isOpen = scene.isOpen(row)
        let when = row.last?.time.map { words.short(Timestamp($0), now: scene.now) } ?? ""
        let room = width - 4 - when.count
        grid.put([Span(isOpen ? "▌" : " ", .read), sign(row)], row: top, column: 0)
        let title = TextWidth.clip(TerminalText.printable(row.title), room)
        grid.put([Span(title, isOpen || row.unread > 0 ? .bold : .plain)], row: top, column: 3, atMost: room)
        grid.put([Span(when, .faint)], row: top, endingAt: width)
        if isOpen { grid.put([Span("▌", .read)], row: top + 1, column: 0) }
        let badge = badge(row)
        let rest = width - 3 - badge.columns
        grid.put(preview(row, rest), row: top + 1, column: 3, atMost: rest)
        grid.put(badge, row: top + 1, endingAt: width)
        if scene.focus == .list, index == scene.listCursor {
            grid.shade(row: top, from: 0, to: width, .reverse)
            grid.shade(row: top + 1, from: 0, to: width, .reverse)
        }
    }

    // How many unread messages mention the user, and how many there are.
    private func badge(_ row: ConversationRow) -> [Span] {
        guard row.unread > 0 else { return [] }
        let mentions = row.conversation?.mentions ?? 0
        let style = row.isMuted ? Style.faint : Style(colour: .cyan, isBold: true)
        return (mentions > 0 ? [Span(" @\(mentions)", Style(colour: .yellow, isBold: true))] : [])
            + [Span(" \(row.unread)", style)]
    }

    private func sign(_ row: ConversationRow) -> Span {
        guard let peer = row.peer else { return Span("# ", .faint) }
        guard let presence = scene.presences[peer] else { return Span("○ ", .faint) }
        let mark = PresenceMark(presence, words)
        return Span(mark.sign + " ", mark.style)
    }

    private func preview(_ row: ConversationRow, _ room: Int) -> [Span] {
        if let text = TypingLine.text(row.typing, scene.names, words, isDirect: row.peer != nil) {
            return [Span(TextWidth.clip(text, room), .good)]
        }
        if !row.draft.isEmpty, !scene.isOpen(row) {
            return [Span(TextWidth.clip(words(.draft(row.draft)), room), .waiting)]
        }
        guard let last = row.last else { return [] }
        let preview = TimelineLines.preview(last, words)
        let said =
            last.isOwn
            ? words(.you(preview)) : row.peer == nil ? "\(scene.names.short(last.from)): \(preview)" : preview
        let mark = last.state.map { TickMark($0, isGroup: false, words) }
        let tail = mark.map { " " + $0.sign } ?? ""
        let text = TextWidth.clip(said, max(0, room - TextWidth.columns(tail)))
        return [Span(text, .faint), Span(tail, mark?.style ?? .faint)]
    }
}

/// A user's presence, as a sign and in words.
struct PresenceMark {
    let sign: String
    let words: String
    let style: Style

    init(_ one: UserPresence, _ words: Words) {
        switch one.state {
        case .online: (sign, style) = ("●", .good)
        case .away: (sign, style) = ("◐", .waiting)
        case .busy: (sign, style) = ("⊖", .bad)
        case .offline: (sign, style) = ("○", .faint)
        }
        self.words = PresenceLine.presence(one, words)
    }
}

/// The typing users, in words.
enum TypingLine {
    /// Nil if none types.
    static func text(_ timeline: TimelineSnapshot, _ called: Names, _ words: Words) -> String? {
        text(timeline.typing, called, words, othersType: timeline.othersType, isDirect: false)
    }

    /// Nil if none types. In a conversation of two there is no need for the name.
    static func text(
        _ names: [String], _ called: Names, _ words: Words, othersType: Bool = false, isDirect: Bool
    ) -> String? {
        let shown = names.map(called.short)
        return switch (names.count, othersType) {
        case (0, false): nil
        case (0, true): words(.manyTyping)
        case (1, false): words(isDirect ? .typing : .isTyping(shown[0]))
        case (_, false): words(.areTyping(shown))
        case (_, true): words(.othersTyping(shown))
        }
    }
}
