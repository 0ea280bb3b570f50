import RoostKit
import RoostWire

/// Handles keys.
extension Scene {
    /// Takes a key.
    /// - Returns: what is to be done.
    mutating func take(_ key: Key) -> [Effect] {
        // Where letters are keys, those that came together are one after another.
        if case .text(let text) = key, text.count > 1, focus != .composer || overlay != nil {
            return take(.text(String(text.prefix(1)))) + take(.text(String(text.dropFirst())))
        }
        notice = nil
        if let question { if let effects = answer(question, key) { return effects } }
        if let effects = takeAnywhere(key) { return effects }
        if overlay != nil { return takeInOverlay(key) }
        return switch focus {
        case .composer: takeInComposer(key)
        case .list: takeInList(key)
        case .messages: takeInMessages(key)
        }
    }

    private mutating func takeAnywhere(_ key: Key) -> [Effect]? {
        switch key {
        case .control("c"): return [.interrupt]
        case .control("z"): return [.suspend]
        case .control("l"): return [.redraw]
        case .control("n"), .alternate(.down): return go(by: 1)
        case .control("p"), .alternate(.up): return go(by: -1)
        case .pageUp where overlay == nil: scroll(by: -max(1, layout.height - 2))
        case .pageDown where overlay == nil: scroll(by: max(1, layout.height - 2))
        case .tab where overlay == nil && focus == .composer && completed != nil:
            if let completed { composer.replace(completed) }
        case .tab, .backTab:
            overlay = nil
            focus = focus == .list && destination != nil ? .composer : .list
        default: return nil
        }
        return []
    }

    // What is written, with more of a command or of a name.
    private var completed: String? {
        NameCompletion(timeline.conversation, names, user: session.user ?? "").complete(composer.text)
    }

    // The next conversation of the list, or the one before.
    private mutating func go(by step: Int) -> [Effect] {
        guard !list.rows.isEmpty else { return [] }
        let open = list.rows.firstIndex(where: isOpen)
        listCursor = open.map { max(0, min(list.rows.count - 1, $0 + step)) } ?? 0
        guard listCursor != open else { return [] }
        return [.open(list.rows[listCursor].id)]
    }

    private mutating func scroll(by count: Int) {
        let lines = timelineLines()
        viewport.scroll(by: count, in: lines, height: layout.height)
    }

    // Handles the answer whether an unknown name is right. Nil if the key is no answer.
    private mutating func answer(_ name: String, _ key: Key) -> [Effect]? {
        question = nil
        switch key {
        case .enter:
            agreed = name
            return submit()
        case .escape: return []
        default: return nil
        }
    }

    // MARK: Writing

    private mutating func takeInComposer(_ key: Key) -> [Effect] {
        let before = composer.text
        switch key {
        case .text(let text), .paste(let text): if !composer.insert(text) { return [.draft(composer.text), .bell] }
        case .newline: if !composer.insert("\n") { return [.bell] }
        case .enter: return submit()
        case .backspace, .control("h"): composer.backspace()
        case .delete: composer.delete()
        case .control("d"):
            if composer.isEmpty { return [.act(.quit, on: nil)] }
            composer.delete()
        case .control("w"): composer.eraseWord()
        case .control("u"): composer.eraseToStart()
        case .control("k"): composer.eraseToEnd()
        case .escape: return stop()
        case .up: if !composer.move(rows: -1, width: layout.composerWidth) { selectLast() }
        case .down: if !composer.move(rows: 1, width: layout.composerWidth) { viewport.toEnd() }
        default: move(key)
        }
        // What is written as an edit isn't a draft.
        guard composer.text != before, purpose == .write || purpose.isReply else { return [] }
        return [.draft(composer.text)]
    }

    private mutating func move(_ key: Key) {
        switch key {
        case .left, .control("b"): composer.left()
        case .right, .control("f"): composer.right()
        case .home, .control("a"): composer.toLineStart()
        case .end, .control("e"): composer.toLineEnd()
        case .wordLeft, .meta("b"): composer.wordLeft()
        case .wordRight, .meta("f"): composer.wordRight()
        default: break
        }
    }

    // Escape takes back step by step: the purpose, the place.
    private mutating func stop() -> [Effect] {
        if purpose != .write {
            if !purpose.isReply { composer.replace("") }
            (purpose, selected) = (.write, nil)
            return [.draft(composer.text)]
        }
        selected = nil
        if thread != nil, viewport.isAtEnd {
            if composer.isEmpty { return [.act(.close, on: nil)] }
            notice = words(.unsentInThread)
            return []
        }
        viewport.toEnd()
        return timeline.hasNewer ? [.toEnd] : []
    }

    private mutating func submit() -> [Effect] {
        let line = TypedLine(composer.text)
        switch line {
        case .nothing: return []
        case .mistake(let mistake):
            notice = mistake.text(words)
            return []
        case .act(let act, let number):
            let target = number.map { .sequence($0) } ?? selected
            finish()
            return [.draft(""), .act(act, on: target)]
        case .message(let text): return submit(text)
        }
    }

    private mutating func submit(_ text: String) -> [Effect] {
        guard destination != nil else {
            notice = words(.noneOpen)
            return []
        }
        if let stranger, agreed != stranger {
            question = stranger
            return []
        }
        let effect: Effect =
            switch purpose {
            case .write: .send(text, replyTo: nil)
            case .reply(let id): .send(text, replyTo: id)
            case .edit(let id): .edit(id, text)
            case .replace(let item): .replace(item, text)
            }
        finish()
        viewport.toEnd()
        return timeline.hasNewer ? [effect, .toEnd] : [effect]
    }

