import RoostWire

/// `typing`: others are told when it begins and when it ends.
extension Relay {
    func setTyping(
        _ to: Text, _ isActive: Bool, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try speaker(session)
        let conversation = try directory.destination(to, of: session, user)
        if isActive {
            if let member = conversation.member(user.number), typing.start(member, at: now.monotonic) {
                tellTyping(of: member, at: now)
            }
        } else {
            stopTyping(user, in: conversation, at: now)
        }
        accept(id, session, now)
    }

    func stopTyping(_ user: User, in conversation: Conversation, at now: Moment) {
        if let member = conversation.member(user.number) { stopTyping(member, at: now) }
    }

    func stopTyping(_ member: Member, at now: Moment) {
        if typing.stop(member) { tellTyping(of: member, at: now) }
    }

    /// Ends typing in all conversations, because one of the user's sessions ended.
    func stopTyping(_ user: User, at now: Moment) {
        let typed = user.conversations.values.filter(\.typing.isActive)
        // In a fixed order, so that a simulated run can be repeated.
        for member in typed.sorted(by: { $0.conversation.number.value < $1.conversation.number.value }) {
            stopTyping(member, at: now)
        }
    }

    /// Tells the other members whether this one is typing.
    func tellTyping(of member: Member, at now: Moment) {
        let frame = typingFrame(member.user, in: member.conversation, member.typing.isActive)
        let key = Owed.typing(member.conversation.number, member.user.number)
        for other in member.conversation.members where other.user !== member.user {
            for session in other.user.sessions { deliver(frame, key, to: session, at: now) }
        }
    }

    func typingFrame(_ user: User, in conversation: Conversation, _ isActive: Bool) -> Frame {
        builder.begin("typing")
        builder.member("conversation", plain: conversation.id)
        builder.member("user", plain: user.name)
        builder.member("active", isActive)
        return builder.finish()
    }
}
