import RoostStore
import RoostWire

/// Questions about one row, whether or not a window shows it.
enum RowQuestion {
    /// The row of a message, whether or not a window shows it; nil if there is none.
    static func row(_ id: TimelineItem.ID, in destination: String, _ desk: Desk) throws -> TimelineMessage? {
        let conversation = try desk.store.conversation(destination)
        let builder = try TimelineBuilder(destination, conversation, in: desk.store)
        if case .key(let key) = id, let item = desk.store.outbox.items.first(where: { $0.key == key && $0.isMessage }) {
            return builder.row(item)
        }
        guard case .stored(let sequence)? = try? desk.target(id, in: destination), let conversation else { return nil }
        return try desk.store.threads.message(sequence, in: conversation.id).map(builder.row)
    }

    /// The refused changes of a row or, if it has none and its message waits, the message: their numbers in the outbox,
    /// in order.
    static func refused(_ id: TimelineItem.ID, in destination: String, _ desk: Desk) throws -> [Int64] {
        let target = try desk.target(id, in: destination)
        if case .unsent(let item) = target {
            let changes = desk.store.outbox.items.filter { $0.target == target && $0.failure != nil }.map(\.id)
            return changes.isEmpty ? [item] : changes
        }
        let conversation = try desk.store.resolved(destination)
        return desk.store.outbox.items.filter {
            [destination, conversation].contains($0.destination) && $0.target == target && !$0.isMessage
                && $0.failure != nil
        }.map(\.id)
    }
}
