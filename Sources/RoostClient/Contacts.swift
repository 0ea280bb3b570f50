import RoostWire

/// What a user has to do with other people.
public struct Contacts: Sendable {
    let client: ChatClient

    /// Nothing passes between the user and these others any more. They aren't told.
    public func block(_ users: [String]) async throws(RoostFailure) {
        try await client.request(.block) { $0.list("users", users) }
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
