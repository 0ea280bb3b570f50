import RoostWire

/// Invitations in the name of a user. The token needs the scope `service`.
extension OperatorClient {
    /// Makes a link for a user that makes contacts, or members of a group that the user leads.
    /// - Parameters:
    ///   - conversation: the group; nil for a link that makes contacts.
    ///   - uses: number of users who may open it, at most 1,000; nil for one.
    ///   - life: its lifetime, at most 30 days; nil for a week.
    public func createInvite(
        of user: String, to conversation: String? = nil, uses: Int? = nil, life: Duration? = nil
    ) async throws(RoostFailure) -> Reply {
        try await ask(.createInvite) { command in
            command.member("as", user)
            if let conversation { command.member("conversation", conversation) }
            if let uses { command.member("uses", Int64(uses)) }
            if let life { command.member("after", Int64(life / .milliseconds(1))) }
        }
    }

    /// The user's own that can still be opened.
    public func invites(of user: String) async throws(RoostFailure) -> Reply {
        try await ask(.invites) { $0.member("as", user) }
    }

    /// Ends one of the user's own.
    public func revokeInvite(_ id: String, of user: String) async throws(RoostFailure) -> Reply {
        try await ask(.revokeInvite) { command in
            command.member("as", user)
            command.member("invite", id)
        }
    }
}
