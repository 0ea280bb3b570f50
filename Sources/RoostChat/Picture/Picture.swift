import RoostClient
import RoostKit
import RoostStore
import RoostWire

/// Draws a scene: the list, the timeline, what is being written, the state of the session. Pure.
struct Picture {
    private(set) var grid: CellGrid
    private(set) var cursor: Painter.Place?
    let layout: Layout

    init(_ scene: inout Scene) {
        layout = scene.layout
        grid = CellGrid(rows: layout.rows, columns: layout.columns)
        if layout.list > 0 { ListPane(scene, layout).draw(on: &grid) }
        if layout.width > 0 {
            drawTitle(scene)
            if let overlay = scene.overlay { draw(overlay) } else { drawTimeline(&scene) }
            drawTyping(scene)
            drawComposer(scene)
        } else if let overlay = scene.overlay {
            draw(overlay)
        }
        StatusBar(scene).draw(on: &grid, row: layout.statusRow)
    }

    private var inner: Int { layout.width > 0 ? layout.width : layout.columns }

    // MARK: Title

    private mutating func drawTitle(_ scene: Scene) {
        let (title, about) = Picture.title(scene)
        let room = layout.width - 1
        var end = grid.put(
            [Span(TextWidth.clip(title, room), .bold)], row: 0, column: layout.left, atMost: room)
        for span in about {
            let rest = layout.left + room - end - 2
            guard rest > 2 else { break }
            end = grid.put([Span(TextWidth.clip(span.text, rest), span.style)], row: 0, column: end + 2, atMost: rest)
        }
        grid.put([Span(String(repeating: "─", count: layout.width), .faint)], row: 1, column: layout.left)
    }

    /// The title: the other side of the conversation, their presence, and the conversation's state.
    static func title(_ scene: Scene) -> (String, [Span]) {
        guard let destination = scene.destination else { return ("", []) }
        let (conversation, words) = (scene.timeline.conversation, scene.words)
        var title: String
        var about: [Span] = []
        if let conversation, conversation.kind == .group {
            title = "# " + TerminalText.printable(conversation.name ?? conversation.id)
            let count = scene.timeline.online.map { words(.online(Int(clamping: $0.online), of: Int(clamping: $0.of))) }
            about.append(Span(count ?? words(.members(conversation.count)), .faint))
        } else {
            let peer = conversation?.peer(of: scene.session.user ?? "") ?? String(destination.drop { $0 == "@" })
            title = scene.names.short(peer)
            if let mark = scene.presences[peer].map({ PresenceMark($0, words) }) {
                about.append(Span(mark.sign + " " + mark.words, mark.style))
            }
        }
        if scene.thread != nil { title = words(.threadIn(title)) }
        guard let conversation else { return (title, about) }
        if let request = conversation.request { about.append(Span(words(.request(request)), .waiting)) }
        if conversation.expiry > 0 { about.append(Span(words(.expiry(milliseconds: conversation.expiry)), .faint)) }
        if conversation.slow > 0 { about.append(Span(words(.slow(milliseconds: conversation.slow)), .faint)) }
        if conversation.waiting > 0 { about.append(Span(words(LinkPhrase.wantToJoin(conversation.waiting)), .waiting)) }
        let pins = scene.timeline.pins.count
        if pins > 0 { about.append(Span(words(ConversationPhrase.pinned(pins)), .faint)) }
        return (title, about)
    }

    // MARK: Timeline

    private mutating func drawTimeline(_ scene: inout Scene) {
        if scene.destination == nil { return drawWelcome(scene) }
        let lines = scene.timelineLines()
        if lines.isEmpty { return drawEmpty(scene) }
        let shown = scene.viewport.range(in: lines, height: layout.height)
        // A short conversation stands at the bottom, where the next line comes.
        let first = layout.top + layout.height - shown.count
        for (offset, line) in lines[shown].enumerated() {
            let row = first + offset
            grid.put(line.spans, row: row, column: layout.left, atMost: layout.width)
            if !line.end.isEmpty { grid.put(line.end, row: row, endingAt: layout.left + layout.width) }
            if scene.focus == .messages || scene.purpose != .write, line.item == scene.selected {
                grid.shade(row: row, from: layout.left, to: layout.left + layout.width, .reverse)
            }
        }
    }

