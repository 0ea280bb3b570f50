import RoostKit
import RoostWire

/// The last row: the session, what waits, what the last act said, and the keys that do something now. Pure.
struct StatusBar {
    private let scene: Scene
    private var words: Words { scene.words }

    init(_ scene: Scene) { self.scene = scene }

    func draw(on grid: inout CellGrid, row: Int) {
        let hint = keys
        let hintWidth = TextWidth.columns(hint)
        let spans = left
        let used = min(grid.columns, spans.columns + 1)
        let end = grid.columns - 1
        grid.put(clip(spans, end - 1), row: row, column: 1)
        if used + hintWidth + 2 <= end { grid.put([Span(hint, .faint)], row: row, endingAt: end) }
    }

    private func clip(_ spans: [Span], _ most: Int) -> [Span] {
        var room = most
        return spans.map { span in
            let text = TextWidth.clip(span.text, max(0, room))
            room -= TextWidth.columns(text)
            return Span(text, span.style)
        }
    }

    /// The text on the left.
    var left: [Span] {
        if let name = scene.question {
            return [Span(words(.askStranger(name)), .waiting)]
        }
        if let notice = scene.notice { return [Span(notice, .waiting)] }
        return connection + waiting + unread + own
    }

    private var connection: [Span] {
        let session = scene.session
        if let line = ConnectionLine.end(session, words) { return [Span("✗ " + line, .bad)] }
        switch session.connection {
        case .connected:
            return session.isUpToDate
                ? [Span("● ", .good), Span(words(.connected), .faint)]
                : [Span("◐ ", .waiting), Span(words(.catchingUp), .faint)]
        case .connecting where session.lastLoss == nil:
            return [Span("◐ " + words(.connectingTo(scene.relay)), .waiting)]
        case .connecting: return [Span("◐ " + words(.connectingAgain), .waiting)]
        case .waiting, .offline, .failed:
            let reason = ConnectionLine.reason(session, words)
            return [Span("○ " + words(.notConnected(reason: reason, seconds: scene.secondsToTry)), .waiting)]
        }
    }

    private var waiting: [Span] {
        let count = scene.session.pendingCount
        return count > 0 ? [Span(" · " + words(SessionPhrase.unsent(count)), .waiting)] : []
    }

    private var unread: [Span] {
        let badge = scene.session.badge > 0 ? [Span(" · " + words(.unread(scene.session.badge)), .read)] : []
        return badge + (scene.requests > 0 ? [Span(" · " + words(.strangersAsk(scene.requests)), .waiting)] : [])
    }

    private var own: [Span] {
        let status = scene.session.status
        let text = status.text.isEmpty ? "" : ": " + TerminalText.printable(status.text)
        return status.state == .auto && text.isEmpty ? [] : [Span(" · \(words(.status(status.state)))\(text)", .faint)]
    }

    private var keys: String {
        if let overlay = scene.overlay { return words(overlay.isChoice ? .keysOfChoice : .keysOfText) }
        let phrase: ScreenPhrase =
            switch (scene.focus, scene.purpose) {
            case (.list, _): .keysOfList
            case (.messages, _): .keysOfMessages
            case (.composer, .reply): .keysOfReply
            case (.composer, .edit), (.composer, .replace): .keysOfEdit
            case (.composer, .write): scene.thread == nil ? .keysOfWriting : .keysOfThread
            }
        return words(phrase)
    }
}
