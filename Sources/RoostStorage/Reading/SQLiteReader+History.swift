import RoostCore
import RoostWire

extension SQLiteReader {
    /// Messages of a conversation, or of a thread, by sequence. Each is looked up separately, so reactions and edits
    /// between them cost nothing. A message that can't be read is left out.
    func history(_ request: HistoryRequest, ticket: UInt64) throws -> ReadResult {
        let number = request.conversation.value
        let view = tail.end(of: request.conversation)
        return try transact {
            var result = ReadResult(ticket: ticket)
            guard try exists(number) else { return result }
            let last = try lastSequence(of: number, view)
            let low = max(0, request.after.value)
            let high = min(last, request.before.value == .min ? .min : request.before.value - 1)
            guard low < high else {
                try addChanges(to: &result, request, last)
                return result
            }
            var bytes = 0
            for (index, sequence) in try sequences(of: request, in: low + 1...high).enumerated() {
                let event = try message(sequence, in: number)
                bytes += event?.body.count ?? 0
                if index >= max(1, request.rows) || (bytes > request.bytes && !result.events.isEmpty) {
                    result.hasMore = true
                    break
                }
                if var event {
                    event.reactions = try reactions(to: event, for: request)
                    event.replies = try threads.summary(of: event, upTo: last, for: request.reader)
                    result.events.append(event)
                } else {
                    result.gaps.append(
                        Gap(request.conversation, from: SequenceNumber(sequence), to: SequenceNumber(sequence)))
                }
            }
            if request.isNewest {
                result.events.reverse()
                result.gaps.reverse()
            }
            try addChanges(to: &result, request, last)
            return result
        }
    }

    /// Adds the changes to the conversation between the messages of the page.
    private func addChanges(to result: inout ReadResult, _ request: HistoryRequest, _ last: Int64) throws {
        guard request.events > 0, request.thread == .none else { return }
        let range = result.places(of: request, last)
        statements.changes.bind(1, request.conversation.value)
        statements.changes.bind(2, range.lowerBound)
        statements.changes.bind(3, range.upperBound)
        statements.changes.bind(4, Int64(request.events))
        var found: [EventEntry] = []
        while try statements.changes.step() {
            found.append(
                EventEntry(
                    position: statements.changes.int64(0), sequence: statements.changes.int64(1), isMessage: false))
        }
        for entry in found.reversed() {
            guard let event = try event(at: entry, in: request.conversation.value) else { continue }
            if event.reference != .none {
                result.pinned[event.position] = try message(
                    event.reference.value, in: request.conversation.value)?.sender
            }
            result.changes.append(event)
        }
    }

    /// The candidates for a page, in the order in which it is filled: one more than fits, which shows that there are
    /// more.
    private func sequences(of request: HistoryRequest, in range: ClosedRange<Int64>) throws -> [Int64] {
        let limit = min(max(1, request.rows), Int(Int32.max)) + 1
        guard request.thread == .none else { return try threads.page(request, in: range, limit: limit) }
        return request.isNewest ? range.suffix(limit).reversed() : Array(range.prefix(limit))
    }

    /// Single messages, for previews. Those that can't be read are left out.
    func latest(_ request: LatestRequest, ticket: UInt64) throws -> ReadResult {
        let views = request.messages.map { tail.end(of: $0.conversation) }
        return try transact {
            var result = ReadResult(ticket: ticket)
            var bytes = 0
            for (asked, view) in zip(request.messages, views) {
                let number = asked.conversation.value
                guard asked.sequence > .none, try exists(number) else { continue }
                let last = try lastSequence(of: number, view)
                guard asked.sequence.value <= last else { continue }
                guard bytes < request.bytes else {
                    result.hasMore = true
                    break
                }
                guard var event = try message(asked.sequence.value, in: number) else { continue }
                bytes += event.body.count
                event.replies = try threads.summary(of: event, upTo: last, for: request.reader)
                result.events.append(event)
            }
            return result
        }
    }

    /// The sequence of the last committed message.
    private func lastSequence(of conversation: Int32, _ view: EventTail.View) throws -> Int64 {
        try view.lastSequence ?? events.sequence(at: view.floor, in: conversation) ?? 0
    }

    /// A committed message; nil, after reporting it, if it can't be read. Throws `TailMoved` if it moved from the tail
    /// to the index after the transaction began.
    func message(_ sequence: Int64, in conversation: Int32) throws -> StoredEvent? {
        if let position = try position(of: sequence, in: conversation) {
            return try message(sequence, in: conversation, at: position)
        }
        try checkTailStayed()
        reporter.note(.damagedRow, "message \(sequence) of conversation \(conversation) is in no index")
        return nil
    }

    /// A deleted message has no reactions.
    private func reactions(to message: StoredEvent, for request: HistoryRequest) throws -> [ReactionCount] {
        guard message.deletedAt == .never else { return [] }
        let query = statements.reactions
        query.bind(1, message.conversation.value)
        query.bind(2, message.sequence.value)
        query.bind(3, Int64(bounds.reactionsShown))
        var counts: [ReactionCount] = []
        while try query.step() {
            counts.append(ReactionCount(query.text(0), count: Int(clamping: query.int64(1)), isMine: false))
        }
        guard !counts.isEmpty else { return [] }
        for index in try own(request.reader, to: message, counts) { counts[index].isMine = true }
        if !request.withheld.isEmpty { try withhold(request.withheld, of: message, from: &counts) }
        try withhold(from: request.reader, of: message, &counts)
        return counts.filter { $0.count > 0 }
    }

    /// A user's own among these reactions.
    private func own(_ user: UserNumber, to message: StoredEvent, _ counts: [ReactionCount]) throws -> [Int] {
        statements.mine.bind(1, message.conversation.value)
        statements.mine.bind(2, message.sequence.value)
        statements.mine.bind(3, user.value)
        var own: [Int] = []
        while try statements.mine.step() {
            let reaction = statements.mine.text(0)
            if let index = counts.firstIndex(where: { $0.reaction == reaction }) { own.append(index) }
        }
        return own
    }

    /// Doesn't count what the other user of a direct conversation gave while the reader had blocked it.
    private func withhold(
        from reader: UserNumber, of message: StoredEvent, _ counts: inout [ReactionCount]
    ) throws {
        statements.withheld.bind(1, message.conversation.value)
        statements.withheld.bind(2, message.sequence.value)
        statements.withheld.bind(3, reader.value)
        while try statements.withheld.step() {
            let reaction = statements.withheld.text(0)
            if let index = counts.firstIndex(where: { $0.reaction == reaction }) { counts[index].count -= 1 }
        }
    }

    /// Doesn't count what these users have given. It looks at each of them, or at all who have given something if they
    /// are fewer.
    private func withhold(
        _ users: [UserNumber], of message: StoredEvent, from counts: inout [ReactionCount]
    ) throws {
        guard users.count > counts.reduce(0, { $0 + $1.count }) else {
            for user in users { for index in try own(user, to: message, counts) { counts[index].count -= 1 } }
            return
        }
        let withheld = Set(users.map(\.value))
        statements.givers.bind(1, message.conversation.value)
        statements.givers.bind(2, message.sequence.value)
        while try statements.givers.step() {
            guard withheld.contains(statements.givers.int32(0)) else { continue }
            let reaction = statements.givers.text(1)
            if let index = counts.firstIndex(where: { $0.reaction == reaction }) { counts[index].count -= 1 }
        }
    }
}
