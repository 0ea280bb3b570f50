import RoostClient
import RoostStore
public import RoostWire

/// Links by which others become the user's contacts, or join a group. Nothing of them is kept on the device; each call
/// needs a session. Get it from ``Roost/invitations``.
public struct Invitations: Sendable {
    let engine: Engine

    /// Makes a link. Only this answer contains its code: put it behind `#invite=` of the chat page's address.
    /// - Parameters:
    ///   - conversation: a group of which the user is the owner or an admin; nil for a link that makes contacts.
    ///   - kind: the new contact's relation to the user; nil for the relay's first kind. Not with a conversation.
    ///   - uses: how many may open it, at most 1,000.
    ///   - life: how long it is valid, at most 30 days; nil for a week.
    /// - Throws: `RoostFailure`, if there is no session or the relay refuses it.
    public func create(
        conversation: String? = nil, kind: String? = nil, uses: Int = 1, life: Duration? = nil
    ) async throws -> Invite {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.invites.create(conversation: conversation, kind: kind, uses: uses, life: life)
        }
    }

    /// The user's own links that can still be opened.
    /// - Throws: `RoostFailure`, if there is no session.
    public func list() async throws -> [Invite] {
        try await engine.patience { [engine] () throws(RoostFailure) in try await engine.client.invites.list() }
    }

    /// Ends one of the user's own links. Nothing happens if there is none of this id.
    /// - Throws: `RoostFailure`, if there is no session.
    public func revoke(_ id: String) async throws {
        try await engine.patience { [engine] () throws(RoostFailure) in try await engine.client.invites.revoke(id) }
    }

    /// Returns the inviter and the target of a link.
    /// - Throws: `RoostFailure.refused` with `not_found` if the link can't be used, or can't be used any more.
    public func show(_ code: String) async throws -> Invitation {
        try await engine.patience { [engine] () throws(RoostFailure) in try await engine.client.invites.show(code) }
    }

    /// Opens a link: the user becomes a contact of its creator, or joins the group.
    /// - Returns: the id of the conversation, which comes to the list by itself; nil if an admin of the group has to
    ///   accept the user. Then it comes after that.
    /// - Throws: `RoostFailure.refused` with `not_found` if the link can't be used, or can't be used any more.
    public func open(_ code: String) async throws -> String? {
        try await GroupChange.open(code, engine)
    }

    /// Returns the users who wait to join a group of which the user is the owner or an admin. `waiting` of the
    /// conversation is their number.
    public func waiting(for conversation: String) async throws -> [JoinRequest] {
        try await engine.patience { [engine] () throws(RoostFailure) in
            try await engine.client.invites.waiting(for: conversation)
        }
    }

    /// The groups that the user itself waits for.
    public func awaited() async throws -> [AwaitedGroup] {
        try await engine.patience { [engine] () throws(RoostFailure) in try await engine.client.invites.awaited() }
    }

    /// Accepts or refuses a user who waits to join a group.
    public func answer(_ user: String, in conversation: String, isAccepted: Bool) async throws {
        let line = isAccepted ? ConversationLine.Event.added(users: [user], count: 1) : nil
        try await GroupChange.change(conversation, line, engine) { client throws(RoostFailure) in
            try await client.invites.answer(user, in: conversation, isAccepted: isAccepted)
        }
    }
}

extension Roost {
    /// Links by which others become the user's contacts, or join a group.
    public nonisolated var invitations: Invitations { Invitations(engine: engine) }
}
