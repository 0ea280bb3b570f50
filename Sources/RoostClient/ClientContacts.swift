public import RoostWire

/// The user's contacts, blocks and reports.
public struct ClientContacts: Sendable {
    let client: ChatClient

    // MARK: Contacts

    /// Invites a user to become a contact, or accepts if that user has invited this one. Invited again, a contact gets
    /// the new label.
    /// - Parameters:
    ///   - kind: the other's relation to this user; nil for the relay's first kind.
    ///   - label: a note of at most 256 bytes that only this user sees; empty to remove it.
    /// - Throws: `RoostFailure.refused` with `blocked` if this user has blocked the other, `conflict` if an invitation
    ///   of another kind waits, `too_large` or `rate_limited` if there are too many.
    @discardableResult
    public func invite(
        _ user: String, kind: String? = nil, label: String? = nil
    ) async throws(RoostFailure) -> Contact {
        try await client.request(.invite) { command in
            command.member("user", user)
            if let kind { command.member("kind", kind) }
            if let label { command.member("label", label) }
        } _: { members in
            members.object("contact").flatMap(Contact.init(reading:))
        }
    }

    /// Accepts a user's invitation.
    @discardableResult
    public func accept(_ user: String, label: String? = nil) async throws(RoostFailure) -> Contact {
        try await client.request(.acceptContact) { command in
            command.member("user", user)
            if let label { command.member("label", label) }
        } _: { members in
            members.object("contact").flatMap(Contact.init(reading:))
        }
    }

    /// Declines a user's invitation.
    public func decline(_ user: String) async throws(RoostFailure) {
        try await client.request(.declineContact) { $0.member("user", user) }
    }

    /// Ends a contact, takes an invitation back, or declines one.
    public func remove(_ user: String) async throws(RoostFailure) {
        try await client.request(.removeContact) { $0.member("user", user) }
    }

    /// Returns a page of contacts and invitations. `next` of one page is `after` of the following one.
    public func list(
        _ state: ContactState? = nil, after: String? = nil, limit: Int? = nil
    ) async throws(RoostFailure) -> ContactPage {
        try await client.request(.contacts) { command in
            if let state { command.member("state", word: state.word) }
            if let after { command.member("after", after) }
            if let limit { command.member("limit", Int64(limit)) }
        } _: {
            ContactPage(reading: $0)
        }
    }

    // MARK: Blocks and reports

    /// Blocks these users: no messages pass in either direction. The server doesn't notify them.
    public func block(_ users: [String]) async throws(RoostFailure) {
        try await client.request(.block) { $0.list("users", users) }
    }

    /// Reports another user to the operators. The reported user isn't notified.
    public func report(
        _ user: String, _ reason: ReportReason, text: String? = nil
    ) async throws(RoostFailure) {
        try await client.request(.report) { command in
            command.member("user", user)
            command.member("reason", word: reason.word)
            if let text { command.member("text", text) }
        }
    }

    /// Reports a message to the operators.
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

    /// Removes blocks. Hidden messages are in the history again.
    public func unblock(_ users: [String]) async throws(RoostFailure) {
        try await client.request(.unblock) { $0.list("users", users) }
    }
}

extension ChatClient {
    /// The user's contacts, blocks and reports.
    public nonisolated var contacts: ClientContacts { ClientContacts(client: self) }
}
