import RoostProtocol

/// One frame, framed once, into the outbox of everyone concerned. The inner loop allocates nothing per recipient.
extension Relay {
    /// A durable event to every device of every member, but not to the session that caused it: that one gets `ok`.
    func fanOut(_ event: StoredEvent, in conversation: Conversation, except origin: Session?) {
        let frame = eventFrame(event, in: conversation)
        // What became of a message that is hidden from a member is hidden too.
        let sequence = event.kind == .conversation ? Sequence(Int64.max) : event.sequence
        var deliveries = 0
        conversation.audience.forEach { session, since in
            guard session !== origin, sequence > since else { return }
            deliver(frame, event, to: session, counting: &deliveries)
        }
        counters.deliveries += deliveries
        // Its own event counts as sent to the session that caused it, if it has everything before.
        if let origin, origin.phase == .ready, origin.delivery == .live { origin.sentPosition = event.position }
    }

    @inline(__always)
    private func deliver(_ frame: Frame, _ event: StoredEvent, to session: Session, counting deliveries: inout Int) {
        guard session.delivery == .live else { return }
        guard session.outbox.bytes + frame.count <= limits.outboxSpillBytes else {
            session.delivery = .behind
            counters.spills += 1
            // A frame larger than the limit spills even when nothing waits whose end could be reported.
            touch(session)
            return
        }
        push(frame, event, isMember: true, to: session)
        if session.outbox.bytes > limits.outboxSpillBytes / 2 { isOutboxHalfFull = true }
        deliveries += 1
    }

    /// Puts a durable event into the outbox and notes what an ack of it will tell.
    @inline(__always)
    func push(_ frame: Frame, _ event: StoredEvent, isMember: Bool, to session: Session) {
        session.outbox.push(frame)
        session.sentPosition = event.position
        touch(session)
        guard event.kind == .message, isMember else { return }
        let entry = UnackedMessages.Entry(
            conversation: event.conversation, sequence: event.sequence, position: event.position)
        if session.unacked.count >= limits.unackedPerSession {
            // Old ones give way: an ack of the new one covers them as far as the same conversation is concerned.
            if session.unacked.replaceLast(by: entry) { return }
            session.unacked.removeFirst()
            session.hasForgottenUnacked = true
        }
        session.unacked.append(entry)
    }

    /// What may be lost, to the other sessions of a conversation: whoever can't keep up doesn't get it.
    func fanOutSignal(_ frame: Frame, in conversation: Conversation, except origin: Session) {
        let calm = limits.outboxCalmBytes
        var deliveries = 0
        conversation.audience.forEach { session, _ in
            guard session !== origin else { return }
            guard session.outbox.bytes <= calm else {
                counters.signalsDropped += 1
                return
            }
            session.outbox.push(frame)
            deliveries += 1
            touch(session)
        }
        counters.signalDeliveries += deliveries
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
