import RoostWire

/// Everything that happens because time passes: pings, deadlines, the tick that gathers, watermarks for the store.
extension Relay {
    /// When `tick` has to be called next, in monotonic milliseconds; the host asks at the end of every turn.
    public func nextDeadline(at now: Moment) -> Int64 {
        var next = aliveAt
        if let timer = timers.nextDeadline { next = min(next, timer) }
        if let timer = typing.nextDeadline { next = min(next, timer) }
        next = min(next, presence.nextDeadline)
        if let due = receipts.nextDeadline { next = min(next, due) }
        return next
    }

    /// Time has passed.
    public func tick(at now: Moment) {
        deliverRun()
        for timer in timers.expire(at: now.monotonic) {
            switch timer {
            case .session(let id): if let session = sessions[id] { sessionDue(session, at: now) }
            }
        }
        for member in typing.expire(at: now.monotonic) { tellTyping(of: member, at: now) }
        presenceIsDue(at: now)
        receipts.tick(at: now.monotonic)
        if aliveAt <= now.monotonic {
            aliveAt = now.monotonic + limits.aliveMilliseconds
            sharedPages.forgetUnwanted()
        }
    }

    /// Wakes for the session at its next deadline. One entry per session: a later deadline is found when it fires.
    func schedule(_ session: Session, at now: Moment) {
        let next = deadline(of: session)
        guard next < session.timerAt else { return }
        session.timerAt = next
        timers.set(.session(session.id), at: next)
    }

    private func deadline(of session: Session) -> Int64 {
        var next = session.heardAt + limits.pingMilliseconds
        if let pinged = session.pingedAt { next = pinged + limits.pongMilliseconds }
        if let hello = session.helloDeadline { next = min(next, hello) }
        if let ends = session.tokenEndsAt {
            let closed = ends.addingReportingOverflow(limits.refreshGraceMilliseconds)
            if !closed.overflow { next = min(next, closed.partialValue) }
        }
        return next
    }

    private func sessionDue(_ session: Session, at now: Moment) {
        let time = now.monotonic
        // Overtaken by an earlier one, which has set the next.
        guard session.phase != .ended, session.timerAt <= time else { return }
        session.timerAt = Int64.max
        if let hello = session.helloDeadline, hello <= time { return shut(session, .helloTimeout, at: now) }
        if let ends = session.tokenEndsAt, ends <= time - limits.refreshGraceMilliseconds {
            return shut(session, .tokenExpired, at: now)
        }
        if let pinged = session.pingedAt {
            if pinged + limits.pongMilliseconds <= time { return shut(session, .pingTimeout, at: now) }
        } else if session.heardAt + limits.pingMilliseconds <= time {
            session.pingedAt = time
            reply(pingFrame, to: session, at: now)
        }
        schedule(session, at: now)
    }

    // MARK: Stopping

    /// Announces the end: no new command is taken, everybody is told when to come back, spread out over `spread`
    /// milliseconds so that they don't come all at once.
    public func beginDrain(spreadMilliseconds spread: Int64, at now: Moment) {
        guard !isDraining else { return }
        deliverRun()
        journal.beginDrain()
        for session in sessions.values.sorted(by: { $0.id.value < $1.id.value }) where session.phase != .ended {
            builder.begin("drain")
            builder.member("after", 500 + Int64(random.number(below: UInt64(max(1, spread)))))
            reply(builder.finish(), to: session, at: now)
        }
        for mutation in presence.closeDown(directory.everybody, at: now) { store(mutation) }
        receipts.storeNow()
    }

    /// Closes every session; the host writes what waits first.
    public func closeAll(at now: Moment) {
        deliverRun()
        receipts.storeNow()
        for session in sessions.values.sorted(by: { $0.id.value < $1.id.value }) {
            shut(session, .drain, isClean: true, at: now)
        }
    }
}
