import RoostKit
import RoostStore
import RoostWire

/// A line of a timeline: which row it belongs to, and what stands at its end.
struct TimelineLine: Equatable, Sendable {
    var item: TimelineItem.ID
    var spans: [Span]
    var end: [Span] = []
}

/// Makes the lines of a timeline for a width. It keeps those of rows that stay the same. Pure.
struct TimelineLines {
    /// The values that a row's lines depend on besides the row.
    private struct Context: Equatable {
        var width: Int
        var names: Int
        var isGroup: Bool
        var day: String?
        var isNew = false
        var hasName = true
        var isNewest = false
        // Lines above it: its sender, what it answers, and its thread.
        var above: [String] = []
        // What the author is called.
        var author = ""
        var isPinned = false
        var isForUser = false
    }

    /// Settings of the view of a timeline.
    struct View {
        var width: Int
        var now: Timestamp
        /// The last message that was read when the timeline was opened: a line stands below it.
        var read: SequenceNumber?
        /// The thread whose messages these are.
        var thread: SequenceNumber?
        var user: String
    }

    private struct Made {
        var item: TimelineItem
        var context: Context
        var lines: [TimelineLine]
    }

    /// Names are cut at this width: they must not push the texts away.
    private static let namesMax = 12
    /// `12:01` and a space.
    private static let timeColumns = 6
    /// Narrower, texts need the room of the times.
    private static let timesLeast = 40

    let words: Words
    private var made: [TimelineItem.ID: Made] = [:]

    init(_ words: Words) { self.words = words }

    /// The lines, from the oldest to the newest.
    mutating func lines(_ timeline: TimelineSnapshot, _ called: Names, _ view: View) -> [TimelineLine] {
        let messages = timeline.items.compactMap(\.message)
        var context = Context(width: view.width, names: 4, isGroup: timeline.conversation?.kind == .group)
        for message in messages {
            let columns = TextWidth.columns(called.short(message.from))
            context.names = max(context.names, min(TimelineLines.namesMax, columns))
        }
        let newest = messages.last { $0.isOwn }?.id
        let firstNew = view.read.flatMap { read in
            messages.first { !$0.isOwn && ($0.sequence ?? .none) > read && read > .none }?.id
        }
        let pins = Set(timeline.pins.map(\.sequence))
        var kept: [TimelineItem.ID: Made] = [:]
        var lines: [TimelineLine] = []
        var before: TimelineMessage?
        var lastTime: Timestamp?
        var happened = timeline.lines[...]
        let sentences = LineWords(user: view.user, called: called, words: words)
        for item in timeline.items {
            // What waits for the relay is behind all that has happened.
            let place = item.place
            while let line = happened.first, place.map({ line.sequence < $0 }) ?? true {
                happened.removeFirst()
                lines += make(
                    line, day(of: line.time, after: lastTime, now: view.now), of: item.id, sentences, view.width)
                lastTime = line.time
            }
            var context = context
            if let message = item.message {
                let time = message.time.map(Timestamp.init)
                context.day = day(of: time, after: lastTime, now: view.now)
                lastTime = time ?? lastTime
                context.isNew = message.id == firstNew
                context.hasName = context.day != nil || context.isNew || !follows(message, before)
                context.isNewest = message.id == newest
                context.above = above(message, in: messages, called, view)
                context.isPinned = message.sequence.map(pins.contains) ?? false
                context.isForUser = MentionWords.isFor(view.user, message)
                context.author = called.short(message.from)
            }
            let known = made[item.id]
            let one =
                if let known, known.item == item, known.context == context { known } else {
                    Made(item: item, context: context, lines: make(item, context))
                }
            kept[item.id] = one
            lines += one.lines
            before = item.message
        }
        made = kept
        let last = timeline.items.last?.id ?? .gap(.none)
        for line in happened {
            lines += make(line, day(of: line.time, after: lastTime, now: view.now), of: last, sentences, view.width)
            lastTime = line.time
        }
        return lines
    }

    // MARK: Context

    // The day to show above what happened then.
    private func day(of time: Timestamp?, after last: Timestamp?, now: Timestamp) -> String? {
        guard let time else { return nil }
        if let last, words.clock.isSameDay(last, time) { return nil }
        return words.day(time, now: now)
    }

