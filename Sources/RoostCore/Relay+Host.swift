import RoostWire

/// The host's calls besides commands. It reports connections, checked tokens, outcomes of batches, answers from the
/// log, and time. At the end of each turn it takes batches, queries and tokens for other threads, visits sessions to
/// write to, and asks when to wake up.
extension Relay {
    /// Wraps every input. Sessions that were ended by it are removed everywhere after it, so that no part is called in
    /// the middle of its work.
    /// - Parameter arrivals: how many arrivals it counts for when the next turn visits sessions.
    @inline(__always)
    func input(arrivals: Int = 0, at now: Moment, _ body: () -> Void) {
        delivery.noteArrivals(arrivals)
        body()
        session.takeOutEnded(at: now)
    }

    // MARK: Connections

    /// A connection was opened.
    public func open(at now: Moment) -> Session { sessions.open(at: now) }

    /// Something that isn't a command arrived, such as a pong.
    public func hear(from session: Session, at now: Moment) { sessions.heard(session, at: now) }

    /// The connection has ended, in whatever way. Called exactly once for every session.
    /// - Parameter reason: how it ended, unless the relay has ended the session itself.
    public func close(_ session: Session, as reason: EndReason = .cut, at now: Moment) {
        input(at: now) { self.session.close(session, as: reason, at: now) }
    }

    /// The host has written to a session that it visits without being asked to, because the socket took more.
    public func wrote(to session: Session) { delivery.edge.noteWritten(session) }

    /// Everything in the outbox has left for the network. The session now gets the states it is owed, then the events
    /// it has missed.
    public func drained(_ session: Session, at now: Moment) {
        input(at: now) { self.session.drained(session, at: now) }
    }

    /// Handles the result of checking a token.
    public func verified(_ id: SessionID, _ result: Result<Grant, Refusal>, at now: Moment) {
        input(arrivals: 1, at: now) { session.checked(id, result, at: now) }
    }

    // MARK: The log

    /// The batch is durable, with one outcome for each append, in order. A batch may be larger than what may wait for
    /// one connection. So the host writes to the touched sessions whenever `write` is called; otherwise sessions that
    /// keep up would seem slow.
    public func committed(_ outcomes: [Outcome], at now: Moment, write: () -> Void = {}) {
        input(arrivals: outcomes.count, at: now) {
            receipt.batchIsDurable()
            stored.settle(outcomes, at: now, write: write)
            journalHasChanged(at: now)
        }
    }

    /// Durable events decided elsewhere, by an importer or another node that writes to the same log. They come in order
    /// of position; known ones are skipped.
    public func learn(_ events: [LearnedEvent], at now: Moment, write: () -> Void = {}) {
        input(arrivals: events.count, at: now) {
            stored.learn(events, at: now, write: write)
            journalHasChanged(at: now)
        }
    }

    /// The store has failed. Events that were under way may or may not be found after a restart, so none of them is
    /// acked. From now on the Relay refuses everything that needs the log, and the host stops the relay.
    public func commitFailed(at now: Moment) {
        input(at: now) {
            stored.fail()
            journalHasChanged(at: now)
        }
    }

    /// The log has no room: nothing of the batch under way is stored. Until `roomIsBack`, commands that store something
    /// are refused, and the newest of every other state waits.
    public func noRoom(for batch: [Mutation], at now: Moment) {
        input(at: now) {
            journal.noRoom(for: batch)
            stored.refuseWhatHasNoRoom()
            journalHasChanged(at: now)
        }
    }

    /// The log has no room for the next batch. One that it has may still be stored.
    public func roomIsGone(at now: Moment) {
        input(at: now) {
            journal.roomIsGone()
            stored.refuseWhatHasNoRoom()
            journalHasChanged(at: now)
        }
    }

    private func journalHasChanged(at now: Moment) {
        operators.feeds.journalHasChanged()
        replies.held.settle(at: now)
        operators.farewells.goOn(at: now)
    }

    /// The log has room again.
    public func roomIsBack(at now: Moment) {
        input(at: now) { journal.roomIsBack() }
    }

    /// The log's answer to a question.
    public func answered(_ result: ReadResult, at now: Moment) {
        input(arrivals: 1, at: now) {
            var result = result
            let (head, isFailed) = (result.head, result.isFailed)
            let reader = reads.answered(&result) { !isFailed && query.isStale($0, readAt: head) }
            guard let reader else { return }
            guard case .page(let page) = reader else {
                if case .whereabouts(let session, let id, let page) = reader {
                    return operators.answered(result, page, id, session)
                }
                if case .feed(let session, let id, let after) = reader {
                    return operators.feeds.answered(result, after: after, id, session)
                }
                if case .typing(let asker, let question) = reader {
                    return typing.answered(result, question, asker, now)
                }
                if case .report(let asker, let draft) = reader {
                    return operators.reports.answered(result, draft, asker, at: now)
                }
                if case .reported(let session, let id, let number) = reader {
                    return operators.reports.answered(result, number, id, session, at: now)
                }
                if case .erasure(let asker) = reader {
                    return operators.erasures.answered(result, asker, at: now)
                }
                if let session = reader.session { prices.charge(bytes: result.bodyBytes, to: session, at: now) }
                if case .receipts(let asker, let page) = reader { return receipt.listing.answered(result, page, asker) }
                if case .unread(let asker, let page) = reader {
                    return receipt.marks.answered(result, page, asker, at: now)
                }
                if case .settings(let asker) = reader { return setting.answered(result, asker) }
                return query.answered(result, for: reader)
            }
            catchUp.take(result, for: page)
        }
    }

