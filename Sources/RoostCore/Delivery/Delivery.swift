import DequeModule
import RoostFraming
import RoostWire

/// Everything that goes out to sessions. Events for one conversation are gathered in a run, so that the list of its
/// sessions is walked once for several events. Everything else goes into an outbox at once. Every function except the
/// gathering ones first delivers what was gathered, so each session gets everything in order. A session that can't keep
/// up falls behind, has ephemeral events held back, or is closed. Delivery doesn't know what events mean or what
/// follows from the end of a session: ended sessions wait in `takeEnded`. Loop thread only.
final class Delivery {
    private let bounds: Bounds
    private let counters: Counters
    /// The outboxes.
    let edge: DirectEdge
    let room: OutboxRoom
    private let events: EventFrames
    /// The newest durable events, for sessions that are a little behind.
    let window: EventWindow
    private var run = FanOutRun()
    /// There are two runs in all: one gathers while the other is delivered.
    private var spareRun = FanOutRun()
    /// The part of a run for one session, while it is put together.
    private var portion = JoinedFrames()
    /// Some outbox holds half of what makes its session fall behind, so it should be written before more is added.
    private var isOutboxHalfFull = false
    private var ended = Deque<Session>()

    init(_ bounds: Bounds, _ window: EventWindow, builder: FrameBuilder, counters: Counters) {
        self.bounds = bounds
        self.window = window
        self.counters = counters
        events = EventFrames(builder: builder)
        edge = DirectEdge(
            calmBytes: bounds.calmBytes, visitsMin: bounds.visitsMin, crowdVisitsMin: bounds.crowdVisitsMin)
        room = OutboxRoom(bounds, edge, counters)
    }

    // MARK: Gathering

    /// Gathers a durable event for every device of every member except the session that caused it. That session gets
    /// `ok` if its command had an id (`answering`). The sender's other devices also get the device and the key.
    /// - Parameter author: of the message that is pinned or unpinned by it.
    func gather(
        _ event: borrowing StoredEvent, from sender: User?, in conversation: Conversation, except origin: Session?,
        answering id: CommandID?, pinning author: User? = nil
    ) {
        if !run.isOpen(for: conversation, isSignals: false) { settle() }
        let name = sender?.name ?? ""
        events.begin(event, in: conversation, from: name, isOwn: false)
        window.add(events.builder.written, of: event, in: conversation, pinning: author?.number ?? .none)
        run.add(events.builder, of: event, to: conversation, except: origin)
        if let id {
            events.beginAnswer(to: id, event, in: conversation)
            run.addAnswer(events.builder)
        }
        if let sender { setApart(event, of: sender, in: conversation, except: origin) }
        if let author { run.hidePin(of: author, in: conversation) }
        // Deliver early enough to notice when a session falls behind.
        if run.bytes >= bounds.spillBytes / 8 { settle() }
    }

    /// The sender's other devices get more of a message than others, and members who have blocked the sender only get a
    /// placeholder of the event.
    private func setApart(
        _ event: borrowing StoredEvent, of sender: User, in conversation: Conversation, except origin: Session?
    ) {
        if event.extras.isWithheld {
            run.withhold(event, in: conversation, events)
        } else if !conversation.veiling.isEmpty {
            // Every other event that isn't withheld has ended the veil by now. An erasure leaves it.
            run.hideAll(of: conversation)
        } else if !sender.privacy.blocks.byOthers.isEmpty, event.kind.isAboutMessage {
            let blockers = conversation.blockers(of: sender)
            if !blockers.isEmpty {
                events.beginHidden(event.kind, of: event.sequence, at: event.position, event.time, in: conversation)
                run.hide(from: blockers, author: sender.number, instead: events.builder)
            }
        }
        guard event.kind == .message else { return }
        var isWritten = false
        for session in sender.sessions where session !== origin {
            if !isWritten {
                isWritten = true
                events.begin(event, in: conversation, from: sender.name, isOwn: true)
                run.addOwn(events.builder)
            }
            run.setApart(session)
        }
    }

