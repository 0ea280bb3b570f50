import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Erases the bodies of messages that are older or more than the operator wants to keep. Runs inside a transaction.
    /// Returns whether there may be more to do.
    func expire(_ piece: Expiry.Piece) throws -> Bool {
        guard expiry.isDue, let old = try expiry.next(piece) else { return false }
        for message in old {
            // One that is damaged is left as it is.
            guard case .row(var row) = try log.find(at: message.position), row.event.kind == .message else { continue }
            expiry.settle(message, bytes: row.event.body.count)
            guard row.event.deletedAt == .never else { continue }
            row.event.deletedAt = Timestamp(milliseconds: expiry.now)
            row.event.extras = row.event.extras.ofTombstone
            try replaceBody(of: &row, with: [])
            expiry.erased += 1
        }
        return true
    }
}
