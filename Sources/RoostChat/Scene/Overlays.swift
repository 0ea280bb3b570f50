import RoostKit
import RoostStore
import RoostWire

/// All keys and commands.
enum HelpOverlay {
    private static let keys = [
        ("Enter", "send"), ("Alt-Enter, Ctrl-J", "new line"), ("Tab", "between the list and the message"),
        ("Ctrl-N, Ctrl-P", "next and previous conversation"), ("Page Up, Page Down", "scroll"),
        (
            "↑ in an empty line",
            "choose a message: r reply, e edit, d delete, + react, i info, o open its thread, p pin or unpin, "
                + "f forward, ! report"
        ),
        ("Esc", "back; to the newest message; out of a thread"),
        ("Ctrl-W, Ctrl-U, Ctrl-K", "erase a word, to the start, to the end"),
        ("Ctrl-L, Ctrl-Z", "draw anew; suspend"), ("Ctrl-D, Ctrl-C", "leave; leave at once"),
    ]

    /// - Parameter width: the columns that there are.
    static func make(width: Int) -> Overlay {
        var rows = [Overlay.Row([Span("Keys", .bold)])]
        for (key, what) in keys { rows += entry(key, what, width) }
        rows.append(.init(""))
        rows.append(.init([Span("Commands", .bold)]))
        for command in ChatCommandWord.all { rows += entry(command.usage, command.what, width) }
        rows.append(.init(""))
        rows += TextWidth.wrap("A message that begins with a slash is written with two.", width).map { .init($0) }
        return Overlay("Help", rows)
    }

    // What is written, and beside it what it does; below it, if it is long.
    private static func entry(_ form: String, _ what: String, _ width: Int) -> [Overlay.Row] {
        let column = 24
        let isShort = TextWidth.columns(form) < column
        let texts = TextWidth.wrap(what, width - column)
        var rows = isShort ? [] : TextWidth.wrap(form, width).map { Overlay.Row($0) }
        for (index, text) in texts.enumerated() {
            let head = isShort && index == 0 ? form : ""
            rows.append(.init([Span(head.padded(to: column)), Span(text, .faint)]))
        }
        return rows
    }
}

/// The messages that a search has found; one can be chosen.
enum FoundOverlay {
    static func make(_ messages: [TimelineMessage], _ names: Names, _ clock: WallClock) -> Overlay {
        let rows = messages.compactMap { message -> Overlay.Row? in
            guard let sequence = message.sequence, let time = message.time.map(Timestamp.init) else { return nil }
            let text = TerminalText.printable(message.body?.text ?? "")
            return Overlay.Row(
                [
                    Span(clock.time(time) + "  ", .faint),
                    Span(names.short(message.from) + "  ", .name(message.from, isOwn: false)), Span(text),
                ], act: .jump(sequence))
        }
        return Overlay(rows.isEmpty ? "Nothing found on this device" : "Found, newest first", rows)
    }
}
