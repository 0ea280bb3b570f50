import RoostWire

/// Members who come or leave by a stored event, and what is assumed while the event is under way.
extension Directory {
    /// Makes the users members from the event at `position` on. Earlier messages don't count as unread for them.
    func admit(
        _ members: [NewMember], to conversation: Conversation, at position: Position, _ settled: borrowing Settled
    ) {
        if conversation.isUnstored { conversation.opener?.countOpening(-1) }
        counters.steps += members.count
        conversation.reserve(members.count)
        for new in members {
            invites.settle(new.user, joining: conversation.number, isStored: true, journal)
            // A user who is a member already stays one as before, in the store too.
            guard let user = user(new.user), conversation.member(new.user) == nil else { continue }
            let member = Member(
                user, of: conversation, role: new.role, since: new.since(after: conversation.lastSequence),
                joinedAt: position, joinedAfter: conversation.lastSequence, isOwn: conversation.opener === user)
            conversation.admit(member, settled)
            user.join(member)
        }
        pairUp(conversation)
    }

    /// Ends the users' memberships. They still get the events up to `position`.
    /// - Returns: their memberships, for callers that must end what depended on them.
    func dismiss(
        _ users: [UserNumber], from conversation: Conversation, at position: Position, _ settled: borrowing Settled
    ) -> [Member] {
        if let pair = conversation.pair, let low = user(pair.low), let high = user(pair.high) { low.part(from: high) }
        counters.steps += users.count
        let gone = conversation.dismiss(users, settled)
        for member in gone {
            member.user.leave(
                conversation.number,
                Departure(joinedAt: member.joinedAt, leftAt: position, since: member.since))
        }
        return gone
    }

    /// The last member left, so nothing is kept of the conversation.
    /// - Returns: as `dismiss`.
    func erase(_ conversation: Conversation, at position: Position, _ settled: borrowing Settled) -> [Member] {
        let gone = dismiss(conversation.members.map(\.user.number), from: conversation, at: position, settled)
        remove(conversation)
        return gone
    }

    /// Forgets that the user was in a conversation that was erased.
    func forgetDeparture(of number: UserNumber, from conversation: ConversationNumber) {
        guard let user = user(number) else { return }
        user.forgetDeparture(conversation)
        forgetIfNobody(user)
    }

    /// The sender of a stored event has acted in the conversation. From now on it counts as the sender's own, and no
    /// longer as unanswered.
    @inline(__always)
    func noteAnswer(by number: UserNumber, in conversation: Conversation) {
        guard let member = conversation.member(number), !member.isOwn else { return }
        noteFirstAnswer(of: member)
    }

    private func noteFirstAnswer(of member: Member) {
        let conversation = member.conversation
        member.user.answer(member)
        journal.store(.answered(conversation.number, member.user.number))
        guard conversation.opener !== member.user, !conversation.isAnswered else { return }
        conversation.opening.isAnswered = true
        conversation.opener?.countUnanswered(-1)
    }

    /// Gives members new roles. Users who aren't members are left alone.
    func setRoles(_ changes: [NewMember], in conversation: Conversation) {
        for change in changes { conversation.setRole(change.role, of: change.user) }
    }

    /// The two users of a direct conversation watch each other as long as both are members, once both want it.
    func pairUp(_ conversation: Conversation) {
        guard conversation.pair != nil, conversation.members.count == 2, !conversation.isRequest else { return }
        let (one, other) = (conversation.members[0].user, conversation.members[1].user)
        one.pair(with: other)
        one.veil(other.number, conversation.isVeiled(from: one.number))
        other.veil(one.number, conversation.isVeiled(from: other.number))
    }

    // MARK: Under way

    /// A change was handed to the writer. Users who will join count as members for the bounds, and commands are judged
    /// by the new standing.
    /// - Parameter isCertain: it will be stored if anything is: it has no key that may have been used before.
    func expect(_ change: ConversationChange, of conversation: Conversation, isCertain: Bool) {
        switch change {
        case .create(_, _, _, let members), .add(let members):
            conversation.reserveChanges(members.count)
            for member in members {
                // A direct conversation that is opened counts as open, so that signs of typing can follow the message.
                let isCertain = isCertain || conversation.pair != nil && conversation.isRoleCertain(of: member.user)
                conversation.expect(member.user, role: member.role, isCertain: isCertain)
                user(member.user)?.countJoining(1)
            }
        case .roles(let members):
            for member in members { conversation.expect(member.user, role: member.role, isCertain: isCertain) }
        case .remove(let users):
            conversation.reserveChanges(users.count)
            for user in users { conversation.expect(user, role: nil, isCertain: isCertain) }
        case .leave(let user, let heir):
            conversation.expect(user, role: nil, isCertain: isCertain)
            if let heir { conversation.expect(heir, role: .owner, isCertain: isCertain) }
        case .erase:
            for member in conversation.standings() {
                conversation.expect(member.user, role: nil, isCertain: isCertain)
            }
            conversation.beginToEnd()
            if isCertain { disconnect(conversation) }
        case .rename, .describe: conversation.expectAppearance()
        case .restrict(let user, let restriction):
            conversation.moderation.expect(restriction, of: user)
            if change.banned != nil { conversation.expect(user, role: nil, isCertain: isCertain) }
        case .slow(let time): conversation.moderation.pace.expect(time)
        case .joining(let rule): conversation.moderation.joining.expect(rule)
        case .accept: conversation.opening.request?.acceptsUnderWay += 1
        // The log judges the pins.
        case .expiry, .pin, .unpin: return
        }
    }

    /// Checks that what a command is judged by doesn't depend on a change under way whose key may have been used
    /// before.
    /// - Throws: `busy`.
    func check(isCertain: Bool) throws(Refusal) {
        guard !isCertain else { return }
        throw Refusal(
            .busy, "a change on its way to the log may be a retry; this command depends on it",
            retryAfterMilliseconds: retryMilliseconds)
    }

    /// The outcome of a change is known, so it no longer counts in advance.
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
        case .rename, .describe: conversation?.settleAppearance()
        case .restrict(let user, _):
            conversation?.moderation.settle(user)
            if change.banned != nil { conversation?.settle(user) }
        case .slow: conversation?.moderation.pace.settleChange()
        case .joining: conversation?.moderation.joining.settle()
        case .accept: conversation?.opening.request?.acceptsUnderWay -= 1
        // Commands aren't judged by those, and no change can follow the last.
        case .expiry, .pin, .unpin, .erase: return
        }
    }

    // MARK: Pages

    /// A page names a user who was on no page before it.
    static let notANext = Refusal(.badRequest, "after: not a `next` of an earlier page")

    /// Where the page of members begins that follows the one which ended with this user.
    /// - Throws: `badRequest`.
    func ordinal(after user: User, in conversation: Conversation) throws(Refusal) -> Int64 {
        if let member = conversation.member(user.number) { return member.ordinal + 1 }
        // A user who left meanwhile joined with others, and some of those may come again.
        if let left = user.departures[conversation.number] { return conversation.ordinal(from: left.joinedAt) }
        throw Directory.notANext
    }
}
