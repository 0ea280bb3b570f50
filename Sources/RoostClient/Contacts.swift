public import RoostWire

/// What a user has to do with other people.
public struct Contacts: Sendable {
    let client: ChatClient

    /// Nothing passes between the user and these others any more. They aren't told.
    public func block(_ users: [String]) async throws(RoostFailure) {
        try await client.request(.block) { $0.list("users", users) }
    }

    /// Tells the operators of another user, who isn't told.
    public func report(
        _ user: String, _ reason: ReportReason, text: String? = nil
    ) async throws(RoostFailure) {
        try await client.request(.report) { command in
            command.member("user", user)
            command.member("reason", word: reason.word)
            if let text { command.member("text", text) }
        }
    }

    /// Tells the operators of a message.
    public func report(
        _ sequence: SequenceNumber, of conversation: String, _ reason: ReportReason, text: String? = nil
    ) async throws(RoostFailure) {
        try await client.request(.report) { command in
            command.member("conversation", conversation)
            command.member("sequence", sequence.value)
            command.member("reason", word: reason.word)
            if let text { command.member("text", text) }
        }
    }

    /// Takes blocks away. What was hidden is in the history again.
    public func unblock(_ users: [String]) async throws(RoostFailure) {
        try await client.request(.unblock) { $0.list("users", users) }
    }
}

extension ChatClient {
    /// What the user has to do with other people.
    public nonisolated var contacts: Contacts { Contacts(client: self) }
}
