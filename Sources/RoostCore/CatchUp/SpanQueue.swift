import HeapModule
import RoostWire

/// The spans that a device may still miss something of, ordered by their beginnings. There may be 10,000 of them, and a
/// page pays a few seeks for each that it looks into. A span's next row is above its `after`, so only those that begin
/// lowest can have the next rows; and each look shows where the span really begins. So all pages together look into
/// each span once to find its beginning, and once more for each page on which it has rows.
public struct SpanQueue {
    private struct Entry: Comparable {
        let span: PageRequest.Span

        static func < (one: Entry, other: Entry) -> Bool {
            (one.span.beginning, one.span.conversation.value) < (other.span.beginning, other.span.conversation.value)
        }

        static func == (one: Entry, other: Entry) -> Bool { !(one < other) && !(other < one) }
    }

    private var entries = Heap<Entry>()

    /// Creates an empty queue.
    public init() {}

    /// Whether nothing is left.
    public var isEmpty: Bool { entries.isEmpty }

    /// Adds a span, unless nothing of it is left.
    public mutating func add(_ span: PageRequest.Span) {
        if span.after < span.upTo { entries.insert(Entry(span: span)) }
    }

    /// Takes the spans that the next page looks into.
    /// - Parameters:
    ///   - most: how many at most; 2 at least, because of two spans that may begin at the same place only one does, and
    ///     the other one moves on.
    ///   - sent: everything up to this position has been sent.
    /// - Returns: the spans, and the position above which other spans may have earlier rows.
    public mutating func take(
        _ most: Int, after sent: Position
    ) -> (spans: [PageRequest.Span], horizon: Position) {
        var spans: [PageRequest.Span] = []
        while spans.count < max(2, most), var span = entries.popMin()?.span {
            span.after = max(span.after, sent)
            if span.after < span.upTo { spans.append(span) }
        }
        return (spans, entries.min.map { max($0.span.beginning, sent) } ?? Position(.max))
    }
}

extension PageRequest.Span {
    /// Nothing of the span is sent before the events up to here: no row, and no gap.
    fileprivate var beginning: Position {
        if let skip, !skip.isTold { min(after, skip.place) } else { after }
    }
}
