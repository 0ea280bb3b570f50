import Synchronization

extension EventTail {
    /// A copy of what the tail has of a conversation's committed rows.
    struct View: Sendable {
        /// Everything at or below it is in the index.
        var floor: Int64
        /// Highest sequence of a row in the index; nil if the tail has nothing of the conversation.
        var indexedSequence: Int64?
        /// Sequence of the last row in the tail; nil if there is none.
        var lastSequence: Int64?
        /// Sequence of the last row in the tail at or below `after`; nil if there is none.
        var sequenceAtAfter: Int64?
        /// Sequence of the last row in the tail at or below `upTo`; nil if there is none.
        var sequenceAtUpTo: Int64?
        /// The rows asked for, in order.
        var entries: [EventEntry] = []
        /// Whether there are more rows than were copied.
        var isCut = false
    }

    /// The first `limit` committed rows above `after` and up to `upTo`, without messages up to `since`.
    func rows(of conversation: Int32, after: Int64, upTo: Int64, since: Int64, limit: Int) -> View {
        state.withLock { state in
            let parts = state.parts(conversation)
            var view = View(floor: state.floor)
            guard let first = parts.first?.first, first.position <= state.published else {
                return view
            }
            let end = min(upTo, state.published)
            view.indexedSequence = first.before
            view.lastSequence = sequence(at: state.published, in: parts)
            view.sequenceAtAfter = sequence(at: after, in: parts)
            view.sequenceAtUpTo = sequence(at: end, in: parts)
            for part in parts { view.take(part, after: after, upTo: end, since: since, limit: limit) }
            return view
        }
    }

    /// Sequence of the last row at or below a position.
    private func sequence(at position: Int64, in parts: [[EventEntry]]) -> Int64? {
        for part in parts.reversed() {
            if let found = part.sequence(at: position) { return found }
        }
        return nil
    }
}

extension EventTail.View {
    fileprivate mutating func take(_ part: [EventEntry], after: Int64, upTo: Int64, since: Int64, limit: Int) {
        for entry in part[part.partition { $0.position <= after }...] {
            guard !isCut, entry.position <= upTo else { return }
            if entry.isMessage, entry.sequence <= since { continue }
            if entries.count == limit { isCut = true } else { entries.append(entry) }
        }
    }
}

extension Array<EventEntry> {
    /// The first index for which the predicate is false. It must be true for the entries before and false for those
    /// after.
    func partition(below isBelow: (EventEntry) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBelow(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The message with this sequence.
    func message(_ sequence: Int64) -> EventEntry? {
        let index = partition { $0.sequence < sequence }
        guard index < count, self[index].isMessage, self[index].sequence == sequence else { return nil }
        return self[index]
    }

    /// Sequence of the last entry at or below a position.
    fileprivate func sequence(at position: Int64) -> Int64? {
        guard let last else { return nil }
        if last.position <= position { return last.sequence }
        let index = partition { $0.position <= position }
        return index > 0 ? self[index - 1].sequence : nil
    }
}