    private mutating func finish() {
        composer.replace("")
        (purpose, selected) = (.write, nil)
    }

    // MARK: The list

    private mutating func takeInList(_ key: Key) -> [Effect] {
        let last = max(0, list.rows.count - 1)
        switch key {
        case .up, .text("k"): listCursor = max(0, listCursor - 1)
        case .down, .text("j"): listCursor = min(last, listCursor + 1)
        case .home: listCursor = 0
        case .end: listCursor = last
        case .enter, .right:
            guard list.rows.indices.contains(listCursor) else { return [] }
            return [.open(list.rows[listCursor].id)]
        case .escape: if destination != nil { focus = .composer }
        case .control("d"): return [.act(.quit, on: nil)]
        case .text(let text):
            // A user who types means to write, or to give a command.
            focus = .composer
            return takeInComposer(.text(text))
        case .paste(let text):
            focus = .composer
            return takeInComposer(.paste(text))
        default: break
        }
        return []
    }

    // MARK: Messages

    private mutating func selectLast() {
        guard let last = timeline.items.last else { return }
        select(last.id)
    }

    private mutating func select(_ id: TimelineItem.ID) {
        focus = .messages
        selected = id
        let lines = timelineLines()
        viewport.reveal(id, in: lines, height: layout.height)
    }

    private mutating func step(_ count: Int) {
        let place = timeline.items.firstIndex { $0.id == selected } ?? timeline.items.count
        let next = place + count
        if timeline.items.indices.contains(next) {
            select(timeline.items[next].id)
        } else if count > 0 {
            leaveMessages()
        }
    }

    private mutating func leaveMessages() {
        focus = .composer
        selected = nil
        if !timeline.hasNewer { viewport.toEnd() }
    }

    private mutating func takeInMessages(_ key: Key) -> [Effect] {
        let message = message(selected)
        switch key {
        case .up, .text("k"): step(-1)
        case .down, .text("j"): step(1)
        case .escape: leaveMessages()
        case .end:
            leaveMessages()
            viewport.toEnd()
            return [.toEnd]
        case .enter, .text("r"):
            if case .gap(let from, let to)? = timeline.items.first(where: { $0.id == selected }) {
                return [.fill(from: from, to: to)]
            }
            guard let message, !message.isDeleted else { return [] }
            begin(.reply(message.id))
        case .text("e"): return beginEdit(message)
        case .text("d"), .delete: return act(.delete)
        case .text("t"): return act(.retry)
        case .text("x"): return act(.discard)
        case .text("i"): return act(.info)
        case .text("o"): return act(.thread)
        case .text("p"):
            let isPinned = timeline.pins.contains { $0.sequence == message?.sequence }
            return act(isPinned ? .unpin : .pin)
        case .text("+"): beginCommand("/react ")
        case .text("f"): beginCommand("/forward ")
        case .text("!"): beginCommand("/report ")
        case .text(let text):
            // What is no key here is written.
            leaveMessages()
            return takeInComposer(.text(text))
        case .paste(let text):
            leaveMessages()
            return takeInComposer(.paste(text))
        case .control("d"): return [.act(.quit, on: nil)]
        default: break
        }
        return []
    }

    private mutating func act(_ act: Act) -> [Effect] {
        let target = selected
        leaveMessages()
        return [.act(act, on: target)]
    }

    // The message stays the chosen one while the rest is written.
    private mutating func beginCommand(_ words: String) {
        focus = .composer
        composer.replace(words)
    }

    private mutating func begin(_ purpose: Purpose) {
        self.purpose = purpose
        focus = .composer
    }

    private mutating func beginEdit(_ message: TimelineMessage?) -> [Effect] {
        guard let message, message.isOwn, !message.isDeleted, let text = message.text else {
            notice = words(.onlyOwnTexts)
            return []
        }
        var purpose = Purpose.edit(message.id)
        if case .failed = message.state, let item = message.outboxItem { purpose = .replace(item) }
        begin(purpose)
        composer.replace(text)
        return []
    }

    // MARK: The overlay

    private mutating func takeInOverlay(_ key: Key) -> [Effect] {
        guard var shown = overlay else { return [] }
        let page = max(1, layout.height - 2)
        func move(_ count: Int) { shown.cursor = max(0, min(shown.rows.count - 1, shown.cursor + count)) }
        switch key {
        case .up, .text("k"): move(-1)
        case .down, .text("j"): move(1)
        case .pageUp: move(-page)
        case .pageDown: move(page)
        case .home: shown.cursor = 0
        case .end: move(shown.rows.count)
        case .enter:
            overlay = nil
            guard shown.rows.indices.contains(shown.cursor), let act = shown.rows[shown.cursor].act else { return [] }
            return [.act(act, on: nil)]
        default:
            overlay = nil
            if focus != .list { focus = .composer }
            if case .text = key { return takeInComposer(key) }
            return []
        }
        overlay = shown
        return []
    }
}

extension Scene.Purpose {
    /// Whether it sends a message of its own.
    var isReply: Bool { if case .reply = self { true } else { false } }
}
