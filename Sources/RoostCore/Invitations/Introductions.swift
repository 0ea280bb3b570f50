import RoostFraming
import RoostWire

/// Makes two users contacts and opens their direct conversation, because one came by a link of the other:
/// `admin.introduce`. It owns nothing. Loop thread only.
struct Introductions {
    let contacts: ContactCommands
    let conversations: ConversationCommands
    let prices: Prices

    init(_ contacts: ContactCommands, _ conversations: ConversationCommands, _ prices: Prices) {
        (self.contacts, self.conversations, self.prices) = (contacts, conversations, prices)
    }

    private var directory: Directory { conversations.directory }

    /// A service says that the user came by a link of the inviter's. Neither needs to have connected yet.
    func introduce(
        _ name: Text, to inviterName: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        guard name.string != inviterName.string else {
            throw Refusal(.badRequest, "inviter: this is the same user")
        }
        try reserve()
        let user = try directory.introduce(name.string)
        do throws(Refusal) {
            let inviter = try directory.introduce(inviterName.string)
            do throws(Refusal) {
                try directory.policy.checkThere([.known(user), .known(inviter)])
                try directory.policy.checkMeeting(of: inviter, with: user)
                try prices.pay(deliveries: 2 * (user.sessions.count + inviter.sessions.count), by: session, at: now)
                let kind = directory.policy.rules.contactKinds.first ?? ContactKind("friend")
                try join(
                    Speaker(user), inviter, as: (kind.other, kind.one), Asker(session: session, user: user, id: id),
                    now)
            } catch {
                directory.forgetIfNobody(inviter)
                throw error
            }
        } catch {
            directory.forgetIfNobody(user)
            throw error
        }
    }

    /// Checks that the log takes an event, and the queue of answers one more.
    func reserve() throws(Refusal) {
        try conversations.journal.reserve(0)
        try conversations.replies.held.reserve()
    }

    /// Makes the user and the inviter contacts, and opens their conversation. The answer is that of
    /// `conversation.create`. An existing contact or conversation stays as it is. Called after `reserve`; a refusal
    /// changes nothing.
    /// - Parameter kinds: the user's relation to the inviter, and the inviter's to the user.
    func join(
        _ speaker: Speaker, _ inviter: User, as kinds: (own: String, other: String), _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let user = speaker.user
        try directory.policy.checkMeeting(of: user, with: inviter)
        try contacts.checkRoom(for: user, and: inviter)
        let direct = directory.direct(user, inviter)
        guard let direct, direct.isAtRest, !direct.isVeiled(from: user.number) else {
            _ = try conversations.open(
                direct, with: .known(inviter), speaker, for: "", invitedBy: inviter, asker, asker.session, now)
            let news = contacts.acquaint(user, with: inviter, as: kinds, now)
            return conversations.replies.acceptOnceStored(nil, asker.session, announce: news, at: now)
        }
        let news = contacts.acquaint(user, with: inviter, as: kinds, now)
        if direct.isRequest {
            conversations.submit(.accept, of: direct, by: speaker, nil, now) {
                conversations.builder.member("event", word: "accepted")
            }
        }
        let end = direct.end(for: user.number)
        let created = Created(conversation: direct.number, position: end.position, time: end.time, isDuplicate: true)
        conversations.replies.answerOnceStored(asker.id, asker.session, announce: news, at: now) {
            conversations.queries.answerCreated(created, to: asker)
        }
    }
}
