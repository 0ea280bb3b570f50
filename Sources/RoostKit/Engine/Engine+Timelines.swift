import RoostClient
import RoostStore
import RoostWire

/// Moving the windows of timelines: first what is here, and then what the relay has.
extension Engine {
    /// Shows up to 100 older messages.
    func loadOlder(_ id: Int) async throws {
        guard let view = desk.timeline(id), let conversation = view.shown.conversation else { return }
        let low = view.low
        guard low > conversation.first else { return }
        let kept = try desk.store.messages(of: conversation.id, below: low, limit: TimelineWindow.page)
        // Right below the window is a gap, which the relay can fill.
        if kept.last?.sequence.value != low.value - 1 {
            do {
                let page = try await fetch(conversation.id, before: low)
                if let first = page.first { return try extend(id, down: first) }
            } catch  where !kept.isEmpty {
                // The messages behind the gap are shown; the gap stays visible.
            }
        }
        if let first = kept.first?.sequence { try extend(id, down: first) } else { desk.tell([conversation.id]) }
    }

    // Rows count, and not the span of their numbers: behind a wide gap are few of them.
    private func extend(_ id: Int, down first: SequenceNumber) throws {
        guard let conversation = desk.timeline(id)?.shown.conversation?.id else { return }
        let rows = try desk.store.messages(of: conversation, from: first, limit: TimelineWindow.most + 1)
        let end = rows.count > TimelineWindow.most ? rows[TimelineWindow.most - 1].sequence : nil
        try desk.move(id) { $0.extend(down: first, end: end) }
    }

    private func extend(_ id: Int, up last: SequenceNumber) throws {
        guard let conversation = desk.timeline(id)?.shown.conversation else { return }
        let rows = try desk.store.messages(
            of: conversation.id, below: SequenceNumber(last.value + 1), limit: TimelineWindow.most)
        try desk.move(id) { $0.extend(up: last, newest: conversation.sequence, start: rows.first?.sequence ?? last) }
    }

    /// Shows up to 100 newer messages, after scrolling or jumping away from the newest.
    func loadNewer(_ id: Int) async throws {
        guard let view = desk.timeline(id), let conversation = view.shown.conversation, let high = view.window.high
        else { return }
        let from = SequenceNumber(high.value + 1)
        var kept = try desk.store.messages(of: conversation.id, from: from, limit: TimelineWindow.page)
        if kept.first?.sequence != from {
            do {
                let asked = desk.store.doubts
                let page = try await patience { () throws(RoostFailure) in
                    try await self.client.history(
                        of: conversation.id, after: high, limit: TimelineWindow.page, hasEvents: true)
                }
                try desk.store.take(page, before: nil, asked: asked)
                kept = try desk.store.messages(of: conversation.id, from: from, limit: TimelineWindow.page)
            } catch  where !kept.isEmpty {
                // The messages behind the gap are shown; the gap stays visible.
            }
        }
        guard let last = kept.last?.sequence else { return try desk.move(id) { $0.toEnd() } }
        try extend(id, up: last)
    }

    /// Shows what is around a message.
    func jump(_ id: Int, to sequence: SequenceNumber) async throws {
        guard let view = desk.timeline(id), let conversation = view.shown.conversation,
            sequence >= conversation.first, sequence <= conversation.sequence
        else { return }
        let end = SequenceNumber(sequence.value + Int64(TimelineWindow.first / 2) + 1)
        let around = try desk.store.messages(of: conversation.id, below: end, limit: TimelineWindow.first)
        let isThere = around.contains { $0.sequence == sequence }
        // Without a session, what is here has to do.
        do { if !isThere { try await fetch(conversation.id, before: end) } } catch  where !around.isEmpty {}
        try desk.move(id) { $0.jump(to: sequence, newest: conversation.sequence) }
    }

    /// Gets up to 100 messages of a gap, those nearest to its end.
    func fill(_ id: Int, from: SequenceNumber, to: SequenceNumber) async throws {
        guard let conversation = desk.timeline(id)?.shown.conversation else { return }
        let missing = Int(min(Int64(TimelineWindow.page), to.value - from.value + 1))
        try await fetch(conversation.id, before: SequenceNumber(to.value + 1), limit: max(1, missing))
        // The window shows what is between its ends; a gap at its beginning may lie before it.
        try desk.move(id) { _ in }
    }
}
