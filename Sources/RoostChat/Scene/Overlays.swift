import RoostStore
import RoostWire

/// All keys and commands.
enum HelpOverlay {
    private static let keys = [
        ("Enter", "send"), ("Alt-Enter, Ctrl-J", "new line"), ("Tab", "between the list and the message"),
        ("Ctrl-N, Ctrl-P", "next and previous conversation"), ("Page Up, Page Down", "scroll"),
        ("↑ in an empty line", "choose a message: r reply, e edit, d delete, + react, i info"),
        ("Esc", "back; to the newest message"), ("Ctrl-W, Ctrl-U, Ctrl-K", "erase a word, to the start, to the end"),
        ("Ctrl-L, Ctrl-Z", "draw anew; suspend"), ("Ctrl-D, Ctrl-C", "leave; leave at once"),
    ]

    static func make() -> Overlay {
        let column = 22
        var rows = [Overlay.Row([Span("Keys", .bold)])]
        for (key, what) in keys { rows.append(.init([Span(key.padded(to: column)), Span(what, .faint)])) }
        rows.append(.init(""))
        rows.append(.init([Span("Commands", .bold)]))
        for command in ChatCommandWord.all {
            let usage = command.usage
            if TextWidth.columns(usage) < column {
                rows.append(.init([Span(usage.padded(to: column)), Span(command.what, .faint)]))
            } else {
                rows.append(.init([Span(usage)]))
                rows.append(.init([Span("".padded(to: column)), Span(command.what, .faint)]))
            }
        }
        rows.append(.init("A message that begins with a slash is written with two."))
        return Overlay("Help", rows)
    }
}

/// The messages that a search has found; one can be chosen.
enum FoundOverlay {
    static func make(_ messages: [LocalMessage], _ clock: WallClock) -> Overlay {
        let rows = messages.map { message in
            let text = TerminalText.printable(message.body?.text ?? "")
            return Overlay.Row(
                [
                    Span(clock.time(message.time) + "  ", .faint),
                    Span(TerminalText.printable(message.from) + "  ", .name(message.from, isOwn: false)), Span(text),
                ], act: .jump(message.sequence))
        }
        return Overlay(rows.isEmpty ? "Nothing found on this device" : "Found, newest first", rows)
    }
}
