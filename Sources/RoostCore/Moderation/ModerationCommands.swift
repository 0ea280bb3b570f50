import RoostFraming
import RoostWire

/// `conversation.ban`, `.unban`, `.timeout`, `.posting`, `.slow` and `.joining`. The log knows whether they change
/// anything. It owns nothing. Loop thread only.
struct ModerationCommands {
    typealias Actor = ConversationCommands.Actor

    let conversations: ConversationCommands
    private var directory: Directory { conversations.directory }
    private var builder: FrameBuilder { conversations.builder }
    private var restrictionsMax: Int { conversations.bounds.restrictions }

    /// Bans a present or former member: other users are unknown here, and no number of theirs is kept for it.
    func ban(
        _ name: Text, _ reason: ReportReason?, in conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        let other = try person(named: name, besides: by)
        let standing = try conversations.standing(of: other, in: conversation)
        let wasMember = conversation.member(other.number) != nil || other.departures[conversation.number] != nil
        guard standing != nil || wasMember else { throw Self.wasNoMember }
        if let standing { try directory.policy.checkRemoval(of: standing, by: by.role) }
        let ban = StoredRestriction(of: other.number, until: .never, reason, by: by.user.number, at: now.wall)
        try checkRoom(for: other.number, in: conversation, now)
        conversations.submit(.restrict(other.number, ban), of: conversation, by: by.speaker, by.asker, now) {
            if standing == nil {
                builder.member("event", word: "banned")
                builder.member("user", plain: other.name)
            } else {
                builder.member("event", word: "removed")
                builder.names("users", [other.name])
                builder.member("banned", true)
            }
            if let reason { builder.member("reason", word: reason.word) }
        }
    }

    func unban(_ name: Text, in conversation: Conversation, _ by: Actor, _ now: Moment) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        let other = try person(named: name, besides: by)
        let known = conversation.moderation.restriction(of: other.number, at: now.wall)
        guard known?.isBan == true || known == nil && conversation.moderation.isUnderWay(other.number) else {
            throw Refusal(.notFound, "user: this user is not banned")
        }
        conversations.submit(.restrict(other.number, nil), of: conversation, by: by.speaker, by.asker, now) {
            builder.member("event", word: "unbanned")
            builder.member("user", plain: other.name)
        }
    }

    /// - Parameter time: for how long, in milliseconds; 0 ends it.
    func setTimeout(
        _ time: Int64, of name: Text, _ reason: ReportReason?, in conversation: Conversation, _ by: Actor,
        _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        let other = try person(named: name, besides: by)
        guard let standing = try conversations.standing(of: other, in: conversation) else {
            throw Refusal(.notFound, "user: this user is not a member")
        }
        try directory.policy.checkRemoval(of: standing, by: by.role)
        var timeout: StoredRestriction?
        if time > 0 {
            try checkRoom(for: other.number, in: conversation, now)
            timeout = StoredRestriction(
                of: other.number, until: Timestamp(milliseconds: now.wall.milliseconds + time), reason,
                by: by.user.number, at: now.wall)
        }
        conversations.submit(.restrict(other.number, timeout), of: conversation, by: by.speaker, by.asker, now) {
            builder.member("event", word: "timeout")
            builder.member("user", plain: other.name)
            guard let timeout else { return }
            builder.member("until", timeout.until.milliseconds)
            if let reason { builder.member("reason", word: reason.word) }
        }
    }

    func setPosting(
        _ rule: PostingRule, of conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        let restriction = StoredRestriction(of: .none, until: .never, nil, by: by.user.number, at: now.wall)
        let change = ConversationChange.restrict(.none, rule == .admins ? restriction : nil)
        conversations.submit(change, of: conversation, by: by.speaker, by.asker, now) {
            builder.member("event", word: "posting")
            builder.member("posting", word: rule.word)
        }
    }

    /// - Parameter time: between two messages of a member, in milliseconds; 0 for none.
    func setSlow(
        _ time: Int64, of conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        conversations.submit(.slow(time), of: conversation, by: by.speaker, by.asker, now) {
            builder.member("event", word: "slow")
            builder.member("after", time)
        }
    }

    func setJoining(
        _ rule: JoiningRule, of conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        conversations.submit(.joining(rule), of: conversation, by: by.speaker, by.asker, now) {
            builder.member("event", word: "joining")
            builder.member("joining", word: rule.word)
        }
    }

    private static let wasNoMember = Refusal(.notFound, "user: this user is not and was not a member")

    private func person(named name: Text, besides by: Actor) throws(Refusal) -> User {
        guard let other = directory.naming.person(named: name) else { throw Self.wasNoMember }
        guard other !== by.user else { throw Refusal(.badRequest, "user: you can't do this to yourself") }
        return other
    }

    private func checkRoom(
        for user: UserNumber, in conversation: Conversation, _ now: Moment
    ) throws(Refusal) {
        guard conversation.moderation.restriction(of: user, at: now.wall) == nil,
            conversation.moderation.isFull(at: now.wall, atMost: restrictionsMax)
        else { return }
        throw Refusal(.tooLarge, "a group has at most \(restrictionsMax) banned and timed-out users")
    }

    /// Applies a stored restriction, and sends it to everyone concerned.
    func apply(
        _ restriction: StoredRestriction?, of user: UserNumber, _ event: StoredEvent,
        to conversation: Conversation, except origin: Session?, _ now: Moment
    ) {
        conversation.moderation.set(restriction, of: user, at: event.time)
        conversations.tell(event, to: conversation, except: origin)
        if restriction?.isBan == true { JoinNews(conversations).forget([user], in: conversation) }
        guard let restriction, let member = conversation.member(user) else { return }
        guard restriction.isBan else { return conversations.typing.stop(member) }
        let settled = conversations.delivery.settle()
        conversations.end(directory.dismiss([user], from: conversation, at: event.position, settled), now)
    }
}

extension ConversationCommands {
    var moderation: ModerationCommands { ModerationCommands(conversations: self) }
}
