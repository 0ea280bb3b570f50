import RoostKit
import RoostStore
import RoostWire

/// All keys and commands.
enum HelpOverlay {
    private static let keys: [(HelpPhrase, HelpPhrase)] = [
        (.keyEnter, .enter), (.keyNewline, .newline), (.keyTab, .tab), (.keyNext, .next), (.keyPage, .page),
        (.keyUp, .up), (.keyEscape, .escape), (.keyErase, .erase), (.keyRedraw, .redraw), (.keyLeave, .leave),
    ]

    /// - Parameter width: the columns that there are.
    static func make(width: Int, _ words: Words) -> Overlay {
        var rows = [Overlay.Row([Span(words(.keys), .bold)])]
        for (key, what) in keys { rows += entry(words(key), words(what), width) }
        rows.append(.init(""))
        rows.append(.init([Span(words(.commands), .bold)]))
        for command in ChatCommandWord.all { rows += entry(command.usage(words), words.say(command.what), width) }
        rows.append(.init(""))
        rows += TextWidth.wrap(words(.slash), width).map { .init($0) }
        return Overlay(words(.title), rows)
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
    static func make(_ messages: [TimelineMessage], _ names: Names, _ words: Words) -> Overlay {
        let rows = messages.compactMap { message -> Overlay.Row? in
            guard let sequence = message.sequence, let time = message.time.map(Timestamp.init) else { return nil }
            let text = TerminalText.printable(message.body?.text ?? "")
            return Overlay.Row(
                [
                    Span(words.time(time) + "  ", .faint),
                    Span(names.short(message.from) + "  ", .name(message.from, isOwn: false)), Span(text),
                ], act: .jump(sequence))
        }
        return Overlay(words(rows.isEmpty ? .nothingFound : DeedPhrase.found), rows)
    }
}