    // Whether the name above says all: the same author, in the same thread or in none, within five minutes.
    private func follows(_ message: TimelineMessage, _ before: TimelineMessage?) -> Bool {
        guard let before, before.from == message.from, before.thread == message.thread else { return false }
        guard let time = message.time.map(Timestamp.init), let last = before.time.map(Timestamp.init) else {
            return true
        }
        return time.milliseconds - last.milliseconds < 300_000
    }

    private func above(
        _ message: TimelineMessage, in messages: [TimelineMessage], _ called: Names, _ view: View
    ) -> [String] {
        var lines: [String] = []
        if let origin = message.origin { lines.append(words(.forwardedFrom(called.short(origin)))) }
        if let replyTo = message.replyTo { lines.append(quote(replyTo, in: messages, called)) }
        if let thread = message.thread, thread != view.thread {
            lines.append(words(.inThread(of: quote(thread, in: messages, called))))
        }
        return lines
    }

    private func quote(_ sequence: SequenceNumber, in messages: [TimelineMessage], _ called: Names) -> String {
        guard let quoted = messages.first(where: { $0.sequence == sequence }) else {
            return words(.number(sequence.value))
        }
        return "\(called.short(quoted.from)): \(TimelineLines.preview(quoted, words))"
    }

    /// A message in one line.
    static func preview(_ message: TimelineMessage, _ words: Words) -> String {
        if message.isDeleted { return "(\(words(MessagePhrase.deleted)))" }
        if message.isHidden { return "(\(words(.hidden)))" }
        guard let body = message.body else { return "(\(words(MessagePhrase.lost)))" }
        if let text = body.text { return TerminalText.printable(text) }
        return "[\(TerminalText.printable(message.kind))]"
    }

    // MARK: Lines

    private func make(_ item: TimelineItem, _ context: Context) -> [TimelineLine] {
        switch item {
        case .gap(let from, let to):
            let text = words(.missing(to.value - from.value + 1))
            return [TimelineLine(item: item.id, spans: rule(text, context.width))]
        case .message(let message): return make(message, context)
        }
    }

    // What has happened to the conversation there.
    private func make(
        _ line: ConversationLine, _ day: String?, of item: TimelineItem.ID, _ sentences: LineWords, _ width: Int
    ) -> [TimelineLine] {
        let above = day.map { [TimelineLine(item: item, spans: rule($0, width))] } ?? []
        let hasTime = width >= TimelineLines.timesLeast
        let margin = hasTime ? TimelineLines.timeColumns : 0
        let time = hasTime ? words.clock.clock(line.time).padded(to: margin) : ""
        let parts = TextWidth.wrap("· " + sentences.sentence(line), width - margin).enumerated().map { index, part in
            let head = index == 0 ? time : String(repeating: " ", count: margin)
            return TimelineLine(item: item, spans: [Span(head + part, .faint)])
        }
        return above + parts
    }

    private func make(_ message: TimelineMessage, _ context: Context) -> [TimelineLine] {
        var lines: [TimelineLine] = []
        func add(_ spans: [Span], end: [Span] = []) {
            lines.append(TimelineLine(item: message.id, spans: spans, end: end))
        }
        if let day = context.day { add(rule(day, context.width)) }
        if context.isNew { add(rule(words(.new), context.width, Style(colour: .yellow))) }
        let hasTimes = context.width >= TimelineLines.timesLeast
        let indent = (hasTimes ? TimelineLines.timeColumns : 0) + context.names + 2
        let margin = [Span(String(repeating: " ", count: indent))]
        var head = head(message, context, hasTimes: hasTimes)
        func addBody(_ spans: [Span], end: [Span] = []) {
            add(head + spans, end: end)
            head = margin
        }
        for line in context.above {
            addBody([Span("╭ " + TextWidth.clip(line, max(4, context.width - indent - 2)), .faint)])
        }
        let mark =
            message.state.map { TickMark($0, isGroup: context.isGroup, words) }
            ?? (context.isForUser ? .forUser(words) : nil)
        let markColumns = mark.map { TextWidth.columns($0.sign) + 1 } ?? 0
        let texts = body(message, width: context.width - indent - markColumns)
        for (index, spans) in texts.enumerated() {
            var end: [Span] = []
            if index == texts.count - 1, let mark {
                let used = indent + spans.reduce(0) { $0 + TextWidth.columns($1.text) }
                let hasRoom = context.width - used > TextWidth.columns(mark.words)
                end = [Span(context.isNewest && hasRoom ? mark.words : mark.sign, mark.style)]
            }
            addBody(spans, end: end)
        }
        let about = [
            context.isPinned ? words(.isPinned) : nil, message.replies.map { words(.repliesInThread($0.count)) },
        ].compactMap { $0 }
        if !about.isEmpty { addBody([Span(about.joined(separator: " · "), .faint)]) }
        for spans in below(message, width: context.width - indent) { addBody(spans) }
        return lines
    }

