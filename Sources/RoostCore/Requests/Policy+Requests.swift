import RoostWire

/// The rights of the two users of a request before it is accepted.
extension Policy {
    /// Whether the user may say something more: one message of the sender may wait. The answer is the same whether the
    /// receiver hasn't looked yet, has dropped the request or has blocked the sender.
    @inline(__always)
    func checkWaiting(by user: User, in conversation: Conversation) throws(Refusal) {
        // The log has the end of the request before it has what the sender says behind it.
        if hasAsked(user, in: conversation) { throw .noRelationship }
    }

    /// Whether the user has sent a request that waits, and has said in it what may be said.
    @inline(__always)
    func hasAsked(_ user: User, in conversation: Conversation) -> Bool {
        guard let request = conversation.opening.request, request.receiver != user.number else { return false }
        return request.acceptsUnderWay == 0 && (conversation.lastSequence > .none || request.messagesUnderWay > 0)
    }

    /// Whether the user may send a signal: not before the two have something to do with each other.
    @inline(__always)
    func checkSignal(by user: User, in conversation: Conversation) throws(Refusal) {
        try checkSpeaking(by: user, in: conversation)
        guard !conversation.isRequest else { throw .noRelationship }
    }

    /// Whether the user may leave: the sender of a request doesn't learn of the receiver's choice.
    func checkLeaving(of user: User, from conversation: Conversation, isLast: Bool) throws(Refusal) {
        guard conversation.isRequest(to: user), !isLast else { return }
        throw Refusal(.conflict, "the conversation waits for you to accept it; use request.drop")
    }

    /// The conversation of two if it isn't one that only one of them wants.
    func wanted(_ direct: Conversation?) -> Conversation? { direct.flatMap { $0.isRequest ? nil : $0 } }

    /// Whether the viewer sees the members' profiles: the sender of a request doesn't see its receiver's.
    func showsPeople(of conversation: Conversation, to viewer: User) -> Bool {
        !conversation.isRequest || conversation.isRequest(to: viewer)
    }

    /// Whether the viewer may be shown the user's profile because the user has written to it, and that is stored.
    func hasAsked(_ user: User, for viewer: User, in direct: Conversation?) -> Bool {
        direct.map { $0.isRequest(to: viewer) && !$0.isUnstored && !$0.isVeiled(from: viewer.number) } ?? false
    }

    /// The part of the member's receipts that `viewer` sees: none before a request is accepted, and none in a
    /// conversation that isn't there for it.
    func receipts(of member: Member, to viewer: User) -> ReceiptView {
        guard !member.conversation.isVeiled(from: viewer.number) else { return .nothing }
        guard !member.conversation.isRequest || member.user === viewer else { return .nothing }
        return receipts(of: member.user, to: viewer)
    }
}
