import RoostCore
import RoostWire

/// Which spans a page looks into. A device may have missed something in 10,000 conversations, and each look costs a few
/// seeks. A span's next row is above its `after`, so only those that begin lowest can have the next rows; and each look
/// tells where the span really begins, which the next page then knows. So all pages together look into each span once
/// to find its beginning, and once more for each page on which it has rows.
struct NextSpans {
    /// Those that begin lowest.
    let chosen: [PageRequest.Span]
    /// The others, in the order in which they begin.
    let rest: [PageRequest.Span]

    /// Chooses at most `most` spans.
    init(_ spans: [PageRequest.Span], most: Int) {
        // Two at least: of two spans that may begin at the same place, only one does, and the other one moves on.
        let most = max(2, most)
        guard spans.count > most else {
            (chosen, rest) = (spans, [])
            return
        }
        // What a page gives back is nearly in this order, so sorting takes a few comparisons for each span.
        let sorted = spans.sorted(by: NextSpans.isBefore)
        chosen = Array(sorted[..<most])
        rest = Array(sorted[most...])
    }

    /// The page may have rows up to here. Above it, the others may have rows in between.
    var horizon: Position { rest.first?.beginning ?? Position(.max) }

    /// The order in which spans begin.
    static func isBefore(_ one: PageRequest.Span, _ other: PageRequest.Span) -> Bool {
        (one.beginning, one.conversation.value) < (other.beginning, other.conversation.value)
    }
}

extension PageRequest.Span {
    /// Nothing of the span is told before the events up to here: no row, and no gap.
    fileprivate var beginning: Position {
        if let skip, !skip.isTold { min(after, skip.place) } else { after }
    }
}
