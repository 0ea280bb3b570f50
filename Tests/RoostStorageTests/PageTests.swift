import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// A page looks into a bounded number of spans, however many there are, and all pages together have everything.
@Suite struct PageTests {
    /// Conversations whose rows take turns in an odd order, so that no two pages have the same ones.
    private func crowd(_ scratch: Scratch, conversations: Int32, spansPerPage: Int) throws -> SQLiteLog {
        var bounds = StorageBounds.tiny
        bounds.spansPerPage = spansPerPage
        let log = try SQLiteLog(scratch.path(), .normal, bounds)
        _ = try log.commit((1...conversations).map { creation($0) })
        for round in Int32(0)..<3 {
            _ = try log.commit((0..<conversations).map { message(in: ($0 * 7 + round) % conversations + 1) })
            if round == 1 { try log.writer.maintainAll() }
        }
        return log
    }

    @Test(arguments: [(2, 1), (2, 5), (7, 3), (7, 20), (50, 4), (1_000, 4)])
    func manySpansAreReadInPieces(spansPerPage: Int, rows: Int) throws {
        let scratch = try Scratch()
        let log = try crowd(scratch, conversations: 50, spansPerPage: spansPerPage)
        defer { log.close() }
        let head = log.writer.head
        var request = PageRequest(
            spans: (1...50).map { .init(ConversationNumber($0), after: Position(50), upTo: Position(head)) },
            rows: rows, bytes: 1 << 20, backlog: .init(messages: 100, changes: 10, rows: 1_000))
        var got: [Int64] = []
        var (empty, pages) = (0, 0)
        while pages < 1_000 {
            let page = try log.reader.answer(Read(ticket: 1, .page(request)))
            pages += 1
            empty += page.events.isEmpty ? 1 : 0
            got += page.events.map(\.position.value)
            guard page.hasMore else { break }
            request.spans = page.spans(after: max(page.reached, Position(got.last ?? 0)))
        }
        #expect(got == Array(51...head))
        // Each span's beginning is found once, and a page of so many rows needs as many spans and one more.
        #expect(empty <= 50 / max(1, min(spansPerPage, 50) - 1) + 1)
        #expect(pages <= empty + Int(head - 50) / min(rows, max(1, spansPerPage - 1)) + 1)
    }

    /// What a page costs doesn't grow with the number of spans.
    @Test func aPageLooksIntoFewSpans() {
        let spans = (1...10_000).map {
            PageRequest.Span(ConversationNumber($0), after: Position(Int64(10_001 - $0)), upTo: Position(20_000))
        }
        let next = NextSpans(spans, most: 256)
        #expect(next.chosen.map(\.after.value) == Array(1...256))
        #expect(next.horizon == Position(257))
        #expect(next.rest.count == 10_000 - 256)
        let few = NextSpans(Array(spans[..<256]), most: 256)
        #expect(few.chosen.count == 256 && few.rest.isEmpty && few.horizon == Position(.max))
        #expect(NextSpans(spans, most: 0).chosen.count == 2)
    }
}
