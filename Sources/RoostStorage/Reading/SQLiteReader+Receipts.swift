import RoostCore
import RoostWire

extension SQLiteReader {
    /// When members got a message, and read it.
    func receipts(_ request: ReceiptsRequest, ticket: UInt64) throws -> ReadResult {
        try transact {
            var result = ReadResult(ticket: ticket)
            for user in request.users {
                guard let marks = try receiptTable.marks(of: user, in: request.conversation) else { continue }
                result.receipts.append(
                    ReceiptTimes(
                        user, delivered: marks.delivered.find(request.sequence),
                        read: marks.read.find(request.sequence)))
            }
            return result
        }
    }
}
