import RoostProtocol

/// One frame, framed once, into the outbox of everyone concerned. The inner loop allocates nothing per recipient.
extension Relay {
    /// A durable event to every device of every member, but not to the session that caused it: that one gets `answer`.
    /// The sender's other devices are told its device and key too.
    /// It is put into the outboxes by `deliverRun`, together with those that follow.
    func fanOut(
        _ event: StoredEvent, in conversation: Conversation, except origin: Session?, answer: Frame? = nil,
        at now: Moment
    ) {
        if !run.isOpen(for: conversation, isSignals: false) { deliverRun() }
        let frame = eventFrame(event, in: conversation, isOwn: false)
        var own = frame
        if event.kind == .message, let sender = user(event.sender) {
            for session in sender.sessions where session !== origin {
                if own === frame { own = eventFrame(event, in: conversation, isOwn: true) }
                run.setApart(session)
            }
        }
        run.add(frame, own: own, of: event, to: conversation, except: origin, answer: answer, at: now)
        // So that what makes a session fall behind is seen in time. And who is there changes with the conversation.
        if run.bytes >= limits.outboxSpillBytes / 8 || event.kind == .conversation { deliverRun() }
    }

    /// What may be lost, to the other sessions of a conversation: whoever can't keep up doesn't get it.
    func fanOutSignal(_ frame: Frame, in conversation: Conversation, except origin: Session) {
        if !run.isOpen(for: conversation, isSignals: true) { deliverRun() }
        run.add(frame, to: conversation, except: origin)
    }

    /// Puts what was gathered into the outboxes. Called before anything else is done to sessions or conversations, so
    /// that each gets everything in order.
    @inline(__always)
    func deliverRun() {
        if !run.isEmpty { deliverWholeRun() }
    }

    @inline(never)
    private func deliverWholeRun() {
        var delivered = FanOutRun()
        swap(&delivered, &run)
        guard let conversation = delivered.conversation else { return }
        var apart: [(session: Session, since: Sequence)] = []
        var deliveries = 0
        delivered.entries.withUnsafeBufferPointer { entries in
            if delivered.isSignals {
                conversation.audience.forEach { session, _ in deliveries += pushSignals(entries, to: session) }
            } else {
                conversation.audience.forEach { session, since in
                    if session.isApart { return apart.append((session, since)) }
                    deliveries += push(entries, of: conversation.number, above: since, to: session)
                }
            }
        }
        counters.deliveries += delivered.isSignals ? 0 : deliveries
        counters.signalDeliveries += delivered.isSignals ? deliveries : 0
        for (session, since) in apart {
            session.isApart = false
            replay(delivered, to: session, above: since)
        }
        // Who isn't in the audience: the session has ended, or its user has left.
        for session in delivered.apart where session.isApart {
            session.isApart = false
            if !delivered.isSignals { replay(delivered, to: session, above: Sequence(Int64.max)) }
        }
        // The memory serves the next one.
        delivered.removeAll()
        if run.isEmpty { swap(&delivered, &run) }
    }

    @inline(__always)
    private func push(
        _ entries: UnsafeBufferPointer<FanOutRun.Entry>, of conversation: ConversationNumber,
        above since: Sequence, to session: Session
    ) -> Int {
        guard session.delivery == .live else { return 0 }
        session.outbox.reserve(entries.count)
        var deliveries = 0
        for entry in entries where entry.sequence > since {
            guard session.outbox.bytes + entry.bytes <= limits.outboxSpillBytes else {
                fallBehind(session)
                break
            }
            session.outbox.push(entry.frame, bytes: entry.bytes)
            session.sentPosition = entry.position
            if entry.isMessage {
                noteUnacked(
                    UnackedMessages.Entry(
                        conversation: conversation, sequence: entry.sequence, position: entry.position),
                    session)
            }
            deliveries += 1
        }
        guard deliveries > 0 else { return 0 }
        if session.outbox.bytes > limits.outboxSpillBytes / 2 { isOutboxHalfFull = true }
        touch(session)
        return deliveries
    }

    @inline(__always)
    private func pushSignals(_ entries: UnsafeBufferPointer<FanOutRun.Entry>, to session: Session) -> Int {
        let own = session.isApart ? Unmanaged.passUnretained(session).toOpaque() : nil
        var deliveries = 0
        for entry in entries where own == nil || entry.origin?.toOpaque() != own {
            guard session.outbox.bytes <= limits.outboxCalmBytes else {
                counters.signalsDropped += 1
                continue
            }
            session.outbox.push(entry.frame, bytes: entry.bytes)
            deliveries += 1
        }
        if deliveries > 0 { touch(session) }
        return deliveries
    }

    /// Entry by entry to a session whose user caused some of them: it gets answers, or its own frames, in their place.
    private func replay(_ delivered: FanOutRun, to session: Session, above since: Sequence) {
        guard let number = delivered.conversation?.number else { return }
        for (index, entry) in delivered.entries.enumerated() {
            guard entry.origin?.toOpaque() == Unmanaged.passUnretained(session).toOpaque() else {
                // An answer that didn't fit may have ended it.
                guard session.phase == .ready else { continue }
                let isOwn = entry.sender == session.user?.number
                let frame = isOwn ? delivered.answers[index].own : nil
                let pushed = withUnsafePointer(to: entry.with(frame)) {
                    push(UnsafeBufferPointer(start: $0, count: 1), of: number, above: since, to: session)
                }
                counters.deliveries += pushed
                continue
            }
            // Its own event counts as sent to it, if it has everything before.
            if session.phase == .ready, session.delivery == .live { session.sentPosition = entry.position }
            guard let answer = delivered.answers[index].origin else { continue }
            tell(entry.position, to: session, at: delivered.time)
            reply(answer, to: session, at: delivered.time)
        }
    }

    private func fallBehind(_ session: Session) {
        session.delivery = .behind
        counters.spills += 1
        // A frame larger than the limit spills even when nothing waits whose end could be reported.
        touch(session)
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
        deliverRun()
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
