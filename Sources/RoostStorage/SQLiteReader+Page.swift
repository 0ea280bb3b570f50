import RoostCore
import RoostWire

extension SQLiteReader {
    /// One page of catch-up. Each span costs some seeks, each row one look-up, however long the log is.
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

    /// Takes rows in the order of positions until the page is full and it is known whether more remain.
    private func fill(_ result: inout ReadResult, from merge: inout PageMerge, _ request: PageRequest) throws {
        var bytes = 0
        while let (position, since) = try merge.takeNext(events) {
            guard let event = try event(at: position), isShown(event, since: since) else { continue }
            bytes += event.body.count
            if !result.events.isEmpty, result.events.count >= request.rows || bytes > request.bytes {
                result.hasMore = true
                return
            }
            result.events.append(event)
        }
    }

    private func isShown(_ event: StoredEvent, since: SequenceNumber) -> Bool {
        event.kind == .conversation || event.sequence > since
    }

    /// A cursor at the beginning of a span, or behind the gap of too long a backlog.
    private func cursor(
        _ span: PageRequest.Span, _ view: Tail.View, _ request: PageRequest, _ tailLimit: Int, gaps: inout [Gap]
    ) throws -> PageCursor {
        let number = span.conversation.value
        let indexed = try view.indexedSequence ?? events.lastSequence(of: number, floor: view.floor) ?? 0
        func sequence(at position: Int64, _ inTail: Int64?) throws -> Int64 {
            if let inTail { return inTail }
            return position >= view.floor ? indexed : try events.sequence(at: position, in: number, from: indexed)
        }
        let after = try sequence(at: span.after.value, view.sequenceAtAfter)
        let whole = PageCursor(span, view: view, sequence: after, position: span.after.value)
        guard let backlogMax = request.backlogMax else { return whole }

        let last = try sequence(at: span.upTo.value, view.sequenceAtUpTo)
        let shown = max(after, span.since.value)
        let first = last - Int64(max(1, request.rows)) + 1
        guard last - shown > Int64(backlogMax), first > shown + 1 else { return whole }
        // The last message that is left out. What follows it but isn't a message belongs to the page: whoever was away
        // is told who left meanwhile.
        guard let position = try position(of: first - 1, in: number) else { throw TailMoved() }
        let rest = tail.rows(
            of: number, after: position, upTo: span.upTo.value, since: span.since.value, limit: tailLimit)
        guard rest.floor == view.floor else { throw TailMoved() }
        gaps.append(
            Gap(
                span.conversation, from: SequenceNumber(shown + 1), to: SequenceNumber(first - 1),
                floor: Position(position)))
        return PageCursor(span, view: rest, sequence: first - 1, position: position)
    }
}
