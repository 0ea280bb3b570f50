import RoostWire
import Testing

@testable import RoostCore

@Suite struct SpanQueueTests {
    private func span(_ number: Int, after: Int, upTo: Int = 20_000) -> PageRequest.Span {
        .init(ConversationNumber(Int32(number)), after: Position(Int64(after)), upTo: Position(Int64(upTo)))
    }

    private func queue(_ spans: [PageRequest.Span]) -> SpanQueue {
        var queue = SpanQueue()
        for span in spans { queue.add(span) }
        return queue
    }

    /// The cost of a page doesn't grow with the number of spans.
    @Test func aPageLooksIntoFewSpans() {
        var queue = queue((1...10_000).map { span($0, after: 10_001 - $0) })
        let (first, horizon) = queue.take(256, after: .start)
        #expect(first.map(\.after.value) == Array(1...256))
        #expect(horizon == Position(257))
        #expect(queue.take(20_000, after: .start).spans.count == 10_000 - 256)
        #expect(queue.isEmpty)
    }

    @Test func theLastPageHasNoHorizon() {
        var queue = queue((1...3).map { span($0, after: $0) })
        let (spans, horizon) = queue.take(3, after: .start)
        #expect(spans.count == 3 && horizon == Position(.max))
        queue = self.queue((1...3).map { span($0, after: 1) })
        #expect(queue.take(0, after: .start).spans.count == 2)
    }

    @Test func sentSpansAreOver() {
        var queue = queue([span(1, after: 5, upTo: 10), span(2, after: 6, upTo: 30), span(3, after: 7, upTo: 7)])
        let (spans, horizon) = queue.take(8, after: Position(12))
        #expect(spans == [span(2, after: 12, upTo: 30)])
        #expect(horizon == Position(.max))
    }

    /// A gap is sent before the rows above its place, so its span begins there.
    @Test func aGapBeginsAtItsPlace() {
        var gap = span(1, after: 50)
        gap.skip = .init(from: SequenceNumber(1), to: SequenceNumber(5), place: Position(10))
        var queue = queue([span(2, after: 20), span(3, after: 30), gap])
        let (spans, horizon) = queue.take(2, after: .start)
        #expect(spans.map(\.conversation.value) == [1, 2])
        #expect(horizon == Position(30))
    }
}
