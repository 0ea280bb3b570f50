import RoostCore
import RoostWire

/// Erases messages whose time has come, for the writer and in its transaction.
struct Disappearance {
    private let writer: SQLiteWriter

    init(_ writer: SQLiteWriter) { self.writer = writer }

    /// Erases the bodies of the oldest ones. Rows of conversations that were erased are left to `purge`, and damaged
    /// ones as they are.
    func outcome(upTo time: Timestamp) throws -> Outcome {
        let directory = writer.directory
        var gone: [ExpiredMessage] = []
        var changed: Set<Int32> = []
        for entry in try directory.expiring.take(upTo: time, limit: Limits().expiredAtOnce) {
            guard case .row(var row) = try writer.log.find(at: entry.position), row.event.kind == .message,
                let conversation = directory.conversation(row.event.conversation.value)
            else { continue }
            let expires = Timestamp(milliseconds: entry.expires)
            gone.append(ExpiredMessage(row.event.conversation, row.event.sequence, expires))
            conversation.gone.insert(row.event.sequence)
            changed.insert(row.event.conversation.value)
            guard row.event.deletedAt == .never else { continue }
            row.event.deletedAt = expires
            row.event.extras = row.event.extras.ofTombstone
            try writer.replaceBody(of: &row, with: [])
        }
        for number in changed.sorted() { try directory.saveGone(of: number) }
        if !gone.isEmpty { writer.checkpoints.erasedTexts.note(within: writer.bounds.disappearedMilliseconds) }
        return .expired(gone, next: try directory.expiring.next())
    }
}
