import RoostCore
import RoostWire

extension SQLiteReader {
    /// Rows of all conversations above a position, read along the log.
    func feed(_ request: FeedRequest, ticket: UInt64) throws -> ReadResult {
        try transact {
            var result = ReadResult(ticket: ticket)
            let head = try log.end()
            let limit = max(1, request.rows)
            var bytes = 0
            var (rows, looked) = (0, 0)
            func isFull() -> Bool {
                result.hasMore = rows >= limit || bytes > request.bytes && rows > 0 || looked >= max(1, request.looks)
                return result.hasMore
            }
            func look(at position: Int64) {
                looked += 1
                result.reached = Position(position)
            }
            try log.walk(above: request.after.value, upTo: head) { columns in
                guard !isFull() else { return false }
                look(at: columns.position)
                if let sender = request.sender, columns.isIntact, columns.sender != sender.value { return true }
                guard let row = columns.copy() else {
                    rows += 1
                    self.noteDamage(at: columns.position, in: &result)
                    return true
                }
                guard try exists(row.event.conversation.value) else { return true }
                rows += 1
                guard
                    let event = row.event.kind == .edit ? try completed(row.shownEvent) : row.shownEvent.shown(at: time)
                else {
                    self.noteDamage(at: columns.position, in: &result)
                    return true
                }
                bytes += event.body.count
                result.events.append(event)
                return true
            } damaged: { position in
                guard !isFull() else { return false }
                look(at: position)
                rows += 1
                self.noteDamage(at: position, in: &result)
                return true
            }
            // The last rows may be of conversations that were erased, and positions need not have a row.
            if !result.hasMore { result.reached = max(request.after, Position(head)) }
            return result
        }
    }

    private func noteDamage(at position: Int64, in result: inout ReadResult) {
        reporter.note(.damagedRow, "the row at position \(position) is damaged and left out")
        result.damaged.append(Position(position))
    }
}
