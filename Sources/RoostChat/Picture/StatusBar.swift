import RoostKit
import RoostWire

/// The last row: the session, what waits, what the last act said, and the keys that do something now. Pure.
struct StatusBar {
    private let scene: Scene

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

    /// What is said on the left.
    var left: [Span] {
        if let name = scene.question {
            let shown = TerminalText.printable(name)
            return [
                Span("You have never talked with \(shown). Enter: send it anyway. Esc: not yet.", .waiting)
            ]
        }
        if let notice = scene.notice { return [Span(notice, .waiting)] }
        return connection + waiting + unread + own
    }

    private var connection: [Span] {
        let session = scene.session
        if let line = ConnectionLine.end(session) { return [Span("✗ " + line, .bad)] }
        switch session.connection {
        case .connected:
            return session.isUpToDate
                ? [Span("● ", .good), Span("connected", .faint)] : [Span("◐ ", .waiting), Span("catching up", .faint)]
        case .connecting where session.lastLoss == nil: return [Span("◐ connecting to \(scene.relay)", .waiting)]
        case .connecting: return [Span("◐ connecting again", .waiting)]
        case .waiting, .offline, .failed:
            let when = scene.secondsToTry.map { ", next try in \($0) s" } ?? ""
            return [Span("○ not connected\(when): \(ConnectionLine.reason(session))", .waiting)]
        }
    }

    private var waiting: [Span] {
        let count = scene.session.pendingCount
        return count > 0 ? [Span(" · \(count) unsent", .waiting)] : []
    }

    private var unread: [Span] {
        let badge = scene.session.badge > 0 ? [Span(" · \(scene.session.badge) unread", .read)] : []
        let asking = scene.requests == 1 ? "1 stranger asks" : "\(scene.requests) strangers ask"
        return badge + (scene.requests > 0 ? [Span(" · \(asking): /requests", .waiting)] : [])
    }

    private var own: [Span] {
        let status = scene.session.status
        let text = status.text.isEmpty ? "" : ": " + TerminalText.printable(status.text)
        return status.state == .auto && text.isEmpty ? [] : [Span(" · \(status.state.word)\(text)", .faint)]
    }

    private var keys: String {
        if scene.overlay?.isChoice ?? false { return "↑↓ Enter choose  Esc close" }
        if scene.overlay != nil { return "↑↓ scroll  Esc close" }
        switch (scene.focus, scene.purpose) {
        case (.list, _): return "↑↓ Enter open  Tab back  ^D quit"
        case (.messages, _): return "r reply  e edit  d delete  + react  i info  o thread  /help"
        case (.composer, .reply): return "Enter reply  Esc don't"
        case (.composer, .edit), (.composer, .replace): return "Enter save  Esc don't"
        case (.composer, .write) where scene.thread != nil: return "Esc leaves the thread"
        case (.composer, .write): return "Tab list  ↑ messages  /help"
        }
    }
}
