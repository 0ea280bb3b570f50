import RoostCore
import RoostWire

/// Merges spans by position, with a binary heap of cursors, lowest next position on top. A user may have 10,000
/// conversations; a row costs the logarithm of their number.
struct PageMerge {
    private var cursors: [PageCursor] = []

    /// Adds a cursor unless it is at its end.
    mutating func add(_ cursor: PageCursor) {
        guard cursor.next != nil else { return }
        cursors.append(cursor)
        var child = cursors.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            cursors.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// A row on its way to the page.
    struct Row {
        var entry: EventEntry
        var span: PageRequest.Span
        /// Messages before it that no index has.
        var hole: ClosedRange<Int64>?
    }

    /// The row with the lowest position of all; nil at the end.
    mutating func takeNext(_ events: EventIndex) throws -> Row? {
        guard let top = cursors.first, let entry = top.next else { return nil }
        try cursors[0].advance(events)
        if cursors[0].next == nil {
            cursors.swapAt(0, cursors.count - 1)
            cursors.removeLast()
        }
        sink()
        return Row(entry: entry, span: top.span, hole: top.hole)
    }

    /// The position of the next row of each span that has one.
    /// - Parameter left: the row that was taken last, if it didn't fit.
    func nextPositions(before left: Row?) -> [ConversationNumber: Position] {
        var next: [ConversationNumber: Position] = [:]
        for cursor in cursors { next[cursor.span.conversation] = cursor.next.map { Position($0.position) } }
        if let left { next[left.span.conversation] = Position(left.entry.position) }
        return next
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var lowest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < cursors.count && isBefore(child, lowest) {
                lowest = child
            }
            guard lowest != parent else { return }
            cursors.swapAt(parent, lowest)
            parent = lowest
        }
    }

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        (cursors[one].next?.position ?? .max) < (cursors[other].next?.position ?? .max)
    }
}
