import Logging
import RoostAuth
import RoostCore
import RoostFraming
import RoostStorage
import RoostTransport
import RoostWire

/// Handles the transport's events: events of connections and letters of other threads go to the Relay. At the end of
/// each turn the Relay's events go to the writer, each touched connection (or a part of them) is written to once, and
/// the one timer is set.
extension Gateway {
    // MARK: Connections

    func admit(_ request: UpgradeRequest) -> HTTPResponse? {
        guard case .serving = phase, relay.isServing else {
            return .refusal(503, code: "draining", reason: "the relay is stopping", retryAfterSeconds: 5)
        }
        guard origins.allows(origin: request.origin, host: request.host) else {
            connectionLog.noteRefusedOrigin(request.origin)
            return .refusal(
                403, code: "forbidden_origin",
                reason: "pages from this Origin may not connect; the relay's setting listen.origins says which may")
        }
        return nil
    }

    func refused(_ connection: Connection, _ response: HTTPResponse) {
        connectionLog.note(response, to: connection, at: now)
    }

    func opened(_ connection: Connection) {
        let session = relay.open(at: now)
        session.attachment = connection
        connection.attachment = session
    }

    func received(_ message: UnsafeRawBufferPointer, on connection: Connection) {
        guard let session = session(of: connection) else { return }
        relay.receive(message, from: session, at: now)
        if connection.standing != .guest { noteStanding(of: session, connection) }
    }

    // The transport has other bounds for those who have not been welcomed.
    private func noteStanding(of session: Session, _ connection: Connection) {
        connection.standing = session.isReady ? .guest : session.isVerifying ? .pending : .stranger
    }

    func heard(from connection: Connection) {
        guard let session = session(of: connection) else { return }
        relay.hear(from: session, at: now)
    }

    func writable(_ connection: Connection) {
        guard let session = session(of: connection) else { return }
        flush(session)
        relay.wrote(to: session)
    }

    func closed(_ connection: Connection, by end: ConnectionEnd) {
        guard let session = session(of: connection) else { return }
        connection.attachment = nil
        let reason: EndReason =
            switch end {
            case .peer: .closed
            case .failure(let code): EndReason(code)
            // Only the transport itself closes a session that goes on: for another connection.
            case .server: .overload
            case .loss: .cut
            }
        relay.close(session, as: reason, at: now)
    }

    private func session(of connection: Connection) -> Session? {
        guard let attachment = connection.attachment else { return nil }
        // Only `opened` attaches anything, and it attaches a session. So no frame has to pay for a checked cast.
        return unsafeDowncast(attachment, to: Session.self)
    }

    // MARK: Turns

    func turnEnded() {
        handOver()
        relay.doWork(at: now)
        relay.visitPart { flush($0) }
        handOver()
        for coming in relay.takeComings() { connectionLog.note(coming, at: now) }
        for refused in relay.takeRefusals() { connectionLog.note(refused, at: now) }
        note(relay.takeDeeds())
        stepDrain()
        if let moved = clockWatch.look(at: now) {
            log.warning(
                "The clock was set while the relay runs: messages get its time, and expire by it",
                metadata: ["event": "clock.moved", "seconds": .stringConvertible(moved / 1_000)])
        }
        if let loop {
            let time = now.monotonic
            service?.beat(at: time)
            let next = min(relay.nextDeadline(at: now), nextDrainStep, service?.nextBeat ?? .max)
            loop.setTimer(afterMilliseconds: max(1, next - time))
            memory.note(sockets: loop.descriptorCount, bytes: loop.partialBytes)
        }
        forgetTime()
        if relay.hasWork { loop?.goOn() }
    }

    func timer() {
        relay.tick(at: now)
    }

    func delivered(_ letters: [Letter]) {
        for letter in letters {
            switch letter {
            case .committed(let report): committed(report)
            case .room(let hasRoom): hasRoom ? relay.roomIsBack(at: now) : relay.roomIsGone(at: now)
            case .answered(let result): relay.answered(result, at: now)
            case .verified(let session, let result):
                if case .failure(let refusal) = result {
                    connectionLog.note(refusal, to: session, relay.attachment(of: session), at: now)
                }
                relay.verified(session, result, at: now)
            case .drain: beginDrain()
            case .reloaded(.success(let reloaded)): reload(reloaded)
            case .reloaded(.failure(let failure)): reloadFailed(failure.description)
            }
        }
    }

    func flush(_ session: Session) {
        guard let attachment = session.attachment else { return }
        let connection = unsafeDowncast(attachment, to: Connection.self)
        if connection.standing != .guest { noteStanding(of: session, connection) }
        let isDrained = session.outbox.isEmpty || connection.write(&session.outbox)
        session.heldBytes = connection.unsentBytes
        if let code = session.closing { return connection.close(code) }
        if isDrained, session.wantsDrained { relay.drained(session, at: now) }
    }

    private func handOver() {
        guard let workers else { return }
        if let batch = relay.takeBatch(at: now), !workers.commits.submit(batch) {
            committed(CommitReport(result: .failure(StorageFailure.closed)))
        }
        for read in relay.takeReads(at: now) where !workers.reads.submit(read) {
            relay.answered(ReadResult(ticket: read.ticket, isFailed: true), at: now)
        }
        for verification in relay.takeVerifications() { verify(verification, workers) }
    }

    private func committed(_ report: CommitReport) {
        switch report.result {
        case .success(let outcomes):
            commits.microseconds.record(Int64(clamping: report.nanoseconds / 1_000))
            commits.rows.record(Int64(report.rows))
            relay.committed(outcomes, at: now) { relay.visitTouched { flush($0) } }
        case .failure(is NoRoom): relay.noRoom(for: report.unstored, at: now)
        case .failure(let failure):
            guard !hasStoreFailed else { return }
            hasStoreFailed = true
            log.critical(
                "The store failed; the relay stops", metadata: ["event": "store.failed", "error": "\(failure)"])
            relay.commitFailed(at: now)
            beginDrain()
        }
    }

    /// Checks a token on Swift's pool, because a signature takes tens of microseconds and JWTKit is asynchronous. A
    /// session has one check at a time. The result comes back as a letter.
    private func verify(_ verification: Verification, _ workers: Workers) {
        Task { [keys = workers.keys, mailbox = workers.mailbox] in
            let result = await keys.verify(verification.token, now: Clock.wall())
            let answer = result.mapError { failure in
                Refusal(failure == .expired ? .tokenExpired : .unauthorized, "\(failure.reason)")
            }
            mailbox.post(.verified(verification.session, answer))
        }
    }
}