    /// Gathers the signal that was written in the builder for the other sessions of a conversation. Sessions that can't
    /// keep up don't get it. The session that sent it gets `ok` if its command had an id (`answering`).
    func gatherSignal(
        from sender: User?, in conversation: Conversation, except origin: Session, answering id: CommandID?
    ) {
        if !run.isOpen(for: conversation, isSignals: true) { settle() }
        run.add(events.builder, from: sender?.number ?? .none, to: conversation, except: origin)
        if let sender { run.hideSignal(of: sender, in: conversation) }
        if let id {
            events.builder.begin("ok")
            events.builder.reply(to: id)
            run.addAnswer(events.builder)
        }
        if run.bytes >= bounds.calmBytes / 2 { settle() }
    }

    /// Whether some outbox has filled up so far since the last call that the host should write before more is gathered.
    /// Everything gathered has been put into the outboxes by then.
    func wantsToWrite() -> Bool {
        guard isOutboxHalfFull else { return false }
        isOutboxHalfFull = false
        settle()
        return true
    }

    /// See `settle`.
    @inline(__always)
    func deliverGathered() {
        if !run.isEmpty { deliverRun() }
    }

    // MARK: One session

    /// Puts a frame that must not be lost into the outbox: a reply or a control event.
    func reply(_ frame: Frame, to session: Session) {
        settle()
        if hasRoom(for: frame.count, session) { edge.write(frame, to: session) }
    }

    /// Records that a session learns a position from a reply and not from the event.
    /// - Parameter conversation: if it is that of a message of its own.
    func tellAhead(_ position: Position, ofMessageIn conversation: Conversation? = nil, to session: Session) {
        settle()
        noteAhead(position, ofMessageIn: conversation, of: session)
    }

    /// Sends a state of which only the newest value matters: now, or once the session has drained its outbox.
    func deliver(_ frame: Frame, _ key: Owed, to session: Session) {
        guard isCalm(session) else { return owe(key, to: session) }
        push(frame, to: session)
    }

    /// Sends to those sessions of a conversation for which `isTold` is true. A crowd's turn comes last.
    func deliver(_ frame: Frame, _ key: Owed, in conversation: Conversation, where isTold: (Session) -> Bool) {
        settle()
        let held = Unmanaged.passUnretained(frame)
        let isCrowd = edge.isCrowd(conversation.audienceCount)
        var told = 0
        conversation.audience.forEach { session, _ in
            guard session.phase == .ready, isTold(session) else { return }
            guard edge.backlog(of: session) <= bounds.calmBytes else { return owe(key, to: session) }
            edge.add(session, to: held, bytes: frame.count, isCrowd: isCrowd)
            told += 1
        }
        edge.end(held, sessions: told)
        counters.ephemeralDeliveries += told
    }

    /// Whether few enough bytes wait for the session to send it ephemeral events.
    func isCalm(_ session: Session) -> Bool {
        settle()
        return edge.backlog(of: session) <= bounds.calmBytes
    }

    /// Puts an ephemeral event into the outbox of a calm session. News of other users is patient: a storm of it doesn't
    /// delay messages.
    func push(_ frame: Frame, to session: Session, isPatient: Bool = false) {
        guard session.phase != .ended else { return }
        settle()
        if isPatient { edge.writePatiently(frame, to: session) } else { edge.write(frame, to: session) }
        counters.ephemeralDeliveries += 1
    }

    /// Notes an ephemeral event to send to a session later, when it is calm again.
    func owe(_ key: Owed, to session: Session) {
        guard session.phase != .ended else { return }
        session.owed.insert(key)
        counters.ephemeralOwed += 1
        if session.owed.count > bounds.owed { shut(session, .tooSlow) }
    }

    /// Events held back for a session, in a fixed order so that a simulation can be repeated.
    func takeOwed(_ session: Session) -> [Owed] {
        guard !session.owed.isEmpty else { return [] }
        defer { session.owed.removeAll() }
        return session.owed.sorted()
    }

    /// Adds a piece of a catch-up page, which brings the session up to `position`.
    func push(page frame: Frame, upTo position: Position, events: Int, to session: Session) {
        guard session.phase == .ready else { return }
        settle()
        edge.write(frame, to: session)
        session.feed.sent(upTo: position)
        counters.deliveries += events
    }

