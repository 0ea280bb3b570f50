import RoostWire

/// The rules for which users one may write to, add, change and see. All such rules are here and, for those set by the
/// admins of a group, in `GroupRules`. It keeps only the operator's choices. It judges by changes that are under way as
/// well as by committed ones, so that a command sees the effect of the one before.
struct Policy {
    /// The operator's choices. All copies of a policy have the same, and change together.
    private final class Chosen {
        var rules: PolicyRules

        init(_ rules: PolicyRules) { self.rules = rules }
    }

    private let chosen: Chosen

    init(_ rules: PolicyRules = PolicyRules()) { chosen = Chosen(rules) }

    /// The operator's choices.
    var rules: PolicyRules { chosen.rules }

    /// The operator has chosen something else.
    func change(to rules: PolicyRules) { chosen.rules = rules }

    /// Whether `user` may ask for the presence of `other`: oneself, contacts, users with a shared conversation, and
    /// users visible to everyone, if the gate allows it. As it may take long to find a conversation, it is searched
    /// step by step.
    func sight(of other: User, by user: User, direct: Conversation?) -> Sight {
        let areKnown = user === other || areAcquainted(user, other, direct: direct)
        return Sight(
            of: other, by: user, direct: wanted(direct), isOpen: isContact(other, of: user) || isWatchedByAll(other),
            areKnown ? .open : verdict(onStrangers: user.name, other.name),
            countsGroups: rules.gate.countsSharedGroups)
    }

    /// The role in which `user` may read a conversation, write to it and change it. A user who isn't a member doesn't
    /// learn whether the conversation exists.
    func role(of user: User, in conversation: Conversation?) throws(Refusal) -> MemberRole {
        guard let conversation, let role = conversation.standing(of: user.number),
            !conversation.isVeiled(from: user.number)
        else {
            throw Refusal(.notFound, "no such conversation")
        }
        return role
    }

    /// Whether `user` may write to `peer`, which creates their direct conversation or brings it back.
    func checkWriting(by user: User, to peer: User) throws(Refusal) {
        guard peer !== user else { throw Refusal(.badRequest, "to: you can't write to yourself") }
        try checkMeeting(of: user, with: peer)
    }

    /// Whether `user` may write to a conversation named by its id. A former member may: it brings a direct conversation
    /// back, and in a group a retry of an earlier message still gets its first answer.
    func checkWriting(by user: User, to conversation: Conversation?) throws(Refusal) -> Conversation {
        guard let conversation, !conversation.isEnding || conversation.kind == .group,
            conversation.standing(of: user.number) != nil || user.departures[conversation.number] != nil
        else { throw Refusal(.notFound, "no such conversation") }
        try checkSpeaking(by: user, in: conversation)
        return conversation
    }

    /// Whether `user` may change a group: its name and members as `.admin`, roles as `.owner`.
    func checkChange(of conversation: Conversation, by role: MemberRole, needing needed: MemberRole) throws(Refusal) {
        guard conversation.kind == .group else {
            throw Refusal(.conflict, "a direct conversation can't be renamed, and its members can't change")
        }
        guard role >= needed else {
            throw Refusal(
                .forbidden, needed == .owner ? "only the owner may do this" : "only the owner and admins may do this")
        }
    }

    /// Whether a member may change what is for all to see: in a group as `.admin`, in a direct conversation each of the
    /// two, as long as neither has blocked the other.
    func checkShared(_ conversation: Conversation, by user: User, as role: MemberRole) throws(Refusal) {
        try checkSpeaking(by: user, in: conversation)
        if conversation.kind == .group { try checkChange(of: conversation, by: role, needing: .admin) }
    }

    /// Checks that `role` may remove a member with role `other`.
    func checkRemoval(of other: MemberRole, by role: MemberRole) throws(Refusal) {
        guard other < role else { throw Refusal(.forbidden, "users: an admin can't remove the owner or an admin") }
    }

    /// Whether `role` may delete messages of others.
    func mayDeleteOfOthers(_ role: MemberRole) -> Bool { role >= .admin }
}
