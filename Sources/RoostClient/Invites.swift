public import RoostWire

/// Links by which others become the user's contacts, or join a group. Get it from a client's `invites`.
public struct Invites: Sendable {
    let client: ChatClient

    /// Makes a link. Only this answer has the code.
    /// - Parameters:
    ///   - conversation: a group of which the user is the owner or an admin; nil for a link that makes contacts.
    ///   - kind: the relation of new contacts; nil for the relay's first kind. Not with a conversation.
    ///   - uses: number of users who may open it, at most 1,000; nil for one.
    ///   - life: its lifetime, at most 30 days; nil for a week.
    public func create(
        conversation: String? = nil, kind: String? = nil, uses: Int? = nil, life: Duration? = nil
    ) async throws(RoostFailure) -> Invite {
        try await client.request(.createInvite) { command in
            if let conversation { command.member("conversation", conversation) }
            if let kind { command.member("kind", kind) }
            if let uses { command.member("uses", Int64(uses)) }
            if let life { command.member("after", Int64(life / .milliseconds(1))) }
        } _: {
            $0.object("invite").flatMap(Invite.init(reading:))
        }
    }

    /// The user's own that can still be opened.
    public func list() async throws(RoostFailure) -> [Invite] {
        try await client.request(.invites) { _ in
        } _: {
            $0.objects("invites").map { $0.compactMap(Invite.init(reading:)) }
        }
    }

    /// Ends one of the user's own.
    public func revoke(_ id: String) async throws(RoostFailure) {
        try await client.request(.revokeInvite) { $0.member("invite", id) }
    }

    /// Returns the inviter and the target of an invitation.
    public func show(_ code: String) async throws(RoostFailure) -> Invitation {
        try await client.request(.showInvite) {
            $0.member("code", code)
        } _: {
            Invitation(reading: $0)
        }
    }

    /// Opens an invitation: the user becomes a contact of its creator, or joins the group.
    /// - Returns: the conversation, or that the user waits until an admin of the group accepts.
    public func open(_ code: String) async throws(RoostFailure) -> OpenedInvitation {
        try await client.request(.openInvite) {
            $0.member("code", code)
        } _: {
            OpenedInvitation(reading: $0)
        }
    }

    /// Returns the users who wait to join a group. For its owner and admins.
    public func waiting(for conversation: String) async throws(RoostFailure) -> [JoinRequest] {
        try await client.request(.joins) {
            $0.member("conversation", conversation)
        } _: {
            $0.objects("joins").map { $0.compactMap(JoinRequest.init(reading:)) }
        }
    }

    /// The groups that the user itself waits for.
    public func awaited() async throws(RoostFailure) -> [AwaitedGroup] {
        try await client.request(.joins) { _ in
        } _: {
            $0.objects("joins").map { $0.compactMap(AwaitedGroup.init(reading:)) }
        }
    }

    /// Accepts or refuses a user who waits to join a group.
    /// - Throws: `RoostFailure.refused` with `not_found` if the user doesn't wait any more.
    @discardableResult
    public func answer(
        _ user: String, in conversation: String, isAccepted: Bool
    ) async throws(RoostFailure) -> Answer {
        try await client.request(isAccepted ? .acceptJoin : .refuseJoin) { command in
            command.member("conversation", conversation)
            command.member("user", user)
        } _: {
            Answer(reading: $0)
        }
    }
}

extension ChatClient {
    /// Links by which others become the user's contacts, or join a group.
    public nonisolated var invites: Invites { Invites(client: self) }
}
