import RoostClient
import RoostStore
import RoostWire

/// Changes to a conversation at the relay that take effect here at once.
enum GroupChange {
    /// Creates a group, and knows it at once.
    static func create(
        _ name: String, members: [String], key: String, _ engine: isolated Engine
    ) async throws -> String {
        let made = try await engine.patience { () throws(RoostFailure) in
            try await engine.client.createGroup(name, members: members, key: key)
        }
        try engine.desk.store.take(made.conversation)
        try note(.created, made.answer, in: made.conversation.id, engine)
        engine.desk.tell([made.conversation.id])
        return made.conversation.id
    }

    /// Follows an invitation, and knows the conversation at once; nil if its admins have to let the user in.
    static func open(_ code: String, _ engine: isolated Engine) async throws -> String? {
        let opened = try await engine.patience { () throws(RoostFailure) in
            try await engine.client.invites.open(code)
        }
        guard case .conversation(let made) = opened else { return nil }
        try engine.desk.store.take(made.conversation)
        engine.desk.tell([made.conversation.id])
        return made.conversation.id
    }

    /// Changes a group, and then asks for its new state.
    /// - Parameters:
    ///   - event: the line that others see between messages; nil if there is none.
    ///   - change: returns the relay's answer.
    static func change(
        _ id: String, _ event: ConversationLine.Event?, _ engine: isolated Engine,
        _ change: @Sendable (ChatClient) async throws(RoostFailure) -> Answer?
    ) async throws {
        try await self.change(id, engine, { _ in event }, change)
    }

    /// The same for an event that depends on when it happened.
    static func change(
        _ id: String, _ engine: isolated Engine, _ event: @Sendable (Timestamp) -> ConversationLine.Event?,
        _ change: @Sendable (ChatClient) async throws(RoostFailure) -> Answer?
    ) async throws {
        let answer = try await engine.patience { () throws(RoostFailure) in try await change(engine.client) }
        let summary = try await engine.patience { () throws(RoostFailure) in try await engine.client.conversation(id) }
        try engine.desk.store.take(summary)
        if let answer, let event = event(answer.time ?? .never) { try note(event, answer, in: id, engine) }
        engine.desk.tell([id])
    }

    // A change without an effect has no place. Only the first answer names the added users.
    private static func note(
        _ event: ConversationLine.Event, _ answer: Answer, in id: String, _ engine: isolated Engine
    ) throws {
        let store = engine.desk.store
        guard let position = answer.position, let time = answer.time, let user = store.identity.user else { return }
        var event = event
        if case .added = event, !answer.added.isEmpty {
            event = .added(users: answer.added, count: answer.added.count)
        }
        try store.lines.note(event, by: user, in: id, at: position, time)
    }

    /// Leaves a group, or hides a direct conversation.
    static func leave(_ id: String, _ engine: isolated Engine) async throws {
        try await engine.patience { () throws(RoostFailure) in try await engine.client.leave(id) }
        try engine.desk.store.forget(id)
        engine.desk.tell([id])
    }
}