    private func head(_ message: TimelineMessage, _ context: Context, hasTimes: Bool) -> [Span] {
        let time = context.hasName ? message.time.map { words.clock.clock(Timestamp($0)) } ?? "" : ""
        let padded = hasTimes ? [Span(time.padded(to: TimelineLines.timeColumns), .faint)] : []
        let from = message.from.isEmpty ? (message.isHidden ? "" : "?") : context.author
        let name = context.hasName ? TextWidth.clip(from, context.names) : ""
        return padded + [Span(name.padded(to: context.names + 2), .name(message.from, isOwn: message.isOwn))]
    }

    private func body(_ message: TimelineMessage, width: Int) -> [[Span]] {
        if message.isDeleted { return [[Span("(\(words(MessagePhrase.deleted)))", .faint)]] }
        if message.isHidden { return [[Span("(\(words(.hiddenByBlock)))", .faint)]] }
        guard let content = message.body else { return [[Span("(\(words(MessagePhrase.lost)))", .faint)]] }
        let kind = message.kind == "text" ? [] : [Span("[\(TerminalText.printable(message.kind))] ", .faint)]
        let text = content.text ?? String(decoding: content.json, as: UTF8.self)
        let edited = message.editedAt != nil ? " (\(words(.edited)))" : message.isChanging ? " …" : ""
        var lines: [[Span]] = []
        for line in TerminalText.lines(text) {
            for part in TextWidth.wrap(line, width - (lines.isEmpty ? kind.columns : 0)) {
                lines.append((lines.isEmpty ? kind : []) + [Span(part)])
            }
        }
        if !edited.isEmpty {
            let last = lines[lines.count - 1].columns
            if last + edited.count <= width {
                lines[lines.count - 1].append(Span(edited, .faint))
            } else {
                lines.append([Span(String(edited.dropFirst()), .faint)])
            }
        }
        return lines
    }

    // What stands below a message: reactions, and what was refused.
    private func below(_ message: TimelineMessage, width: Int) -> [[Span]] {
        var lines: [[Span]] = []
        if !message.reactions.isEmpty {
            var line: [Span] = []
            for one in message.reactions {
                let text = "\(TerminalText.printable(one.reaction)) \(one.count)"
                let spans = [Span(one.isMine ? "[\(text)]" : text, one.isMine ? .read : .faint), Span("  ")]
                if line.columns + spans.columns > width, !line.isEmpty {
                    lines.append(line)
                    line = []
                }
                line += spans
            }
            lines.append(line)
        }
        if case .failed(let failure) = message.state {
            let line = words(.messageNotSent(why: words.why(failure)))
            lines += TextWidth.wrap(line, width).map { [Span($0, .bad)] }
        }
        if let failed = message.failedChange {
            let line = words(.changeNotMade(why: words.why(failed.failure)))
            lines += TextWidth.wrap(line, width).map { [Span($0, .bad)] }
        }
        return lines
    }

    private func rule(_ text: String, _ width: Int, _ style: Style = .faint) -> [Span] {
        let left = max(2, (width - TextWidth.columns(text) - 2) / 2)
        let right = max(0, width - left - TextWidth.columns(text) - 2)
        return [
            Span(String(repeating: "─", count: left) + " \(text) " + String(repeating: "─", count: right), style)
        ]
    }
}

extension TimelineItem {
    // Where it begins in the conversation; nil for what waits for the relay.
    fileprivate var place: SequenceNumber? {
        switch self {
        case .gap(let from, _): from
        case .message(let message): message.sequence
        }
    }
}

extension [Span] {
    /// Columns of all of them.
    var columns: Int { reduce(0) { $0 + TextWidth.columns($1.text) } }
}

extension String {
    /// With spaces at its end, so that it takes so many columns.
    func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, columns - TextWidth.columns(self)))
    }
}