    // MARK: Time

    /// Does what is due: pings, deadlines, gathered receipts and presence, watermarks for the store.
    public func tick(at now: Moment) {
        input(at: now) {
            session.tick(at: now)
            typing.tick(at: now.monotonic)
            presence.tick(at: now)
            profile.news.tick(at: now)
            receipt.tick(at: now)
            catchUp.tick(at: now)
            delivery.window.forget(at: now.wall)
            journal.tick(at: now.monotonic)
            replies.held.settle(at: now)
            stored.disappearing.tick(at: now)
            operators.tick(at: now)
        }
    }

    /// Begins a drain: no new command is accepted, and every client gets a time to come back. The times are spread over
    /// `spread` milliseconds, so that they don't all come at once.
    public func beginDrain(spreadMilliseconds spread: Int64, at now: Moment) {
        input(at: now) {
            guard !journal.isDraining else { return }
            journal.beginDrain()
            session.announceDrain(over: spread)
            receipt.storeNow()
            operators.feeds.storeNow()
        }
    }

    /// Closes every session. The host writes what waits first.
    public func closeAll(at now: Moment) {
        input(at: now) {
            receipt.storeNow()
            operators.feeds.storeNow()
            presence.closeDown(at: now)
            session.shutAll()
        }
        session.storeEnds()
    }

    /// Returns the sessions that were welcomed or have ended since the last call, as far as they are noted.
    public func takeComings() -> [Coming] { session.comings.take() }

    /// The process around the relay, for operators. Statistics begin when it is set.
    public var host: (any Surroundings)? {
        get { operators.host }
        set { operators.host = newValue }
    }

    /// Returns what operators had done since the last call. To stop the relay is left to the host.
    public func takeDeeds() -> [OperatorDeed] { operators.takeDeeds() }

    /// The host's attachment to a session; nil if it is gone.
    public func attachment(of id: SessionID) -> AnyObject? { sessions[id]?.attachment }

    /// Looks at all sessions, in this turn or in the next ones, for `Counters.Census`; at most once in a second.
    public func takeCensus(at now: Moment) {
        guard now.monotonic >= lookDue.census else { return }
        lookDue.census = .max
        let census = Census(of: sessions, times, head: journal.head, at: now) { [self] reading in
            counters.behind.census = reading
            lookDue.census = now.monotonic + 1_000
        }
        chores.begin(census, at: now)
    }

    /// Looks at all devices, in this turn or in the next ones, for `Counters.Backlog`; at most once in a minute.
    public func takeBacklog(at now: Moment) {
        guard now.monotonic >= lookDue.backlog else { return }
        lookDue.backlog = .max
        let census = BacklogCensus(of: directory, at: now) { [self] found in
            counters.behind.backlog = found
            lookDue.backlog = now.monotonic + BacklogCensus.restMilliseconds
        }
        chores.begin(census, at: now)
    }

    // MARK: For other threads

    /// Returns the next batch if there is one and the writer is idle. The host answers it by `committed`, `noRoom` or
    /// `commitFailed`.
    public func takeBatch(at now: Moment) -> [Mutation]? {
        if journal.isWriterIdle { receipt.storeWhatIsDue() }
        return journal.takeBatch(at: now.monotonic)
    }

    /// Returns reads for the reader. Each is answered by `answered`.
    public func takeReads(at now: Moment) -> [Read] { reads.take(at: now.wall) }

    /// Returns tokens to check elsewhere, a few at a time. Each is answered by `verified`.
    public func takeVerifications() -> [Verification] { sessions.takeVerifications() }

    /// When `tick` has to be called next, in monotonic milliseconds.
    public func nextDeadline(at now: Moment) -> Int64 {
        var next = min(
            catchUp.nextDeadline, presence.nextDeadline, profile.news.nextDeadline, journal.nextDeadline,
            session.nextDeadline, operators.nextDeadline, receipt.nextDeadline, stored.disappearing.nextDeadline)
        if let due = typing.nextDeadline { next = min(next, due) }
        return next
    }

    // MARK: Work of which one turn does only so much, so that live traffic doesn't wait for it

    /// Whether there is more work for another turn, which the host makes at once. Receipts wait for the next
    /// millisecond, as `nextDeadline` says.
    public var hasWork: Bool { catchUp.hasWork || delivery.hasVisits || !chores.isEmpty }

    /// Does as much as one turn may. The host calls it in every turn, and then visits sessions.
    public func doWork(at now: Moment) {
        input(at: now) {
            chores.work(at: now)
            catchUp.handOut(at: now)
            receipt.tell(at: now)
        }
    }

    /// Returns the sessions with something to write or to close, each once, for hosts that keep them.
    /// - Parameter atMost: at most this many of a kind (`VisitShare`), those touched first.
    public func takeTouched(atMost: Int = .max) -> [Session] {
        var taken: [Session] = []
        delivery.visit(VisitShare(near: atMost, crowd: atMost, patient: atMost)) { taken.append($0) }
        return taken
    }

    /// Calls `body` for the sessions with something to write or to close until there are none, in the order in which
    /// they were touched. `body` may touch further ones.
    public func visitTouched(_ body: (Session) -> Void) { delivery.visit(.all, body) }

    /// Calls `body` for sessions that have something to write or to close, as many as one turn may visit. `hasWork`
    /// says whether more are left.
    public func visitPart(_ body: (Session) -> Void) { delivery.visitPart(body) }
}
