import RoostCore
import RoostWire

/// Walks one span of a page: first what is in the index, a few rows at a time, then what was in the tail when the page
/// began. It gives positions, not rows: a message that the device may not see is passed over without being read.
struct PageCursor {
    /// The row that comes next; nil at the end.
    private(set) var next: Int64?
    let span: PageRequest.Span
    private let entries: [Tail.Entry]
    private let isCut: Bool
    /// The last position to look for in the index.
    private let indexEnd: Int64
    private var nextEntry = 0
    private var found: [(sequence: Int64, position: Int64)] = []
    private var nextFound = 0
    private var isIndexDone: Bool
    private var sequence: Int64
    private var position: Int64

    /// Begins after the row at (`sequence`, `position`).
    init(_ span: PageRequest.Span, view: Tail.View, sequence: Int64, position: Int64) {
        self.span = span
        self.sequence = sequence
        self.position = position
        entries = view.entries
        isCut = view.isCut
        indexEnd = min(view.floor, span.upTo.value)
        isIndexDone = position >= indexEnd
    }

    /// Goes to the next row. Throws `TailCut` when it would need more of the tail than was copied.
    mutating func advance(_ events: EventIndex) throws {
        while !isIndexDone {
            if nextFound == found.count { try refill(events) }
            while nextFound < found.count {
                let row = found[nextFound]
                nextFound += 1
                // A message is the first row with its sequence.
                let isMessage = row.sequence > sequence
                (sequence, position) = row
                if isMessage, row.sequence <= span.since.value { continue }
                next = row.position
                return
            }
        }
        if nextEntry < entries.count {
            next = entries[nextEntry].position
            nextEntry += 1
        } else if isCut {
            throw TailCut()
        } else {
            next = nil
        }
    }

    private mutating func refill(_ events: EventIndex) throws {
        // Most spans of a page with many give only few rows.
        let limit = found.isEmpty ? 16 : 128
        found.removeAll(keepingCapacity: true)
        nextFound = 0
        try events.rows(
            of: span.conversation.value, above: sequence, position, upTo: indexEnd, limit: limit, into: &found)
        isIndexDone = found.isEmpty
    }
}

/// More of the tail is needed than was copied: nearly all of what was copied isn't for the device.
struct TailCut: Error {}
