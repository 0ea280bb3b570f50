import RoostWire

/// Who may write to, add, change and see whom: every such rule is asked here and nowhere else. A pure value. It judges
/// by what is under way as well as by what is committed, so that two commands in a row mean what they say.
struct Policy {
    /// Whether `user` may be told how `other` is: its own self, and whoever shares a conversation with it.
    func maySee(_ user: User, _ other: User) -> Bool {
        if user === other || user.peers[other.number] != nil { return true }
        let (fewer, more) =
            user.conversations.count < other.conversations.count ? (user, other) : (other, user)
        return fewer.conversations.keys.contains { more.conversations[$0] != nil }
    }

    /// The role in which `user` may read a conversation, write to it and tell it of itself. Nobody learns that there is
    /// a conversation of which one isn't a member.
    func role(of user: User, in conversation: Conversation?) throws(Refusal) -> Role {
        guard let role = conversation?.standing(of: user.number) else {
            throw Refusal(.notFound, "no such conversation")
        }
        return role
    }

    /// Whether `user` may write to `peer`, which brings their direct conversation about, or back.
    func checkWriting(by user: User, to peer: User) throws(Refusal) {
        guard peer !== user else { throw Refusal(.badRequest, "to: a direct conversation needs somebody else") }
    }

    /// Whether `user` may write to a conversation that it names by its id. Who has left may say so: a direct
    /// conversation comes back by that, and in a group a retry of what was sent before still gets its first answer.
    func checkWriting(by user: User, to conversation: Conversation?) throws(Refusal) -> Conversation {
        guard let conversation, !conversation.isEnding || conversation.kind == .group,
            conversation.standing(of: user.number) != nil || user.departures[conversation.number] != nil
        else { throw Refusal(.notFound, "no such conversation") }
        return conversation
    }

    /// Whether `user` may change a group: its name and members by `.admin`, roles by `.owner`.
    func checkChange(of conversation: Conversation, by role: Role, needing needed: Role) throws(Refusal) {
        guard conversation.kind == .group else {
            throw Refusal(.conflict, "a direct conversation can't be changed")
        }
        guard role >= needed else {
            throw Refusal(.forbidden, needed == .owner ? "owner only" : "owner and admins only")
        }
    }

    /// Whether somebody in `role` may remove a member in `other`.
    func checkRemoval(of other: Role, by role: Role) throws(Refusal) {
        guard other < role else { throw Refusal(.forbidden, "users: an admin can't remove owner or admins") }
    }

    /// Whether somebody in `role` may delete what others wrote.
    func mayDeleteOfOthers(_ role: Role) -> Bool { role >= .admin }
}
