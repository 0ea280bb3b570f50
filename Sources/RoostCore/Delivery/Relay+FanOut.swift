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
        // Who doesn't get just all of it.
        var others: [(session: Session, since: Sequence)] = []
        var wholes = 0
        delivered.held.withUnsafeBufferPointer { frames in
            conversation.audience.forEach { session, since in
                guard takesWhole(delivered, session, since) else { return others.append((session, since)) }
                pushWhole(delivered, frames, to: session)
                wholes += 1
            }
        }
        for frame in delivered.held { frame.hold(times: wholes) }
        count(wholes * delivered.entries.count, of: delivered)
        for (session, since) in others {
            if delivered.isSignals {
                pushSignals(delivered, to: session)
            } else if session.isApart {
                session.isApart = false
                replay(delivered, to: session, above: since)
            } else {
                push(delivered.entries[...], of: delivered, above: since, to: session)
            }
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

    /// Whether all of a run is for this session, and fits.
    @inline(__always)
    private func takesWhole(_ delivered: borrowing FanOutRun, _ session: Session, _ since: Sequence) -> Bool {
        guard !session.isApart else { return false }
        let bytes = session.outbox.bytes + delivered.bytes
        if delivered.isSignals { return bytes <= limits.outboxCalmBytes }
        return session.delivery == .live && delivered.lowest > since && bytes <= limits.outboxSpillBytes
    }

    @inline(__always)
    private func pushWhole(
        _ delivered: borrowing FanOutRun, _ frames: UnsafeBufferPointer<Unmanaged<Frame>>, to session: Session
    ) {
        session.outbox.push(held: frames, bytes: delivered.bytes)
        touch(session)
        guard !delivered.isSignals else { return }
        session.sentPosition = delivered.last
        noteUnacked(delivered.messages, session)
        if session.outbox.bytes > limits.outboxSpillBytes / 2 { isOutboxHalfFull = true }
    }

    private func count(_ deliveries: Int, of delivered: borrowing FanOutRun) {
        if delivered.isSignals { counters.signalDeliveries += deliveries } else { counters.deliveries += deliveries }
    }

    /// One by one, as far as they are for this session, until it falls behind.
    private func push(
        _ entries: ArraySlice<FanOutRun.Entry>, of delivered: FanOutRun, above since: Sequence, to session: Session
    ) {
        guard session.delivery == .live, let conversation = delivered.conversation?.number else { return }
        var deliveries = 0
        for entry in entries where entry.sequence > since {
            guard session.outbox.bytes + entry.bytes <= limits.outboxSpillBytes else {
                fallBehind(session)
                break
            }
            session.outbox.push(entry.frame, bytes: entry.bytes)
            session.sentPosition = entry.position
            deliveries += 1
            guard entry.isMessage else { continue }
            noteUnacked(
                .init(conversation: conversation, sequence: entry.sequence, position: entry.position), session)
        }
        guard deliveries > 0 else { return }
        count(deliveries, of: delivered)
        if session.outbox.bytes > limits.outboxSpillBytes / 2 { isOutboxHalfFull = true }
        touch(session)
    }

    /// One by one, but not its own, nor what it has no room for.
    private func pushSignals(_ delivered: FanOutRun, to session: Session) {
        let own = Unmanaged.passUnretained(session).toOpaque()
        var deliveries = 0
        for entry in delivered.entries where entry.origin?.toOpaque() != own {
            guard session.outbox.bytes <= limits.outboxCalmBytes else {
                counters.signalsDropped += 1
                continue
            }
            session.outbox.push(entry.frame, bytes: entry.bytes)
            deliveries += 1
        }
        guard deliveries > 0 else { return }
        count(deliveries, of: delivered)
        touch(session)
    }

    /// Entry by entry to a session whose user caused some of them: it gets answers, or its own frames, in their place.
    private func replay(_ delivered: FanOutRun, to session: Session, above since: Sequence) {
        for (index, entry) in delivered.entries.enumerated() {
            guard entry.origin?.toOpaque() == Unmanaged.passUnretained(session).toOpaque() else {
                // An answer that didn't fit may have ended it.
                guard session.phase == .ready else { continue }
                let isOwn = entry.sender == session.user?.number
                let frame = isOwn ? delivered.answers[index].own : nil
                push([entry.with(frame)], of: delivered, above: since, to: session)
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
