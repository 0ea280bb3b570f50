import RoostWire

/// Invitations.
extension CommandDecoder {
    func readInviteCommand(_ type: CommandType) throws(Refusal) -> InviteCommand {
        switch type {
        case .createInvite: try readCreateInvite()
        case .invites: .list
        case .revokeInvite: .revoke(id: try members.name(.invite))
        case .showInvite: .show(code: try members.name(.code))
        case .openInvite: .open(code: try members.name(.code))
        case .joins: .joins(conversation: try members.optional(.conversation, members.conversation))
        case .acceptJoin, .refuseJoin:
            .answerJoin(
                conversation: try members.conversation(.conversation), user: try members.user(.user),
                isAccepted: type == .acceptJoin)
        default: throw Refusal(.unknownType, "unknown command type")
        }
    }

    private func readCreateInvite() throws(Refusal) -> InviteCommand {
        let limits = members.limits
        let conversation = try members.optional(.conversation, members.conversation)
        guard conversation == nil || members.value(.kind) == nil else {
            throw members.refusal(.kind, "and conversation must not be used together")
        }
        let uses = try members.optional(.uses) { member throws(Refusal) in
            Int(try members.whole(member, 1...Int64(max(1, limits.inviteUsesMax))))
        }
        let milliseconds = try members.optional(.after) { member throws(Refusal) in
            try members.whole(member, 1...max(1, limits.inviteLifeMaxMilliseconds))
        }
        return .create(
            conversation: conversation, kind: try members.optional(.kind, members.kind), uses: uses,
            milliseconds: milliseconds)
    }
}
