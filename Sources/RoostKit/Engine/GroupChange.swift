import RoostClient
import RoostStore
import RoostWire

/// What a user changes of a conversation at the relay, and is known here at once.
enum GroupChange {
    /// Creates a group, and knows it at once.
    static func create(
        _ name: String, members: [String], key: String, _ engine: isolated Engine
    ) async throws -> String {
        let made = try await engine.patience { () throws(RoostFailure) in
            try await engine.client.createGroup(name, members: members, key: key)
        }
        try engine.desk.store.take(made.conversation)
        engine.desk.tell([made.conversation.id])
        return made.conversation.id
    }

    /// Changes a group, and then asks how it is.
    static func change(
        _ id: String, _ engine: isolated Engine,
        _ change: @Sendable (ChatClient) async throws(RoostFailure) -> Void
    ) async throws {
        try await engine.patience { () throws(RoostFailure) in try await change(engine.client) }
        let summary = try await engine.patience { () throws(RoostFailure) in try await engine.client.conversation(id) }
        try engine.desk.store.take(summary)
        engine.desk.tell([id])
    }

    /// Leaves a group, or hides a direct conversation.
    static func leave(_ id: String, _ engine: isolated Engine) async throws {
        try await engine.patience { () throws(RoostFailure) in try await engine.client.leave(id) }
        try engine.desk.store.forget(id)
        engine.desk.tell([id])
    }
}