    private mutating func drawWelcome(_ scene: Scene) {
        let lines =
            scene.list.rows.isEmpty
            ? [scene.words(.noConversations), scene.words(.howToBegin)] : [scene.words(.choose)]
        drawCentred(lines)
    }

    private mutating func drawEmpty(_ scene: Scene) {
        guard let name = scene.stranger else { return drawCentred([scene.words(.noMessages)]) }
        drawCentred([scene.words(.neverTalked(name)), scene.words(.firstMessageBegins)])
    }

    private mutating func drawCentred(_ lines: [String]) {
        let parts = lines.flatMap { TextWidth.wrap($0, max(2, inner - 4)) }
        for (offset, text) in parts.enumerated() {
            let column = layout.left + max(0, (inner - TextWidth.columns(text)) / 2)
            grid.put([Span(text, .faint)], row: layout.top + layout.height / 2 + offset, column: column)
        }
    }

    private mutating func draw(_ overlay: Overlay) {
        let left = layout.width > 0 ? layout.left : 0
        for row in 0..<(layout.top + layout.height) where layout.width == 0 {
            grid.put([Span(String(repeating: " ", count: layout.columns))], row: row, column: 0)
        }
        grid.put([Span(TextWidth.clip(overlay.title, inner - 2), .bold)], row: layout.top, column: left)
        let shown = overlay.shown(layout.height - 1)
        for (offset, index) in shown.enumerated() {
            let row = layout.top + 1 + offset
            grid.put(overlay.rows[index].spans, row: row, column: left, atMost: inner)
            if overlay.isChoice, index == overlay.cursor {
                grid.shade(row: row, from: left, to: left + inner, .reverse)
            }
        }
    }

    // MARK: Writing

    private mutating func drawTyping(_ scene: Scene) {
        let row = layout.typingRow
        grid.put([Span(String(repeating: "─", count: layout.width), .faint)], row: row, column: layout.left)
        if let text = TypingLine.text(scene.timeline, scene.names, scene.words) {
            grid.put(
                [Span(" " + TextWidth.clip(text, layout.width - 8) + " ", .good)], row: row, column: layout.left + 2)
        }
        if !scene.viewport.isAtEnd || scene.timeline.hasNewer {
            grid.put([Span(" \(scene.words(.newer)) ", .waiting)], row: row, endingAt: layout.left + layout.width - 2)
        }
    }

    private mutating func drawComposer(_ scene: Scene) {
        let written = scene.composer.layout(width: layout.composerWidth)
        let first = max(0, min(written.cursor.row - layout.composer + 1, written.rows.count - layout.composer))
        let top = layout.statusRow - layout.composer
        for offset in 0..<layout.composer where written.rows.indices.contains(first + offset) {
            let prompt = offset == 0 ? Picture.prompt(scene) : Span("  ")
            grid.put([prompt, Span(written.rows[first + offset])], row: top + offset, column: layout.left)
        }
        if scene.composer.isEmpty, scene.focus == .composer, scene.destination != nil {
            let hint = scene.question == nil ? scene.words(.writeHint) : ""
            grid.put(
                [Span(TextWidth.clip(hint, layout.composerWidth), .faint)], row: top,
                column: layout.left + Layout.prompt.count)
        }
        guard scene.focus == .composer, scene.overlay == nil else { return }
        cursor = .init(
            row: top + written.cursor.row - first, column: layout.left + Layout.prompt.count + written.cursor.column)
    }

    private static func prompt(_ scene: Scene) -> Span {
        switch scene.purpose {
        case .write: Span(Layout.prompt, .bold)
        case .reply: Span("↩ ", .read)
        case .edit, .replace: Span("✎ ", .waiting)
        }
    }
}
