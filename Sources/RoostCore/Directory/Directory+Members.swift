import RoostWire

/// Who comes and goes by an event that is stored, and what is known in advance of those under way.
extension Directory {
    /// The users are members from the event at `position` on. What was said before is not unread to them.
    func admit(_ members: [NewMember], to conversation: Conversation, at position: Position) {
        for new in members {
            guard let user = user(new.user) else { continue }
            var watermark = Watermark()
            watermark.read = conversation.lastSequence
            watermark.delivered = conversation.lastSequence
            let member = Member(
                user, of: conversation, role: new.role, since: new.since, joinedAt: position, watermark: watermark)
            conversation.admit(member)
            user.join(member)
        }
        pairUp(conversation)
    }

    /// The users are no members any more; they are still owed what came up to `position`.
    /// - Returns: their memberships, for those who have to end what hung on them.
    func dismiss(_ users: [UserNumber], from conversation: Conversation, at position: Position) -> [Member] {
        if let pair = conversation.pair, let low = user(pair.low), let high = user(pair.high) { low.part(from: high) }
        let gone = conversation.dismiss(users)
        for member in gone {
            member.user.leave(
                conversation.number,
                Departure(joinedAt: member.joinedAt, leftAt: position, since: member.since))
        }
        return gone
    }

    /// The last member left: nothing is kept of the conversation.
    /// - Returns: what `dismiss` returns.
    func erase(_ conversation: Conversation, at position: Position) -> [Member] {
        let gone = dismiss(conversation.members.map(\.user.number), from: conversation, at: position)
        for number in conversation.formerMembers { user(number)?.forgetDeparture(conversation.number) }
        remove(conversation)
        return gone
    }

    /// The two of a direct conversation watch each other as long as both are members.
    func pairUp(_ conversation: Conversation) {
        guard conversation.pair != nil, conversation.members.count == 2 else { return }
        conversation.members[0].user.pair(with: conversation.members[1].user)
    }

    // MARK: Under way

    /// A change was handed in: those who will join count as members where the bound is kept, and everybody is judged
    /// by what becomes of them.
    func expect(_ change: ConversationChange, of conversation: Conversation) {
        switch change {
        case .create(_, _, _, let members), .add(let members):
            for member in members {
                conversation.expect(member.user, role: member.role)
                user(member.user)?.countJoining(1)
            }
        case .roles(let members):
            for member in members { conversation.expect(member.user, role: member.role) }
        case .remove(let users):
            for user in users { conversation.expect(user, role: nil) }
        case .leave(let user, let heir):
            conversation.expect(user, role: nil)
            if let heir { conversation.expect(heir, role: .owner) }
        case .erase:
            for member in conversation.standings() { conversation.expect(member.user, role: nil) }
            conversation.beginToEnd()
            disconnect(conversation)
        case .rename: return
        }
    }

    /// What became of a change is known: it counts for nothing any more in advance.
    func settle(_ change: ConversationChange, of conversation: Conversation?) {
        switch change {
        case .create(_, _, _, let members), .add(let members):
            for member in members {
                conversation?.settle(member.user)
                user(member.user)?.countJoining(-1)
            }
        case .roles(let members):
            for member in members { conversation?.settle(member.user) }
        case .remove(let users):
            for user in users { conversation?.settle(user) }
        case .leave(let user, let heir):
            conversation?.settle(user)
            if let heir { conversation?.settle(heir) }
        // Nothing comes after the end.
        case .rename, .erase: return
        }
    }
}
