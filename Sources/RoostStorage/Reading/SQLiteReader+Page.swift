import RoostCore
import RoostWire

extension SQLiteReader {
    /// Rows that a page may look at for each row that it may return. The others are left out: they change messages that
    /// the device isn't sent, are damaged, or were replaced by later edits.
    private static let looksPerRow = 8

    /// One page of catch-up. Each span costs a few seeks and each row one look-up, whatever the length of the log. To
    /// find what has to be sent of backlogs that are too long, it looks at up to `Backlog.rows` more rows of the index.
    func page(_ request: PageRequest, ticket: UInt64) throws -> ReadResult {
        var limit = max(1, request.rows) + 1
        while true {
            do { return try page(request, ticket: ticket, tailLimit: limit) } catch is TailCut { limit *= 8 }
        }
    }

    private func page(_ request: PageRequest, ticket: UInt64, tailLimit: Int) throws -> ReadResult {
        let views = request.spans.map { tail.rows(of: $0, limit: tailLimit) }
        return try transact {
            var result = ReadResult(ticket: ticket)
            result.spans.reserveCapacity(request.spans.count)
            var merge = PageMerge()
            var rowsLeft = request.backlog?.rows ?? 0
            for (span, view) in zip(request.spans, views) {
                if let owner = span.conversation.owner {
                    let view = try self.view(ofSettings: span, of: owner, limit: tailLimit)
                    result.spans.append(span)
                    var cursor = PageCursor(span, view: view, position: span.after.value, sequence: 0)
                    try cursor.advance(events)
                    merge.add(cursor)
                    continue
                }
                guard try exists(span.conversation.value) else { continue }
                let (span, view) = try shorten(span, view, request, tailLimit, rowsLeft: &rowsLeft, in: &result)
                result.spans.append(span)
                if span.leftAt < Position(.max) { result.ends[span.conversation] = try time(at: span.leftAt) }
                var cursor = PageCursor(
                    span, view: view, position: span.after.value,
                    sequence: try sequence(at: span.after.value, of: span, view, view.sequenceAtAfter))
                try cursor.advance(events)
                merge.add(cursor)
            }
            let left = try fill(&result, from: &merge, request)
            result.moveOn(to: merge.nextPositions(before: left), horizon: request.horizon)
            return result
        }
    }

    /// When the event at a position was stored; `.never` if it can't be read.
    private func time(at position: Position) throws -> Timestamp {
        if case .row(let row) = try log.find(at: position.value) { row.event.time } else { .never }
    }

    /// Takes rows in order of position until the page is full or the next one is above the horizon. A message that
    /// can't be read becomes a gap.
    /// - Returns: the first row that didn't fit; nil if all did.
    private func fill(
        _ result: inout ReadResult, from merge: inout PageMerge, _ request: PageRequest
    ) throws -> PageMerge.Row? {
        var bytes = 0
        var looks = 0
        while let row = try merge.takeNext(events) {
            guard row.entry.position <= request.horizon.value, looks < Self.looksPerRow * max(1, request.rows) else {
                return row
            }
            looks += 1
            let event = try event(at: row.entry, in: row.span.conversation.value)
            if let event, isSent(event, row.span) {
                result.removeEdit(like: event)
                bytes += event.body.count
                if !result.events.isEmpty, result.events.count >= request.rows || bytes > request.bytes {
                    return row
                }
                noteHole(before: row, in: &result)
                if event.kind == .conversation, event.reference != .none {
                    result.pinned[event.position] = try message(
                        event.reference.value, in: row.span.conversation.value)?.sender
                }
                result.events.append(event)
            } else {
                noteHole(before: row, in: &result)
                // Only a message leaves a gap. Its changes have rows of their own.
                if event == nil, row.entry.isMessage {
                    let sequence = row.entry.sequence
                    result.addGap(sequence...sequence, of: row.span.conversation, before: row.entry.position + 1)
                }
            }
            result.reached = Position(row.entry.position)
        }
        return nil
    }

    /// Whether a device that catches up gets this event. The message has the body of its last edit, so earlier edits
    /// are skipped; for a deleted message only the deletion is sent.
    private func isSent(_ event: StoredEvent, _ span: PageRequest.Span) -> Bool {
        guard event.kind.isAboutMessage else { return span.shows(event) }
        guard event.kind != .edit || event.isLastEdit else { return false }
        return !span.leavesOut(event.sequence, at: event.position)
    }

    /// Messages before a row that no index has.
    private func noteHole(before row: PageMerge.Row, in result: inout ReadResult) {
        guard let hole = row.hole else { return }
        let conversation = row.span.conversation
        reporter.note(.damagedRow, "messages \(hole) of conversation \(conversation.value) are in no index")
        result.addGap(hole, of: conversation, before: row.entry.position)
    }

