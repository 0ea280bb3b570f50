import RoostCore
import RoostWire

extension SQLiteReader {
    /// One page of catch-up. Each span costs a few seeks and each row one look-up, whatever the length of the log.
    func page(_ request: PageRequest, ticket: UInt64) throws -> ReadResult {
        var limit = max(1, request.rows) + 1
        while true {
            do { return try page(request, ticket: ticket, tailLimit: limit) } catch is TailCut { limit *= 8 }
        }
    }

    private func page(_ request: PageRequest, ticket: UInt64, tailLimit: Int) throws -> ReadResult {
        let views = request.spans.map { span in
            tail.rows(
                of: span.conversation.value, after: span.after.value, upTo: span.upTo.value, since: span.since.value,
                limit: tailLimit)
        }
        return try transact {
            var result = ReadResult(ticket: ticket)
            var merge = PageMerge()
            for (span, view) in zip(request.spans, views) where try exists(span.conversation.value) {
                var cursor = try cursor(span, view, request, tailLimit, gaps: &result.gaps)
                try cursor.advance(events)
                merge.add(cursor)
            }
            try fill(&result, from: &merge, request)
            return result
        }
    }

    /// Takes rows in order of position until the page is full and it is known whether more are left. A message that
    /// can't be read becomes a gap, and counts toward the page.
    private func fill(_ result: inout ReadResult, from merge: inout PageMerge, _ request: PageRequest) throws {
        var bytes = 0
        var damaged = 0
        while let row = try merge.takeNext(events) {
            let conversation = row.span.conversation
            guard let event = try event(at: row.entry, in: conversation.value) else {
                noteHole(before: row, in: &result)
                // The message's own row shows what happened to it.
                if row.entry.isMessage {
                    let sequence = row.entry.sequence
                    result.addGap(sequence...sequence, of: conversation, before: row.entry.position + 1)
                }
                damaged += 1
                guard damaged < max(1, request.rows) else {
                    result.hasMore = true
                    return
                }
                continue
            }
            guard event.kind == .conversation || event.sequence > row.span.since else { continue }
            bytes += event.body.count
            if !result.events.isEmpty, result.events.count >= request.rows || bytes > request.bytes {
                result.hasMore = true
                return
            }
            noteHole(before: row, in: &result)
            result.events.append(event)
        }
    }

    /// Messages before a row that no index has.
    private func noteHole(before row: PageMerge.Row, in result: inout ReadResult) {
        guard let hole = row.hole else { return }
        let conversation = row.span.conversation
        reporter.note(.damagedRow, "messages \(hole) of conversation \(conversation.value) are in no index")
        result.addGap(hole, of: conversation, before: row.entry.position)
    }

    /// A cursor at the beginning of a span, or after the gap of a backlog that is too long.
    private func cursor(
        _ span: PageRequest.Span, _ view: EventTail.View, _ request: PageRequest, _ tailLimit: Int, gaps: inout [Gap]
    ) throws -> PageCursor {
        let number = span.conversation.value
        func sequence(at position: Int64, _ inTail: Int64?) throws -> Int64 {
            if let inTail { return inTail }
            return try events.sequence(at: min(position, view.floor), in: number) ?? 0
        }
        let after = try sequence(at: span.after.value, view.sequenceAtAfter)
        let whole = PageCursor(span, view: view, position: span.after.value, sequence: after)
        guard let backlogMax = request.backlogMax else { return whole }

        let last = try sequence(at: span.upTo.value, view.sequenceAtUpTo)
        let shown = max(after, span.since.value)
        let first = last - Int64(max(1, request.rows)) + 1
        guard last - shown > Int64(backlogMax), first > shown + 1 else { return whole }
        // The last message that is left out. Rows after it that aren't messages belong to the page, so that the device
        // learns who left meanwhile.
        guard let position = try position(of: first - 1, in: number) else {
            // Either the writer has finished a merge meanwhile, or the index lacks a message; in that case the whole
            // backlog is read.
            try checkTailStayed()
            return whole
        }
        let rest = tail.rows(
            of: number, after: position, upTo: span.upTo.value, since: span.since.value, limit: tailLimit)
        guard rest.floor == view.floor else { throw TailMoved() }
        gaps.append(
            Gap(
                span.conversation, from: SequenceNumber(shown + 1), to: SequenceNumber(first - 1),
                floor: Position(position)))
        return PageCursor(span, view: rest, position: position, sequence: first - 1)
    }
}

extension ReadResult {
    /// Notes a gap; the span continues at `position`. Adjacent gaps become one.
    fileprivate mutating func addGap(
        _ sequences: ClosedRange<Int64>, of conversation: ConversationNumber, before position: Int64
    ) {
        let floor = Position(position - 1)
        if let index = gaps.lastIndex(where: { $0.conversation == conversation }),
            gaps[index].to.value &+ 1 == sequences.lowerBound
        {
            gaps[index].to = SequenceNumber(sequences.upperBound)
            gaps[index].floor = floor
        } else {
            gaps.append(
                Gap(
                    conversation, from: SequenceNumber(sequences.lowerBound),
                    to: SequenceNumber(sequences.upperBound), floor: floor))
        }
    }
}
