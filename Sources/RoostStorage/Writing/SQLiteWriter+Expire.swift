import RoostCore
import RoostWire

extension SQLiteWriter {
    /// Erases the bodies of messages that are older or more than the operator wants to keep. Looks at no more than
    /// `limit` rows. Runs inside a transaction. Returns whether there may be more to do.
    func expire(rows limit: Int) throws -> Bool {
        guard expiry.isDue, let old = try expiry.next(rows: limit) else { return false }
        var erased = 0
        for position in old {
            // One that is damaged is left as it is.
            guard case .row(var row) = try log.find(at: position), row.event.kind == .message,
                row.event.deletedAt == .never
            else { continue }
            row.event.deletedAt = Timestamp(milliseconds: expiry.now)
            try replaceBody(of: &row, with: [])
            erased += 1
        }
        gauges.update { $0.expiredMessages += erased }
        return true
    }
}
