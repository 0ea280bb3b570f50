import RoostCore
import RoostWire

/// Answers reads from committed rows: pages of catch-up, history, the latest messages.
extension MemoryLog {
    func page(_ request: PageRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        var found: [StoredEvent] = []
        for span in request.spans {
            if let owner = span.conversation.owner {
                result.spans.append(span)
                found += settings(in: span, of: owner, atMost: request.rows + 1)
                continue
            }
            guard let record = state.conversations[span.conversation] else { continue }
            var span = span
            if let backlog = request.backlog, !span.isMeasured {
                span.isMeasured = true
                let gap = record.gap(in: span, backlog, keeping: request.rows)
                if let gap, gap.isReset {
                    result.gaps.append(gap)
                    if let last = record.message(gap.to) { span.after = last.position }
                } else if let gap {
                    span.skip = .init(from: gap.from, to: gap.to, place: gap.place)
                }
            }
            result.spans.append(span)
            if span.leftAt < Position(.max) {
                result.ends[span.conversation] = record.rows.last { $0.position <= span.leftAt }?.time ?? .never
            }
            // One more than asked for, to see whether there are more.
            found += record.rows(in: span, atMost: request.rows + 1)
        }
        found.sort { $0.position < $1.position }
        var bytes = 0
        for event in found {
            guard event.position <= request.horizon, result.events.count < request.rows,
                bytes < request.bytes || result.events.isEmpty
            else { break }
            result.reached = event.position
            // Two edits in one millisecond.
            if event.kind == .edit {
                result.events.removeAll {
                    $0.kind == .edit && $0.conversation == event.conversation && $0.sequence == event.sequence
                }
            }
            bytes += event.body.count
            if event.kind == .conversation, event.reference != .none {
                let record = state.conversations[event.conversation]
                result.pinned[event.position] = record?.message(event.reference)?.sender
            }
            result.events.append(event)
        }
        goOn(after: request.horizon, &result)
        return result
    }

    /// Finds the next row of each span.
    private func goOn(after horizon: Position, _ result: inout ReadResult) {
        let reached = result.reached
        var next: [ConversationNumber: Position] = [:]
        for span in result.spans {
            var rest = span
            rest.after = max(span.after, reached)
            if let owner = span.conversation.owner {
                next[span.conversation] = settings(in: rest, of: owner, atMost: 1).first?.position
                continue
            }
            next[span.conversation] = state.conversations[span.conversation]?.rows(in: rest, atMost: 1).first?.position
        }
        result.moveOn(to: next, horizon: horizon)
    }

    func history(_ request: HistoryRequest, _ ticket: UInt64) -> ReadResult {
        guard let record = state.conversations[request.conversation] else { return ReadResult(ticket: ticket) }
        var result = messages(of: record, request, ticket)
        result.addChanges(record.rows, request, Int64(record.messages.count)) { record.message($0)?.sender }
        return result
    }

    private func messages(of record: Record, _ request: HistoryRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        let first = max(1, request.after == SequenceNumber(Int64.max) ? Int64.max : request.after.value + 1)
        let last = min(Int64(record.messages.count), request.before.value - 1)
        guard first <= last else { return result }
        let wanted = request.isNewest ? Array((first...last).reversed()) : Array(first...last)
        var bytes = 0
        for sequence in wanted {
            guard var event = record.message(SequenceNumber(sequence)) else { continue }
            if request.thread != .none, !event.stands(inThread: request.thread) { continue }
            guard result.events.count < request.rows, bytes < request.bytes || result.events.isEmpty else {
                result.hasMore = true
                break
            }
            event.replies = record.summary(ofThread: event.sequence, for: request.reader)
            event.reactions = record.counts(of: event.sequence, for: request)
            bytes += event.body.count
            result.events.append(event)
        }
        if request.isNewest { result.events.reverse() }
        return result
    }

    func latest(_ request: LatestRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        var bytes = 0
        for asked in request.messages {
            let record = state.conversations[asked.conversation]
            guard var event = record?.message(asked.sequence) else { continue }
            guard bytes < request.bytes else {
                result.hasMore = true
                break
            }
            bytes += event.body.count
            event.replies = record?.summary(ofThread: event.sequence, for: request.reader)
            result.events.append(event)
        }
        return result
    }

