import RoostWire

/// The life of a connection: open, heard, closed, ended by us.
extension Relay {
    /// A connection was made.
    public func open(at now: Moment) -> Session {
        let session = Session(SessionID(nextSession), limits: limits, at: now)
        nextSession += 1
        sessions[session.id] = session
        schedule(session, at: now)
        return session
    }

    /// Something that isn't a command arrived: a pong.
    public func hear(from session: Session, at now: Moment) {
        session.heardAt = now.monotonic
        session.pingedAt = nil
    }

    /// The connection is gone. Called exactly once for every session.
    /// - Parameter isClean: the peer said goodbye, so nobody has to wait for it to come back.
    public func close(_ session: Session, isClean: Bool, at now: Moment) {
        deliverRun()
        sessions[session.id] = nil
        end(session, isClean: isClean, at: now)
        session.outbox.removeAll()
        session.attachment = nil
    }

    /// Ends a session from our side: no command is taken any more, the host writes what waits and closes.
    func shut(_ session: Session, _ code: CloseCode, isClean: Bool = false, at now: Moment) {
        guard session.closing == nil else { return }
        session.closing = code
        counters.count(code)
        end(session, isClean: isClean, at: now)
        touch(session)
    }

    /// Takes a session out of everything that would deliver to it.
    func end(_ session: Session, isClean: Bool, at now: Moment) {
        let wasReady = session.phase == .ready
        session.phase = .ended
        session.hello = nil
        session.round = nil
        session.owed.removeAll()
        session.unacked.removeAll()
        presence.forget(session)
        guard wasReady, let user = session.user, let device = session.device else { return }
        counters.sessionsEnded += 1
        user.remove(session)
        stopTyping(user, at: now)
        // Another session may have taken the device over.
        guard device.session === session else { return }
        device.disconnect(at: now.monotonic)
        presence.go(session, of: device, mayReturn: !isClean && !isDraining, at: now)
    }

    /// Puts a frame that must not be lost into the outbox: a reply, a control event.
    func reply(_ frame: Frame, to session: Session, at now: Moment) {
        if hasRoomForReply(of: frame.count, session, at: now) { push(frame, to: session) }
    }

    /// Whether so many bytes more may wait. A session that has no room for what must not be lost is shut.
    func hasRoomForReply(of bytes: Int, _ session: Session, at now: Moment) -> Bool {
        guard session.phase != .ended else { return false }
        guard session.outbox.bytes + bytes <= limits.outboxMaxBytes else {
            shut(session, .tooSlow, at: now)
            return false
        }
        return true
    }

    /// Puts a frame into the outbox of a session, which the host then visits.
    func push(_ frame: Frame, to session: Session) {
        touch(session)
        session.outbox.push(frame)
    }
}
