import RoostClient
import RoostStore
import RoostWire

/// Asks the relay to mark messages as unread.
enum UnreadQuestion {
    static func mark(
        _ id: TimelineItem.ID, in destination: String, _ engine: isolated Engine
    ) async throws {
        let message = try engine.desk.stored(id, in: destination)
        let (client, conversation, sequence) = (engine.client, message.conversation, message.sequence)
        try await engine.patience { () throws(RoostFailure) in
            try await client.unreadMarks.mark(sequence, in: conversation)
        }
    }
}
