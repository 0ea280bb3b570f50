import RoostWire

/// One event, framed once, into the outbox of everyone concerned. The inner loop allocates nothing per recipient.
extension Relay {
    /// A durable event to every device of every member, but not to the session that caused it: that one gets `ok`, if
    /// it gave its command the id `answering`. The sender's other devices are told its device and key too.
    /// It is put into the outboxes by `deliverRun`, together with those that follow.
    func fanOut(
        _ event: StoredEvent, in conversation: Conversation, except origin: Session?, answering id: CommandID? = nil,
        at now: Moment
    ) {
        if !run.isOpen(for: conversation, isSignals: false) { deliverRun() }
        begin(event, in: conversation, isOwn: false)
        run.add(builder, of: event, to: conversation, except: origin, at: now)
        if let id {
            beginAnswer(to: id, event, in: conversation)
            run.addAnswer(builder)
        }
        if event.kind == .message { setOwnDevicesApart(event, in: conversation, except: origin) }
        // So that what makes a session fall behind is seen in time. And who is there changes with the conversation.
        if run.bytes >= limits.outboxSpillBytes / 8 || event.kind == .conversation { deliverRun() }
    }

    private func setOwnDevicesApart(_ event: StoredEvent, in conversation: Conversation, except origin: Session?) {
        guard let sender = directory.user(event.sender) else { return }
        var isWritten = false
        for session in sender.sessions where session !== origin {
            if !isWritten {
                isWritten = true
                begin(event, in: conversation, isOwn: true)
                run.addOwn(builder)
            }
            run.setApart(session)
        }
    }

    /// The signal that was written in the builder, to the other sessions of a conversation. It may be lost: whoever
    /// can't keep up doesn't get it.
    func fanOutSignal(in conversation: Conversation, except origin: Session) {
        if !run.isOpen(for: conversation, isSignals: true) { deliverRun() }
        run.add(builder, to: conversation, except: origin)
        if run.bytes >= limits.outboxCalmBytes / 2 { deliverRun() }
    }

    /// Puts what was gathered into the outboxes. Called before anything else is done to sessions or conversations, so
    /// that each gets everything in order.
    @inline(__always)
    func deliverRun() {
        if !run.isEmpty { deliverWholeRun() }
    }

    @inline(never)
    private func deliverWholeRun() {
        let delivered = run
        // The memory of two serves all.
        swap(&run, &otherRun)
        guard let conversation = delivered.conversation else { return }
        let frames = delivered.takeFrames()
        deliverToWholes(frames, of: delivered, in: conversation)
        deliverToPartials(frames, of: delivered)
        delivered.removeAll()
    }

    /// To each who gets all of it. The others are noted.
    private func deliverToWholes(_ frames: Frame, of delivered: FanOutRun, in conversation: Conversation) {
        let held = Unmanaged.passUnretained(frames)
        let bytes = frames.count
        let messages = delivered.messages
        var wholes = 0
        conversation.audience.forEach { session, since in
            guard takesWhole(delivered, bytes, session, since) else {
                return delivered.partials.append(.init(session: .passUnretained(session), since: since))
            }
            wholes += 1
            touch(session)
            session.outbox.push(held: held, bytes: bytes)
            noteBacklog(of: session)
            guard !delivered.isSignals else { return }
            session.sentPosition = delivered.last
            session.unacked.note(messages, atMost: limits.unackedPerSession)
            if session.outbox.bytes > limits.outboxSpillBytes / 2 { isOutboxHalfFull = true }
        }
        held.hold(times: wholes)
        count(wholes * delivered.entries.count, of: delivered)
    }

    /// Whether all of a run is for this session, and fits.
    @inline(__always)
    private func takesWhole(_ delivered: FanOutRun, _ bytes: Int, _ session: Session, _ since: SequenceNumber) -> Bool {
        guard !session.isApart else { return false }
        let bytes = session.outbox.bytes + bytes
        if delivered.isSignals { return bytes <= roomForSignals(session) }
        return session.delivery == .live && delivered.lowest > since && bytes <= limits.outboxSpillBytes
    }

    /// Bytes of an outbox beyond which signals are dropped. Who had taken everything before it was touched isn't
    /// slow because much comes at once.
    @inline(__always)
    func roomForSignals(_ session: Session) -> Int {
        let isSlow = session.isTouched ? session.isSlow : !session.outbox.isEmpty
        return isSlow ? limits.outboxCalmBytes : limits.outboxSpillBytes
    }

    func count(_ deliveries: Int, of delivered: FanOutRun) {
        if delivered.isSignals { counters.signalDeliveries += deliveries } else { counters.deliveries += deliveries }
    }

    /// State that only its latest value matters of: now, or once the session has caught its breath.
    func deliver(_ frame: Frame, _ key: Owed, to session: Session, at now: Moment) {
        guard session.outbox.bytes > limits.outboxCalmBytes else {
            push(frame, to: session)
            counters.ephemeralDeliveries += 1
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
                guard let conversation = joined(conversation, session), let user = directory.user(number) else {
                    continue
                }
                let isActive = conversation.member(number)?.typing.isActive ?? false
                deliver(typingFrame(user, in: conversation, isActive), key, to: session, at: now)
            case .receipt(let conversation, let number):
                guard let member = joined(conversation, session)?.member(number) else { continue }
                deliver(receiptFrame(member, isOwn: member.user === session.user), key, to: session, at: now)
            case .presence(let number):
                guard presence.isTold(session, of: number) else { continue }
                if let user = directory.user(number) { users.append(user) }
            }
        }
        guard !users.isEmpty else { return }
        reply(presenceFrame(of: users), to: session, at: now)
    }

    /// The conversation, if the session's user is still a member: what it owed may be older than that.
    private func joined(_ number: ConversationNumber, _ session: Session) -> Conversation? {
        guard let user = session.user, user.conversations[number] != nil else { return nil }
        return directory.conversation(number)
    }
}
