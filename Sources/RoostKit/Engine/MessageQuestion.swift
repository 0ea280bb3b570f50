import RoostClient
import RoostStore
import RoostWire

/// Questions about the messages of a conversation that don't move a window.
enum MessageQuestion {
    /// Times at which members read a message, if they share receipts; from the relay, or as known on this device.
    static func readers(
        of sequence: SequenceNumber, in destination: String, _ engine: isolated Engine
    ) async throws -> [(user: String, time: Timestamp?)] {
        guard let conversation = try engine.desk.store.conversation(destination)?.id else { return [] }
        do {
            var (readers, after) = ([(user: String, time: Timestamp?)](), String?.none)
            repeat {
                let from = after
                let page = try await engine.patience { () throws(RoostFailure) in
                    try await engine.client.receipts.page(of: sequence, in: conversation, after: from, limit: 100)
                }
                readers += page.receipts.filter(\.isRead).map { ($0.user, $0.readAt) }
                after = page.next
            } while after != nil
            return readers
        } catch is RoostFailure {
            let marks = try engine.desk.store.watermarks(of: conversation)
            return marks.filter { $0.read >= sequence }.map { ($0.user, $0.readAt) }
        }
    }

    /// The messages of a conversation in which a text occurs, newest first: of those on this device, the newest 10,000.
    static func search(
        _ text: String, in destination: String, _ engine: isolated Engine
    ) throws -> [TimelineMessage] {
        guard !text.isEmpty, let conversation = try engine.desk.store.conversation(destination) else { return [] }
        let wanted = text.lowercased()
        var found: [LocalMessage] = []
        var below = SequenceNumber(.max)
        for _ in 0..<20 {
            let page = try engine.desk.store.messages(of: conversation.id, below: below, limit: 500)
            guard let first = page.first else { break }
            found += page.reversed().filter { $0.body?.text?.lowercased().contains(wanted) ?? false }
            if found.count >= 100 { break }
            below = first.sequence
        }
        let builder = try TimelineBuilder(destination, conversation, in: engine.desk.store)
        return found.prefix(100).map(builder.row)
    }
}
