import RoostWire

/// `typing`: a state of a few seconds that the server owns; others hear of its beginning and its end.
extension Relay {
    func typing(
        _ to: Text, _ isActive: Bool, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try speaker(session)
        let conversation = try destination(to, of: session, user)
        if isActive {
            startTyping(user, in: conversation, at: now)
        } else {
            stopTyping(user, in: conversation, at: now)
        }
        accept(id, session, now)
    }

    private func startTyping(_ user: User, in conversation: Conversation, at now: Moment) {
        let until = now.monotonic + limits.typingMilliseconds
        if let index = conversation.typing.firstIndex(where: { $0.user === user }) {
            conversation.typing[index].until = until
            return
        }
        guard let member = conversation.member(user.number),
            conversation.typing.count < limits.typersPerConversation,
            now.monotonic - member.typingToldAt >= limits.typingAgainMilliseconds
        else { return }
        member.typingToldAt = now.monotonic
        conversation.typing.append(.init(user: user, until: until))
        if member.typingTimerAt <= now.monotonic { setTimer(for: member, at: until) }
        tellTyping(user, true, in: conversation, at: now)
    }

    /// One timer per member, however often it begins anew: the one that is set finds a later end when it fires.
    private func setTimer(for member: Member, at until: Int64) {
        member.typingTimerAt = until
        timers.set(.typing(member.conversation, member.user), at: until)
    }

    func stopTyping(_ user: User, in conversation: Conversation, at now: Moment) {
        guard let index = conversation.typing.firstIndex(where: { $0.user === user }) else { return }
        conversation.typing.remove(at: index)
        tellTyping(user, false, in: conversation, at: now)
    }

    /// Everywhere: one of the user's sessions ended.
    func stopTyping(_ user: User, at now: Moment) {
        let typed = user.conversations.values.map(\.conversation).filter { !$0.typing.isEmpty }
        // In one order everywhere, so that a simulated run can be repeated.
        for conversation in typed.sorted(by: { $0.number.value < $1.number.value }) {
            stopTyping(user, in: conversation, at: now)
        }
    }

    func typingDue(_ conversation: Conversation, _ user: User, at now: Moment) {
        guard let member = conversation.member(user.number), member.typingTimerAt <= now.monotonic,
            let entry = conversation.typing.first(where: { $0.user === user })
        else { return }
        if entry.until <= now.monotonic {
            stopTyping(user, in: conversation, at: now)
        } else {
            setTimer(for: member, at: entry.until)
        }
    }

    private func tellTyping(_ user: User, _ isActive: Bool, in conversation: Conversation, at now: Moment) {
        let frame = typingFrame(conversation, user, isActive)
        let key = Owed.typing(conversation.number, user.number)
        for member in conversation.members where member.user !== user {
            for session in member.user.sessions { deliver(frame, key, to: session, at: now) }
        }
    }

    func typingFrame(_ conversation: Conversation, _ user: User, _ isActive: Bool) -> Frame {
        builder.begin("typing")
        builder.member("conversation", plain: conversation.id)
        builder.member("user", plain: user.name)
        builder.member("active", isActive)
        return builder.finish()
    }
}
