import Synchronization

extension Tail {
    /// What the tail knows of a conversation's committed rows, copied in one go.
    struct View: Sendable {
        /// Everything at or below it is in the index.
        var floor: Int64
        /// Highest sequence of a row in the index; nil if the tail has nothing of the conversation.
        var indexedSequence: Int64?
        /// Sequence of the last row here; nil if there is none.
        var lastSequence: Int64?
        /// Sequence of the last row here at or below `after`; nil if there is none.
        var sequenceAtAfter: Int64?
        /// Sequence of the last row here at or below `upTo`; nil if there is none.
        var sequenceAtUpTo: Int64?
        /// Rows asked for, in order.
        var entries: [Entry] = []
        /// There are more than were copied.
        var isCut = false
    }

    /// Committed rows above `after` up to `upTo`: the first `limit` of them, messages up to `since` left out.
    func rows(of conversation: Int32, after: Int64, upTo: Int64, since: Int64, limit: Int) -> View {
        state.withLock { state in
            let parts = state.parts(conversation)
            var view = View(floor: state.floor)
            guard let first = parts.older.first ?? parts.newer.first, first.position <= state.published else {
                return view
            }
            let end = min(upTo, state.published)
            view.indexedSequence = first.isMessage ? first.sequence - 1 : first.sequence
            view.lastSequence = parts.newer.sequence(at: state.published) ?? parts.older.sequence(at: state.published)
            view.sequenceAtAfter = parts.newer.sequence(at: after) ?? parts.older.sequence(at: after)
            view.sequenceAtUpTo = parts.newer.sequence(at: end) ?? parts.older.sequence(at: end)
            view.take(parts.older, after: after, upTo: end, since: since, limit: limit)
            view.take(parts.newer, after: after, upTo: end, since: since, limit: limit)
            return view
        }
    }
}

extension Tail.View {
    fileprivate mutating func take(_ part: [Tail.Entry], after: Int64, upTo: Int64, since: Int64, limit: Int) {
        for entry in part[part.partition { $0.position <= after }...] {
            guard !isCut, entry.position <= upTo else { return }
            if entry.isMessage, entry.sequence <= since { continue }
            if entries.count == limit { isCut = true } else { entries.append(entry) }
        }
    }
}

extension Array<Tail.Entry> {
    /// Sequence of the last entry at or below a position.
    fileprivate func sequence(at position: Int64) -> Int64? {
        guard let last else { return nil }
        if last.position <= position { return last.sequence }
        let index = partition { $0.position <= position }
        return index > 0 ? self[index - 1].sequence : nil
    }
}