    // MARK: Backlogs that are too long

    /// The part of a span that is sent, and its view of the tail. When a span is looked into for the first time, a
    /// backlog that is too long is skipped, except for the changes in it. If there are too many of these as well, all
    /// of it is left out: a reset.
    private func shorten(
        _ span: PageRequest.Span, _ view: EventTail.View, _ request: PageRequest, _ tailLimit: Int,
        rowsLeft: inout Int, in result: inout ReadResult
    ) throws -> (PageRequest.Span, EventTail.View) {
        guard let backlog = request.backlog, !span.isMeasured else { return (span, view) }
        var span = span
        span.isMeasured = true
        let after = try sequence(at: span.after.value, of: span, view, view.sequenceAtAfter)
        let last = try sequence(at: span.upTo.value, of: span, view, view.sequenceAtUpTo)
        let shown = max(after, span.since.value)
        let first = last - Int64(max(1, request.rows)) + 1
        guard last - shown > Int64(backlog.messages), first > shown + 1 else { return (span, view) }
        // The last message that is left out.
        guard let end = try position(of: first - 1, in: span.conversation.value) else {
            // Either the writer has finished a merge meanwhile, or the index lacks a message; in that case the whole
            // backlog is read.
            try checkTailStayed()
            return (span, view)
        }
        let (from, to) = (SequenceNumber(shown + 1), SequenceNumber(first - 1))
        var rest = span
        if try hasFewChanges(span, upTo: end, backlog, rowsLeft: &rowsLeft) {
            // A damaged message has no place; the gap is then sent first.
            let place = try position(of: shown + 1, in: span.conversation.value) ?? span.after.value + 1
            rest.skip = .init(from: from, to: to, place: Position(place - 1))
        } else {
            rest.after = Position(end)
            let all = SequenceNumber(span.since.value + 1)
            result.gaps.append(Gap(span.conversation, from: all, to: to, place: span.after, isReset: true))
        }
        let restView = tail.rows(of: rest, limit: tailLimit)
        guard restView.floor == view.floor else { throw TailMoved() }
        return (rest, restView)
    }

    /// Whether the rows up to a position that aren't messages are few enough to send them.
    private func hasFewChanges(
        _ span: PageRequest.Span, upTo end: Int64, _ backlog: PageRequest.Backlog, rowsLeft: inout Int
    ) throws -> Bool {
        let number = span.conversation.value
        var (rows, changes, floor) = tail.changes(of: number, after: span.after.value, upTo: end)
        var position = span.after.value
        var found: [EventEntry] = []
        defer { rowsLeft -= rows }
        while changes <= backlog.changes, rows <= rowsLeft {
            found.removeAll(keepingCapacity: true)
            try events.rows(of: number, above: position, upTo: min(end, floor), limit: 1_024, into: &found)
            guard let last = found.last else { return rows <= rowsLeft }
            position = last.position
            rows += found.count
            for entry in found where !entry.isMessage { changes += 1 }
        }
        return false
    }

    /// Sequence of the last message of a span's conversation at or below a position.
    private func sequence(
        at position: Int64, of span: PageRequest.Span, _ view: EventTail.View, _ inTail: Int64?
    ) throws -> Int64 {
        if let inTail { return inTail }
        return try events.sequence(at: min(position, view.floor), in: span.conversation.value) ?? 0
    }
}

extension StoredEvent {
    /// Whether an edit that has its message's state is the last one of a message that still stands, or was made in the
    /// same millisecond.
    fileprivate var isLastEdit: Bool { deletedAt == .never && editedAt == time && !body.isEmpty }
}

extension ReadResult {
    /// Removes an edit of the same message, made in the same millisecond.
    fileprivate mutating func removeEdit(like event: StoredEvent) {
        guard event.kind == .edit else { return }
        events.removeAll {
            $0.kind == .edit && $0.conversation == event.conversation && $0.sequence == event.sequence
        }
    }

    /// Notes a gap before the row at `position`. Adjacent gaps become one.
    fileprivate mutating func addGap(
        _ sequences: ClosedRange<Int64>, of conversation: ConversationNumber, before position: Int64
    ) {
        if let index = gaps.lastIndex(where: { $0.conversation == conversation }),
            gaps[index].to.value &+ 1 == sequences.lowerBound, !gaps[index].isReset
        {
            gaps[index].to = SequenceNumber(sequences.upperBound)
        } else {
            gaps.append(
                Gap(
                    conversation, from: SequenceNumber(sequences.lowerBound),
                    to: SequenceNumber(sequences.upperBound), place: Position(position - 1)))
        }
    }
}
