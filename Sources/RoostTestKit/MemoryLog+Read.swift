import RoostCore
import RoostWire

/// Answers reads from committed rows: pages of catch-up, history, the latest messages.
extension MemoryLog {
    func page(_ request: PageRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        var found: [StoredEvent] = []
        for span in request.spans {
            guard let record = state.conversations[span.conversation] else { continue }
            var span = span
            if let most = request.backlogMax, let gap = record.gap(in: span, above: most, keeping: request.rows) {
                result.gaps.append(gap)
                span.after = gap.floor
            }
            // One more than asked for, which tells whether there are more.
            found += record.rows(in: span, atMost: request.rows + 1)
        }
        found.sort { $0.position < $1.position }
        var bytes = 0
        for event in found {
            guard result.events.count < request.rows, bytes < request.bytes || result.events.isEmpty else {
                result.hasMore = true
                break
            }
            bytes += event.body.count
            result.events.append(event)
        }
        return result
    }

    func history(_ request: HistoryRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        guard let record = state.conversations[request.conversation] else { return result }
        let first = max(1, request.after == SequenceNumber(Int64.max) ? Int64.max : request.after.value + 1)
        let last = min(Int64(record.messages.count), request.before.value - 1)
        guard first <= last else { return result }
        let wanted = request.isNewest ? Array((first...last).reversed()) : Array(first...last)
        var bytes = 0
        for sequence in wanted {
            guard result.events.count < request.rows, bytes < request.bytes || result.events.isEmpty else {
                result.hasMore = true
                break
            }
            guard var event = record.message(SequenceNumber(sequence)) else { continue }
            event.reactions = record.counts(of: event.sequence, for: request.reader)
            bytes += event.body.count
            result.events.append(event)
        }
        if request.isNewest { result.events.reverse() }
        return result
    }

    func latest(_ request: LatestRequest, _ ticket: UInt64) -> ReadResult {
        let events = request.messages.compactMap { state.conversations[$0.conversation]?.message($0.sequence) }
        return ReadResult(ticket: ticket, events: events)
    }

    func feed(_ request: FeedRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        let found = state.conversations.values
            .flatMap { $0.rows(above: request.after) }
            .sorted { $0.position < $1.position }
        var bytes = 0
        for event in found {
            guard result.events.isEmpty || result.events.count < request.rows && bytes <= request.bytes else {
                result.hasMore = true
                break
            }
            bytes += event.body.count
            result.events.append(event)
        }
        return result
    }
}

extension MemoryLog.Record {
    /// The first `most` rows of a span, in the order of positions.
    fileprivate func rows(in span: PageRequest.Span, atMost most: Int) -> [StoredEvent] {
        var found: [StoredEvent] = []
        for row in rows[firstRow(above: span.after)...] {
            guard row.position <= span.upTo, found.count < most else { break }
            guard isShown(row, span.since) else { continue }
            found.append(completed(row))
        }
        return found
    }

    /// All rows above a position, in order.
    fileprivate func rows(above position: Position) -> [StoredEvent] {
        rows[firstRow(above: position)...].map { completed($0) }
    }

    /// An edit with the message's present body.
    private func completed(_ row: StoredEvent) -> StoredEvent {
        var row = row
        if row.kind == .edit, let message = message(row.sequence) { row.body = message.body }
        return row
    }

    /// The gap of a span with more messages than `most`.
    fileprivate func gap(in span: PageRequest.Span, above most: Int, keeping kept: Int) -> Gap? {
        let missed = rows[firstRow(above: span.after)...].filter {
            $0.kind == .message && $0.position <= span.upTo && $0.sequence > span.since
        }
        guard missed.count > most, missed.count > kept else { return nil }
        let leftOut = missed[..<(missed.count - kept)]
        guard let first = leftOut.first, let last = leftOut.last else { return nil }
        return Gap(entry.number, from: first.sequence, to: last.sequence, floor: last.position)
    }

    /// Events of messages before the reader's time are not shown to the reader.
    private func isShown(_ row: StoredEvent, _ since: SequenceNumber) -> Bool {
        row.kind == .conversation || row.sequence > since
    }

    private func firstRow(above position: Position) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func counts(of sequence: SequenceNumber, for reader: UserNumber) -> [ReactionCount] {
        var counts: [ReactionCount] = []
        // A deleted message has no reactions.
        guard message(sequence)?.deletedAt == .never else { return counts }
        for reaction in reactions[sequence] ?? [] {
            let place = counts.firstIndex { $0.reaction == reaction.text } ?? counts.count
            if place == counts.count { counts.append(ReactionCount(reaction.text, count: 0, isMine: false)) }
            counts[place].count += 1
            if reaction.user == reader { counts[place].isMine = true }
        }
        return counts
    }
}