    /// Sends to a member's session, behind the event by which the member joined, that there are earlier messages. Its
    /// device may have outdated ones from an earlier membership.
    func tellWhatWasBefore(_ member: Member, to session: Session) {
        guard member.joinedAfter > member.since else { return }
        let first = SequenceNumber(member.since.value + 1)
        let gap = Gap(member.conversation.number, from: first, to: member.joinedAfter, isReset: true)
        settle()
        events.begin(gap, in: member.conversation)
        reply(events.builder.finish(), to: session)
    }

    /// Notes a message of a page whose ack is awaited.
    func noteUnacked(_ entry: UnackedMessages.Entry, of session: Session) {
        session.feed.unacked.note(entry, atMost: bounds.unacked)
    }

    // MARK: The end of a session

    /// Ends a session from our side. It takes no further command; the host writes what waits and closes the connection.
    func shut(_ session: Session, _ code: CloseCode) {
        settle()
        end(session, code)
    }

    /// The next session that has ended but is still known to other parts. Returns each one once.
    func takeEnded() -> Session? { ended.popFirst() }

    private func end(_ session: Session, _ code: CloseCode) {
        guard session.phase != .ended else { return }
        noteEnd(of: session)
        session.end(by: code)
        counters.count(code)
        ended.append(session)
        edge.touch(session)
    }

    // MARK: Visits

    /// Whether a session has something to write or to close.
    var hasVisits: Bool { !edge.isEmpty || !run.isEmpty }

    /// Counts commands, outcomes or answers that came in; `visitPart` goes by their number.
    func noteArrivals(_ count: Int) { edge.noteArrivals(count) }

    /// Calls `body` for the sessions with something to write or to close until there are none or the share is used up,
    /// in the order in which they were touched, those of crowds last. `body` may touch further ones.
    func visit(_ share: VisitShare, _ body: (Session) -> Void) {
        settle()
        var share = share
        while let session = edge.next(in: &share) {
            body(session)
            edge.noteWritten(session)
            // `body` may have added to a run.
            if edge.isEmpty { settle() }
        }
    }

    /// Visits as many sessions as one turn may.
    func visitPart(_ body: (Session) -> Void) {
        settle()
        visit(edge.takeShare(), body)
    }

    // MARK: Runs

    @inline(never)
    private func deliverRun() {
        let delivered = run
        precondition(spareRun.isEmpty, "one run is delivered at a time")
        swap(&run, &spareRun)
        guard let conversation = delivered.conversation else { preconditionFailure("a run belongs to a conversation") }
        let frames = delivered.takeFrames()
        deliverToWholes(frames, of: delivered, in: conversation)
        deliverToPartials(frames, of: delivered)
        delivered.removeAll()
    }

    /// Sends to the sessions that get the whole run. The others are noted for `deliverToPartials`.
    private func deliverToWholes(_ frames: Frame, of delivered: FanOutRun, in conversation: Conversation) {
        let held = Unmanaged.passUnretained(frames)
        let bytes = frames.count
        let messages = delivered.messages
        let isCrowd = edge.isCrowd(conversation.audience.count)
        var wholes = 0
        conversation.audience.forEach { session, since in
            guard takesWhole(delivered, bytes, session, since) else {
                return delivered.partials.append(.init(session: .passUnretained(session), since: since))
            }
            wholes += 1
            edge.add(session, to: held, bytes: bytes, isCrowd: isCrowd)
            guard !delivered.isSignals else { return }
            session.feed.sent(upTo: delivered.last)
            session.feed.unacked.note(messages, atMost: bounds.unacked)
            if edge.backlog(of: session) > bounds.spillBytes / 2 { isOutboxHalfFull = true }
        }
        edge.end(held, sessions: wholes)
        if !delivered.isSignals {
            counters.fanOut.record(Int64(conversation.audience.count), times: delivered.entries.count)
        }
        count(wholes * delivered.entries.count, of: delivered)
    }

    /// Whether all of a run is for this session, and fits into its outbox.
    @inline(__always)
    private func takesWhole(_ delivered: FanOutRun, _ bytes: Int, _ session: Session, _ since: SequenceNumber) -> Bool {
        guard !session.isApart else { return false }
        let bytes = edge.backlog(of: session) + bytes
        if delivered.isSignals { return bytes <= room.forSignals(session) }
        return session.feed.state == .live && delivered.lowest > since && bytes <= room.forEvents(session)
    }