    func feed(_ request: FeedRequest, _ ticket: UInt64) -> ReadResult {
        var result = ReadResult(ticket: ticket)
        let found = state.conversations.values
            .flatMap { $0.rows(above: request.after) }
            .sorted { $0.position < $1.position }
        var (bytes, looked) = (0, 0)
        for event in found {
            let isFull = result.events.count >= request.rows || bytes > request.bytes
            guard looked < max(1, request.looks), !isFull || result.events.isEmpty else {
                result.hasMore = true
                break
            }
            looked += 1
            result.reached = event.position
            guard request.sender == nil || event.sender == request.sender else { continue }
            bytes += event.body.count
            result.events.append(event)
        }
        if !result.hasMore { result.reached = max(request.after, state.head) }
        return result
    }
}

extension ReadResult {
    /// Adds the changes to the conversation behind the messages of a page of history.
    fileprivate mutating func addChanges(
        _ rows: [StoredEvent], _ request: HistoryRequest, _ last: Int64,
        author: (SequenceNumber) -> UserNumber?
    ) {
        guard request.events > 0, request.thread == .none else { return }
        let places = places(of: request, last)
        changes = rows.filter { $0.kind == .conversation && places.contains($0.sequence.value) }
            .suffix(request.events)
        for event in changes where event.reference != .none { pinned[event.position] = author(event.reference) }
    }
}

extension StoredEvent {
    fileprivate func stands(inThread root: SequenceNumber) -> Bool {
        kind == .message && deletedAt == .never && extras.thread == root
    }
}

extension MemoryLog.Record {
    fileprivate func summary(ofThread root: SequenceNumber, for reader: UserNumber) -> ThreadSummary? {
        let all = (threads[root] ?? []).compactMap { message($0) }.filter {
            $0.deletedAt == .never && !$0.isWithheld(from: reader)
        }
        return all.last.map {
            ThreadSummary(count: min(all.count, Limits().repliesCounted), last: $0.sequence, time: $0.time)
        }
    }

    /// The first `most` rows of a span, in the order of positions.
    fileprivate func rows(in span: PageRequest.Span, atMost most: Int) -> [StoredEvent] {
        var found: [StoredEvent] = []
        for row in rows[firstRow(above: span.after)...] {
            guard row.position <= span.upTo, found.count < most else { break }
            guard isSent(row, span) else { continue }
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
        if row.kind == .edit, let message = message(row.sequence) {
            row.body = message.body
            row.extras = message.extras
            row.editedAt = message.editedAt
            row.deletedAt = message.deletedAt
        }
        return row
    }

    /// The gap of a span whose backlog is too long.
    fileprivate func gap(in span: PageRequest.Span, _ backlog: PageRequest.Backlog, keeping kept: Int) -> Gap? {
        let missed = rows[firstRow(above: span.after)...].filter { $0.position <= span.upTo }
        let messages = missed.filter { $0.kind == .message && $0.sequence > span.since }
        guard messages.count > backlog.messages, messages.count > kept else { return nil }
        let leftOut = messages[..<(messages.count - kept)]
        guard let first = leftOut.first, let last = leftOut.last else { return nil }
        let between = missed.prefix { $0.position <= last.position }
        guard between.count(where: { $0.kind != .message }) <= backlog.changes, between.count <= backlog.rows else {
            let all = SequenceNumber(span.since.value + 1)
            return Gap(entry.number, from: all, to: last.sequence, place: span.after, isReset: true)
        }
        return Gap(
            entry.number, from: first.sequence, to: last.sequence, place: Position(first.position.value - 1))
    }

    /// Whether a device that catches up is sent a row: nothing of messages that are left out, and only the last edit of
    /// a message that stands.
    private func isSent(_ row: StoredEvent, _ span: PageRequest.Span) -> Bool {
        guard row.kind != .conversation else { return span.shows(row) }
        if row.kind == .edit, let message = message(row.sequence) {
            guard message.deletedAt == .never, message.editedAt == row.time else { return false }
        }
        return !span.leavesOut(row.sequence, at: row.position)
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

    fileprivate func counts(of sequence: SequenceNumber, for request: HistoryRequest) -> [ReactionCount] {
        var counts: [ReactionCount] = []
        // A deleted message has no reactions.
        guard message(sequence)?.deletedAt == .never else { return counts }
        for reaction in reactions[sequence] ?? []
        where !request.withheld.contains(reaction.user) && (!reaction.isWithheld || reaction.user == request.reader) {
            let place = counts.firstIndex { $0.reaction == reaction.text } ?? counts.count
            if place == counts.count { counts.append(ReactionCount(reaction.text, count: 0, isMine: false)) }
            counts[place].count += 1
            if reaction.user == request.reader { counts[place].isMine = true }
        }
        return counts
    }
}
