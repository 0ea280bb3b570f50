import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// All pages together have everything, however few spans each looks into.
@Suite struct PageTests {
    /// Conversations whose rows take turns in an odd order, so that no two pages have the same ones.
    private func crowd(_ scratch: Scratch, conversations: Int32) throws -> SQLiteLog {
        let log = try SQLiteLog(scratch.path(), .normal, .tiny)
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
        let log = try crowd(scratch, conversations: 50)
        defer { log.close() }
        let head = log.writer.head
        var queue = SpanQueue()
        for number in Int32(1)...50 {
            queue.add(.init(ConversationNumber(number), after: Position(50), upTo: Position(head)))
        }
        var got: [Int64] = []
        var (empty, pages) = (0, 0)
        while !queue.isEmpty, pages < 1_000 {
            let (spans, horizon) = queue.take(spansPerPage, after: Position(got.last ?? 0))
            let request = PageRequest(
                spans: spans, horizon: horizon, rows: rows, bytes: 1 << 20,
                backlog: .init(messages: 100, changes: 10, rows: 1_000))
            let page = try log.reader.answer(Read(ticket: 1, .page(request)))
            pages += 1
            empty += page.events.isEmpty ? 1 : 0
            got += page.events.map(\.position.value)
            for span in page.spans { queue.add(span) }
        }
        #expect(got == Array(51...head))
        // Each span's beginning is found once, and a page of so many rows needs as many spans and one more.
        #expect(empty <= 50 / max(1, min(spansPerPage, 50) - 1) + 1)
        #expect(pages <= empty + Int(head - 50) / min(rows, max(1, spansPerPage - 1)) + 1)
    }
}