    private func count(_ deliveries: Int, of delivered: FanOutRun) {
        if delivered.isSignals { counters.signalDeliveries += deliveries } else { counters.deliveries += deliveries }
    }

    // MARK: Parts of runs

    /// Goes event by event for sessions that don't get exactly the whole run: they or their user caused some of it,
    /// they joined in the middle, or they have no room for all of it. The events for such a session are copied into one
    /// frame, which sessions with the same events share.
    private func deliverToPartials(_ frames: Frame, of delivered: FanOutRun) {
        let asides = delivered.takeAsides()
        var forms = SharedForms(edge)
        for partial in delivered.partials {
            let session = partial.session.takeUnretainedValue()
            session.isApart = false
            guard !delivered.isSignals else {
                pushSignals(frames, asides, of: delivered, to: session, room: room.forSignals(session))
                continue
            }
            guard let user = session.user, takesAll(delivered, session, partial.since) else {
                pushEvents(frames, asides, of: delivered, to: session, above: partial.since)
                continue
            }
            let form = delivered.form(for: user)
            guard !delivered.leavesOut(form) else {
                pushEvents(frames, asides, of: delivered, to: session, above: partial.since)
                continue
            }
            let frame = forms.frame(form) {
                delivered.join(frames, asides, as: $0, in: &portion)
                return portion.take()
            }
            if pushAll(frame, of: delivered, to: session) {
                forms.noteSession()
            } else {
                pushEvents(frames, asides, of: delivered, to: session, above: partial.since)
            }
        }
        forms.end()
        for session in delivered.apart where session.isApart {
            session.isApart = false
            if delivered.isSignals {
                pushSignals(frames, asides, of: delivered, to: session, room: 0)
            } else {
                pushEvents(frames, asides, of: delivered, to: session, above: SequenceNumber(Int64.max))
            }
        }
    }

    /// Whether the session gets every event of a run, if there is room: it caused none of them.
    private func takesAll(_ delivered: FanOutRun, _ session: Session, _ since: SequenceNumber) -> Bool {
        let own = Unmanaged.passUnretained(session).toOpaque()
        return session.phase == .ready && session.feed.state == .live && delivered.lowest > since
            && !delivered.entries.contains { $0.origin?.toOpaque() == own }
    }

    /// Sends a session all of a run in the form for its user. Returns false, and sends nothing, if there is no room.
    private func pushAll(_ frame: Frame, of delivered: FanOutRun, to session: Session) -> Bool {
        guard edge.backlog(of: session) + frame.count <= room.forEvents(session) else { return false }
        edge.add(session, to: .passUnretained(frame), bytes: frame.count, isCrowd: false)
        session.feed.sent(upTo: delivered.last)
        session.feed.unacked.note(delivered.messages, atMost: bounds.unacked)
        if edge.backlog(of: session) > bounds.spillBytes / 2 { isOutboxHalfFull = true }
        count(delivered.entries.count, of: delivered)
        return true
    }

    /// Sends a session every signal except its own, for which it gets `ok`, and except those it has no room for.
    private func pushSignals(
        _ frames: Frame, _ asides: Frame?, of delivered: FanOutRun, to session: Session, room: Int
    ) {
        let own = Unmanaged.passUnretained(session).toOpaque()
        let form = FanOutRun.Form(own: .none, hidden: delivered.hidden(from: session.user))
        var deliveries = 0
        for (index, entry) in delivered.entries.enumerated() {
            guard entry.origin?.toOpaque() != own else {
                if let asides, let answer = entry.answer { pushApart(asides.bytes(at: answer), to: session) }
                continue
            }
            guard room > 0, !form.hides(index) else { continue }
            guard edge.backlog(of: session) + portion.count <= room else {
                counters.signalsDropped += 1
                continue
            }
            portion.append(framed: frames.bytes(at: entry.frame))
            deliveries += 1
        }
        pushPortion(to: session)
        count(deliveries, of: delivered)
    }

