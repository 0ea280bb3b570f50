import RoostCore
import RoostWire

/// Walks one span of a page: first the rows in the index, a few at a time, then the rows that were in the tail when the
/// page began. It returns places instead of rows, so messages that the device may not see are skipped without being
/// read.
struct PageCursor {
    /// The row that comes next; nil at the end.
    private(set) var next: EventEntry?
    /// Messages before that row that the device should see but no index has.
    private(set) var hole: ClosedRange<Int64>?
    let span: PageRequest.Span
    private let entries: [EventEntry]
    private let isCut: Bool
    /// The last position to look up in the index.
    private let indexEnd: Int64
    private var nextEntry = 0
    private var found: [EventEntry] = []
    private var nextFound = 0
    private var isIndexDone: Bool
    private var position: Int64
    /// The sequence of the last message before this place.
    private var sequence: Int64

    /// Starts after `position`, where `sequence` is the last message's sequence.
    init(_ span: PageRequest.Span, view: EventTail.View, position: Int64, sequence: Int64) {
        self.span = span
        self.position = position
        self.sequence = sequence
        entries = view.entries
        isCut = view.isCut
        indexEnd = min(view.floor, span.upTo.value)
        isIndexDone = position >= indexEnd
    }

    /// Moves to the next row. Throws `TailCut` if more of the tail is needed than was copied.
    mutating func advance(_ events: EventIndex) throws {
        while !isIndexDone {
            if nextFound == found.count { try refill(events) }
            while nextFound < found.count {
                let entry = found[nextFound]
                nextFound += 1
                position = entry.position
                if show(entry) { return }
            }
        }
        while nextEntry < entries.count {
            let entry = entries[nextEntry]
            nextEntry += 1
            if show(entry) { return }
        }
        if isCut { throw TailCut() }
        next = nil
        hole = nil
    }

    /// Makes it the next row, unless it is a message that the device may not see.
    private mutating func show(_ entry: EventEntry) -> Bool {
        var last = max(sequence, span.since.value)
        if let skip = span.skip, last &+ 1 >= skip.from.value { last = max(last, skip.to.value) }
        hole = entry.before > last ? last + 1...entry.before : nil
        sequence = entry.sequence
        if entry.isMessage, span.leavesOut(SequenceNumber(entry.sequence), at: Position(entry.position)) {
            return false
        }
        next = entry
        return true
    }

    private mutating func refill(_ events: EventIndex) throws {
        // On a page of many spans, most have only a few rows.
        let limit = found.isEmpty ? 16 : 128
        found.removeAll(keepingCapacity: true)
        nextFound = 0
        try events.rows(
            of: span.conversation.value, above: position, upTo: indexEnd, limit: limit, into: &found)
        isIndexDone = found.isEmpty
    }
}

/// More of the tail is needed than was copied: nearly all copied rows are not for the device.
struct TailCut: Error {}
