import RoostWire

/// An operator's work on the links that make contacts of a user, or members of a group. The relay has them, and judges
/// them as if the user had asked. Each act is written to the audit log before it is done. It knows no HTTP. A value.
struct InvitationDesk: Sendable {
    /// An invitation to make.
    struct Wanted: Sendable {
        /// The group; nil for a link that makes contacts.
        var conversation: String?
        /// Number of uses, and lifetime; nil for the relay's defaults.
        var uses: Int64?
        /// See `uses`.
        var milliseconds: Int64?
    }

    let operators: Operators
    let relay: any RelayCommands

    /// Those of the user that can still be opened, as the relay writes them.
    func list(of user: String) async throws(ServiceFault) -> [UInt8] {
        let reply = try await relay.carryOut(RelayCommand(.invites, [.init(name: "as", text: user)]))
        guard let invites = reply.members.value("invites") else { throw InvitationDesk.unreadable }
        return Array(invites.raw)
    }

    /// Makes one as the user. Returns the link, which can't be read again, and the invitation.
    func make(
        _ wanted: Wanted, of user: String, by caller: Operators.Caller
    ) async throws(ServiceFault) -> (link: String, invite: JSONMembers) {
        try await operators.note(
            AuditEntry(
                actor: caller.name, act: .invite, user: user,
                detail: wanted.conversation.map { "to group \($0)" } ?? "to chat"))
        var members = [RelayCommand.Member(name: "as", text: user)]
        if let conversation = wanted.conversation { members.append(.init(name: "conversation", text: conversation)) }
        if let uses = wanted.uses { members.append(.init(name: "uses", number: uses)) }
        if let time = wanted.milliseconds { members.append(.init(name: "after", number: time)) }
        // If it is made twice, there is one with a lost code: it ends by itself.
        let reply = try await relay.carryOut(RelayCommand(.createInvite, members, isRepeatable: false))
        guard let invite = reply.members.object("invite"), let code = invite.string("code") else {
            throw InvitationDesk.unreadable
        }
        return ("\(operators.accounts.settings.publicURL)/#invite=\(code)", invite)
    }

    /// Ends one of the user's.
    func revoke(_ invite: String, of user: String, by caller: Operators.Caller) async throws(ServiceFault) {
        try await operators.note(AuditEntry(actor: caller.name, act: .uninvite, user: user, detail: invite))
        _ = try await relay.carryOut(
            RelayCommand(.revokeInvite, [.init(name: "as", text: user), .init(name: "invite", text: invite)]))
    }

    private static let unreadable = ServiceFault(.unavailable, "the relay's answer lacks what it promises")
}
