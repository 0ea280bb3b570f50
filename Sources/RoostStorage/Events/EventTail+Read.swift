import RoostCore
import RoostWire
import Synchronization

extension EventTail {
    /// A copy of what the tail has of a conversation's committed rows.
    struct View: Sendable {
        /// Everything at or below it is in the index.
        var floor: Int64
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

    /// The first `limit` committed rows of a span, without the messages that the span leaves out.
    func rows(of span: PageRequest.Span, limit: Int) -> View {
        state.withLock { state in
            let parts = state.parts(span.conversation.value)
            var view = View(floor: state.floor)
            guard let first = parts.first?.first, first.position <= state.published else {
                return view
            }
            let after = span.after.value
            let end = min(span.upTo.value, state.published)
            view.lastSequence = sequence(at: state.published, in: parts)
            view.sequenceAtAfter = sequence(at: after, in: parts)
            view.sequenceAtUpTo = sequence(at: end, in: parts)
            guard limit > 0 else { return view }
            for part in parts { view.take(part, of: span, upTo: end, limit: limit) }
            return view
        }
    }

    /// The tail's view of a conversation, without rows.
    func end(of conversation: ConversationNumber) -> View {
        rows(of: .init(conversation, after: Position(.max), upTo: Position(.max)), limit: 0)
    }

    /// Number of committed rows between two positions, number of those that aren't messages, and the floor.
    func changes(of conversation: Int32, after: Int64, upTo: Int64) -> (rows: Int, changes: Int, floor: Int64) {
        state.withLock { state in
            let end = min(upTo, state.published)
            var (rows, changes) = (0, 0)
            for part in state.parts(conversation) {
                for entry in part[part.partition { $0.position <= after }...] {
                    guard entry.position <= end else { break }
                    rows += 1
                    if !entry.isMessage { changes += 1 }
                }
            }
            return (rows, changes, state.floor)
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
    fileprivate mutating func take(_ part: [EventEntry], of span: PageRequest.Span, upTo: Int64, limit: Int) {
        for entry in part[part.partition { $0.position <= span.after.value }...] {
            guard !isCut, entry.position <= upTo else { return }
            if entry.isMessage, span.leavesOut(SequenceNumber(entry.sequence), at: Position(entry.position)) {
                continue
            }
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