    /// Sends a session its events until it falls behind. Events of its own user have another form, and its own events
    /// are answered with `ok`.
    private func pushEvents(
        _ frames: Frame, _ asides: Frame?, of delivered: FanOutRun, to session: Session, above since: SequenceNumber
    ) {
        let own = Unmanaged.passUnretained(session).toOpaque()
        let user = session.user?.number
        let form = FanOutRun.Form(own: user ?? .none, hidden: delivered.hidden(from: session.user))
        var deliveries = 0
        for (index, entry) in delivered.entries.enumerated() {
            let isLive = session.phase == .ready && session.feed.state == .live
            if entry.origin?.toOpaque() == own {
                // It counts as sent to the session, if the session has everything before.
                if isLive { session.feed.sent(upTo: entry.position) }
                if let asides, let answer = entry.answer {
                    let conversation = entry.isMessage ? delivered.conversation : nil
                    noteAhead(entry.position, ofMessageIn: conversation, of: session)
                    pushApart(asides.bytes(at: answer), to: session)
                }
                continue
            }
            guard isLive, entry.sequence > since else { continue }
            let bytes = delivered.bytes(
                of: entry, frames, asides, own: form.own, isHidden: form.hides(index))
            guard !bytes.isEmpty else {
                session.feed.sent(upTo: entry.position)
                continue
            }
            guard edge.backlog(of: session) + portion.count + bytes.count <= room.forEvents(session) else {
                fallBehind(session)
                continue
            }
            portion.append(framed: bytes)
            session.feed.sent(upTo: entry.position)
            deliveries += 1
            guard entry.isMessage, let number = delivered.conversation?.number else { continue }
            session.feed.unacked.note(
                .init(conversation: number, sequence: entry.sequence, position: entry.position),
                atMost: bounds.unacked)
        }
        pushPortion(to: session)
        count(deliveries, of: delivered)
    }

    /// Like `reply`, but into the session's part of the run.
    private func pushApart(_ answer: UnsafeRawBufferPointer, to session: Session) {
        if hasRoom(for: portion.count + answer.count, session) { portion.append(framed: answer) }
    }

    private func pushPortion(to session: Session) {
        guard portion.count > 0 else { return }
        let frame = portion.take()
        let held = Unmanaged.passUnretained(frame)
        edge.add(session, to: held, bytes: frame.count, isCrowd: false)
        edge.end(held, sessions: 1)
        if edge.backlog(of: session) > bounds.spillBytes / 2 { isOutboxHalfFull = true }
    }

    /// The session ends, for whatever reason.
    func noteEnd(of session: Session) {
        if session.phase == .ready, session.feed.state != .live { counters.behind.sessions -= 1 }
    }

    private func fallBehind(_ session: Session) {
        session.feed.fallBehind()
        counters.behind.sessions += 1
        counters.behind.spills += 1
        // A frame larger than the limit makes the session fall behind even if nothing waits in its outbox, so `drained`
        // would never be called.
        edge.touch(session)
    }

    // MARK: Bounds

    /// Whether this many further bytes may wait. A session without room for frames that must not be lost is closed.
    private func hasRoom(for bytes: Int, _ session: Session) -> Bool {
        guard session.phase != .ended else { return false }
        guard room.isLeft(for: bytes, session) else {
            end(session, .tooSlow)
            return false
        }
        return true
    }

    /// The `ok` of a message replaces the event, unless the client will yet get the event by which its user joined:
    /// that one begins the conversation anew.
    private func noteAhead(_ position: Position, ofMessageIn conversation: Conversation?, of session: Session) {
        guard session.phase == .ready, session.feed.state != .live else { return }
        let member = session.user.flatMap { conversation?.member($0.number) }
        let isKnown = member.map { $0.joinedAt <= session.feed.sentPosition } ?? false
        session.feed.tellAhead(position, standsForEvent: isKnown)
    }

    /// Refuses a durable command of a session whose replies are as many positions ahead of its events as are kept: it
    /// writes faster than it catches up.
    func checkAhead(of session: Session) throws(Refusal) {
        guard session.feed.state != .live, session.feed.toldAheadCount >= bounds.owed else { return }
        throw Refusal(
            .busy, "this device has to catch up before it sends more", retryAfterMilliseconds: bounds.aheadMilliseconds)
    }
}
