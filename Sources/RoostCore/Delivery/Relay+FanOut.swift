import DequeModule
import RoostProtocol

/// One frame, framed once, into the outbox of everyone concerned. The inner loop allocates nothing per recipient.
extension Relay {
    /// A durable event to every device of every member, but not to the session that caused it: that one gets `ok`.
    func fanOut(_ event: StoredEvent, in conversation: Conversation, except origin: Session?) {
        let frame = eventFrame(event, in: conversation)
        for member in conversation.members {
            // What became of a message that is hidden from a member is hidden too.
            guard event.kind == .conversation || event.sequence > member.since else { continue }
            for session in member.user.sessions where session !== origin {
                deliver(frame, event, member, to: session)
            }
        }
        // Its own event counts as sent to the session that caused it, if it has everything before.
        if let origin, origin.phase == .ready, origin.delivery == .live { origin.sentPosition = event.position }
    }

    func deliver(_ frame: Frame, _ event: StoredEvent, _ member: Member?, to session: Session) {
        guard session.delivery == .live else { return }
        guard session.outbox.bytes + frame.count <= limits.outboxSpillBytes else {
            session.delivery = .behind
            counters.spills += 1
            // A frame larger than the limit spills even when nothing waits whose end could be reported.
            touch(session)
            return
        }
        push(frame, event.kind, event.sequence, event.position, member, to: session)
    }

    @inline(__always)
    func push(
        _ frame: Frame, _ kind: EventKind, _ sequence: Sequence, _ position: Position, _ member: Member?,
        to session: Session
    ) {
        session.outbox.push(frame)
        session.sentPosition = position
        counters.deliveries += 1
        touch(session)
        guard kind == .message, let member else { return }
        if session.unackedMessages.count >= limits.unackedPerSession {
            // Old ones give way: an ack of the new one covers them as far as the same conversation is concerned.
            if session.unackedMessages.last?.member === member {
                session.unackedMessages.removeLast()
            } else {
                session.unackedMessages.removeFirst()
                session.hasForgottenUnacked = true
            }
        }
        session.unackedMessages.append(UnackedMessage(member: member, sequence: sequence, position: position))
    }

    /// What may be lost, to the other sessions of a conversation: whoever can't keep up doesn't get it.
    func fanOutSignal(_ frame: Frame, in conversation: Conversation, except origin: Session) {
        for member in conversation.members {
            for session in member.user.sessions where session !== origin {
                guard session.outbox.bytes <= limits.outboxCalmBytes else {
                    counters.signalsDropped += 1
                    continue
                }
                session.outbox.push(frame)
                counters.signalDeliveries += 1
                touch(session)
            }
        }
    }

    /// State that only its latest value matters of: now, or once the session has caught its breath.
    func deliver(_ frame: Frame, _ key: Owed, to session: Session, at now: Moment) {
        guard session.outbox.bytes > limits.outboxCalmBytes else {
            session.outbox.push(frame)
            counters.ephemeralDeliveries += 1
            touch(session)
            return
        }
        session.owed.insert(key)
        counters.ephemeralOwed += 1
        if session.owed.count > limits.owedMax { shut(session, .tooSlow, at: now) }
    }

    /// Everything in the outbox has left for the network: what the session is owed, then what it has missed.
    public func drained(_ session: Session, at now: Moment) {
        guard session.phase == .ready else { return }
        if !session.owed.isEmpty { settleDebts(of: session, at: now) }
        // What it was owed may have been too much.
        guard session.phase == .ready, session.delivery == .behind else { return }
        if session.round == nil { beginCatchUp(session, at: now) } else { requestPage(session) }
    }

    private func settleDebts(of session: Session, at now: Moment) {
        var owed: Set<Owed> = []
        swap(&owed, &session.owed)
        var users: [User] = []
        // In one order everywhere, so that a simulated run can be repeated.
        for key in owed.sorted() {
            switch key {
            case .typing(let conversation, let number):
                guard let conversation = joined(conversation, session), let user = user(number) else { continue }
                let isActive = conversation.typing.contains { $0.user === user }
                deliver(typingFrame(conversation, user, isActive), key, to: session, at: now)
            case .receipt(let conversation, let number):
                guard let member = joined(conversation, session)?.member(number) else { continue }
                deliver(receiptFrame(member, isOwn: member.user === session.user), key, to: session, at: now)
            case .presence(let number):
                guard session.watching[number] != nil || session.user?.peers[number] != nil else { continue }
                if let user = user(number) { users.append(user) }
            }
        }
        guard !users.isEmpty else { return }
        reply(presenceFrame(of: users), to: session, at: now)
    }

    /// The conversation, if the session's user is still a member: what it owed may be older than that.
    private func joined(_ number: ConversationNumber, _ session: Session) -> Conversation? {
        guard let user = session.user, user.conversations[number] != nil else { return nil }
        return conversationsByNumber[number]
    }
}
