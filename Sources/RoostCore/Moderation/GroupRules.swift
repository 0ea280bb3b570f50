import RoostWire

extension Refusal {
    static let timedOut = Refusal(.forbidden, "you are timed out in this group")
    static let announcements = Refusal(.forbidden, "only the owner and the admins write in this group")
    static let banned = Refusal(.conflict, "users: one of these users is banned from this group")
}

/// The effects of bans, time-outs and groups for announcements: the part of the policy that looks at the settings of a
/// group's admins. It owns nothing.
struct GroupRules {
    let directory: Directory

    /// Whether a member may write in a group or, with `isReaction`, react in it and change it. The owner always may: a
    /// group in which no member can lift a restriction would be stuck.
    @inline(__always)
    func checkWriting(
        by user: User, in conversation: Conversation, at now: Moment, isReaction: Bool = false
    ) throws(Refusal) {
        guard !conversation.moderation.isOpen else { return }
        try checkRestrictions(of: user, in: conversation, at: now, isReaction: isReaction)
    }

    private func checkRestrictions(
        of user: User, in conversation: Conversation, at now: Moment, isReaction: Bool
    ) throws(Refusal) {
        try directory.check(isCertain: conversation.isRoleCertain(of: user.number))
        guard let role = conversation.standing(of: user.number), role < .owner else { return }
        guard conversation.moderation.restriction(of: user.number, at: now.wall) == nil else { throw .timedOut }
        guard role < .admin, !isReaction, conversation.moderation.isForAnnouncements(at: now.wall) else { return }
        throw .announcements
    }

    /// Whether a member may write a message now where members may write once in a time. Owner and admins always may.
    @inline(__always)
    func checkPace(of user: User, in conversation: Conversation, at now: Moment) throws(Refusal) {
        guard conversation.moderation.pace.isSlow else { return }
        try checkWait(of: user, in: conversation, at: now)
    }

    private func checkWait(of user: User, in conversation: Conversation, at now: Moment) throws(Refusal) {
        try directory.check(isCertain: conversation.isRoleCertain(of: user.number))
        guard conversation.standing(of: user.number) == .member else { return }
        let wait = conversation.moderation.pace.wait(of: user.number, at: now.wall)
        guard wait > 0 else { return }
        var refusal = Refusal(
            .rateLimited, "slow mode: you may send one message in \(conversation.moderation.pace.expected) ms",
            retryAfterMilliseconds: wait)
        refusal.conversation = conversation.id
        throw refusal
    }

    /// Whether none of these users is banned from a group to which they are to be added.
    func checkAdmission(of users: [NamedUser], to conversation: Conversation, at now: Moment) throws(Refusal) {
        guard !conversation.moderation.isOpen else { return }
        for user in users {
            guard let known = user.known else { continue }
            if conversation.moderation.bans(known.number, at: now.wall) { throw .banned }
        }
    }
}

extension Directory {
    /// The rules set by the admins of groups.
    var rules: GroupRules { GroupRules(directory: self) }
}
