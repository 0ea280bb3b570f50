import RoostCore
import RoostWire

/// Walks one span of a page: first what is in the index, a few rows at a time, then what was in the tail when the page
/// began. It gives places, not rows: a message that the device may not see is passed over without being read.
struct PageCursor {
    /// The row that comes next; nil at the end.
    private(set) var next: EventEntry?
    /// Messages before that row that no index has, and that the device should see.
    private(set) var hole: ClosedRange<Int64>?
    let span: PageRequest.Span
    private let entries: [EventEntry]
    private let isCut: Bool
    /// The last position to look for in the index.
    private let indexEnd: Int64
    private var nextEntry = 0
    private var found: [EventEntry] = []
    private var nextFound = 0
    private var isIndexDone: Bool
    private var position: Int64
    /// Of the last message before the place.
    private var sequence: Int64

    /// Begins after `position`, at which `sequence` was the last message's.
    init(_ span: PageRequest.Span, view: EventTail.View, position: Int64, sequence: Int64) {
        self.span = span
        self.position = position
        self.sequence = sequence
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
        let last = max(sequence, span.since.value)
        hole = entry.before > last ? last + 1...entry.before : nil
        sequence = entry.sequence
        if entry.isMessage, entry.sequence <= span.since.value { return false }
        next = entry
        return true
    }

    private mutating func refill(_ events: EventIndex) throws {
        // Most spans of a page with many give only few rows.
        let limit = found.isEmpty ? 16 : 128
        found.removeAll(keepingCapacity: true)
        nextFound = 0
        try events.rows(
            of: span.conversation.value, above: position, upTo: indexEnd, limit: limit, into: &found)
        isIndexDone = found.isEmpty
    }
}

/// More of the tail is needed than was copied: nearly all of what was copied isn't for the device.
struct TailCut: Error {}
