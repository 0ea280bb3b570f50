import RoostWire

/// A run, entry by entry, to sessions that don't get just all of it: those that caused some of it, whose user did, who
/// joined in the middle, or who have no room for all. What one of them gets is copied into one frame of its own.
extension Relay {
    func deliverToPartials(_ frames: Frame, of delivered: FanOutRun) {
        let asides = delivered.takeAsides()
        for partial in delivered.partials {
            let session = partial.session.takeUnretainedValue()
            session.isApart = false
            if delivered.isSignals {
                pushSignals(frames, of: delivered, to: session)
            } else {
                push(frames, asides, of: delivered, to: session, above: partial.since)
            }
        }
        // Who isn't in the audience: the session has ended, or its user has left. Answers it gets still.
        for session in delivered.apart where session.isApart {
            session.isApart = false
            guard !delivered.isSignals else { continue }
            push(frames, asides, of: delivered, to: session, above: SequenceNumber(Int64.max))
        }
    }

    /// All but its own, and but what it has no room for.
    private func pushSignals(_ frames: Frame, of delivered: FanOutRun, to session: Session) {
        let own = Unmanaged.passUnretained(session).toOpaque()
        let room = roomForSignals(session)
        var deliveries = 0
        for entry in delivered.entries where entry.origin?.toOpaque() != own {
            guard session.outbox.bytes + portion.count <= room else {
                counters.signalsDropped += 1
                continue
            }
            portion.append(framed: frames.bytes(at: entry.frame))
            deliveries += 1
        }
        pushPortion(to: session)
        count(deliveries, of: delivered)
    }

    /// What is for it, until it falls behind. What its user caused is for it in another form, and what it caused
    /// itself is answered.
    private func push(
        _ frames: Frame, _ asides: Frame?, of delivered: FanOutRun, to session: Session, above since: SequenceNumber
    ) {
        let own = Unmanaged.passUnretained(session).toOpaque()
        let user = session.user?.number
        var deliveries = 0
        for entry in delivered.entries {
            if entry.origin?.toOpaque() == own {
                // It counts as sent to it, if it has everything before.
                if session.phase == .ready, session.delivery == .live { session.sentPosition = entry.position }
                if let asides, let answer = entry.answer {
                    answerApart(asides.bytes(at: answer), entry.position, session, at: delivered.time)
                }
                continue
            }
            guard session.phase == .ready, session.delivery == .live, entry.sequence > since else { continue }
            var bytes = frames.bytes(at: entry.frame)
            if entry.sender == user, let asides, let own = entry.own { bytes = asides.bytes(at: own) }
            guard session.outbox.bytes + portion.count + bytes.count <= limits.outboxSpillBytes else {
                fallBehind(session)
                continue
            }
            portion.append(framed: bytes)
            session.sentPosition = entry.position
            deliveries += 1
            guard entry.isMessage, let number = delivered.conversation?.number else { continue }
            session.unacked.note(
                .init(conversation: number, sequence: entry.sequence, position: entry.position),
                atMost: limits.unackedPerSession)
        }
        pushPortion(to: session)
        count(deliveries, of: delivered)
    }

    /// The same as `reply`, into the portion.
    private func answerApart(
        _ answer: UnsafeRawBufferPointer, _ position: Position, _ session: Session, at now: Moment
    ) {
        tell(position, to: session, at: now)
        if hasRoomForReply(of: portion.count + answer.count, session, at: now) { portion.append(framed: answer) }
    }

    private func pushPortion(to session: Session) {
        guard portion.count > 0 else { return }
        push(portion.take(), to: session)
        noteBacklog(of: session)
        if session.outbox.bytes > limits.outboxSpillBytes / 2 { isOutboxHalfFull = true }
    }

    private func fallBehind(_ session: Session) {
        session.delivery = .behind
        counters.spills += 1
        // A frame larger than the limit spills even when nothing waits whose end could be reported.
        touch(session)
    }
}
