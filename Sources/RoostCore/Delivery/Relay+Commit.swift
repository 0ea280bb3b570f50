import RoostWire

/// The way through the log: gather while the writer is busy, hand over when it is idle, answer and fan out when the
/// batch is durable. Nothing of an event is told to anybody before.
extension Relay {
    func reserve(_ bytes: Int) throws(Refusal) { try journal.reserve(bytes) }

    func submit(
        _ append: consuming Append, _ session: Session?, _ id: CommandID?, reply: ReplyForm = .plain
    ) {
        journal.submit(append, session, id, reply: reply)
    }

    func store(_ mutation: Mutation) { journal.store(mutation) }

    /// The next batch, if there is one and the writer is idle. The host answers it by `committed` or `commitFailed`.
    public func takeBatch() -> [Mutation]? {
        if journal.isWriterIdle, receipts.isStoreDue {
            // A few in each batch, so that no message waits for the marks of a thousand devices.
            let unstored = receipts.takeUnstored(atMost: isDraining ? .max : limits.watermarksPerBatch)
            journal.storeFirst(unstored.watermarks)
            for cursor in unstored.cursors { journal.store(cursor) }
        }
        return journal.takeBatch()
    }

    /// The batch is durable. One outcome per append, in order. A batch may be larger than what may wait for one
    /// connection; so that who keeps up with it doesn't fall behind, the host writes to the touched sessions when
    /// `write` is called.
    public func committed(_ outcomes: [Outcome], at now: Moment, write: () -> Void = {}) {
        deliverRun()
        arrivals += outcomes.count
        // What was leased comes behind what became of the events.
        let events = outcomes.last?.isLease == true ? outcomes.prefix { !$0.isLease } : outcomes[...]
        for case .leased(let kind, let numbers) in outcomes.dropFirst(events.count) {
            directory.add(numbers, of: kind)
        }
        journal.batchIsDurable(outcomes: events.count)
        var unwritten = 0
        for outcome in events {
            var next = journal.nextSettled()
            let bytes = next.event.body.count
            settle(&next, outcome, now)
            // Not after each event: an outbox stays half full if its client doesn't read.
            unwritten += bytes + Self.envelopeBytes
            if isOutboxHalfFull, unwritten >= limits.outboxSpillBytes / 4 {
                isOutboxHalfFull = false
                unwritten = 0
                deliverRun()
                write()
            }
        }
        deliverRun()
    }

    // About what an event's frame holds beside the body.
    private static var envelopeBytes: Int { 256 }

    /// The store failed: what was on its way may or may not be there after a restart, so nothing is acked; from now on
    /// everything that needs the log is refused, and the host stops the relay.
    public func commitFailed(at now: Moment) {
        deliverRun()
        for next in journal.fail() { answer(next, refusal: Refusal(.unavailable, "the store has failed"), now) }
    }

    private func settle(_ next: inout PendingAppend, _ outcome: Outcome, _ now: Moment) {
        let conversation = directory.conversation(next.event.conversation)
        if let change = next.change { directory.settle(change, of: conversation) }
        if case .stored = outcome {} else { deliverRun() }
        switch outcome {
        case .stored(let position, let sequence, let label):
            head = max(head, position)
            guard let conversation else { return }
            next.event.position = position
            next.event.sequence = sequence
            if next.event.kind == .edit { next.event.label = label }
            apply(next, to: conversation, now)
        case .duplicate(let position, let sequence, let number, let time):
            counters.duplicates += 1
            if case .create = next.change, let conversation { directory.remove(conversation) }
            guard let session = next.session else { return }
            if next.reply == .conversation {
                answerCreated(number, position, time, isDuplicate: true, next.id, session, now)
            } else {
                tell(position, to: session, at: now)
                let id = directory.conversation(number)?.id
                builder.begin("ok")
                builder.reply(to: next.id)
                if let id { builder.member("conversation", plain: id) }
                builder.member("sequence", sequence.value)
                builder.member("position", position)
                builder.member("time", time.milliseconds)
                builder.member("duplicate", true)
                reply(builder.finish(), to: session, at: now)
            }
        case .unchanged:
            guard let session = next.session else { return }
            builder.begin("ok")
            builder.reply(to: next.id)
            builder.member("duplicate", true)
            reply(builder.finish(), to: session, at: now)
        case .refused(let code):
            answer(next, refusal: Refusal(code, reason(of: code, isProbe: next.isProbe)), now)
            if case .create = next.change, let conversation { directory.remove(conversation) }
        case .leased: preconditionFailure("what is leased comes behind what became of the events")
        }
    }

    private func answer(_ next: PendingAppend, refusal: Refusal, _ now: Moment) {
        if let conversation = directory.conversation(next.event.conversation) {
            refuseAskers(of: conversation, refusal, now)
        }
        guard let session = next.session, next.reply != .none else { return }
        var refusal = refusal
        refusal.id = next.id
        refuse(refusal, to: session, at: now)
    }

    private func reason(of code: ErrorCode, isProbe: Bool) -> String {
        switch code {
        case .notFound: isProbe ? "no such conversation" : "no such message in this conversation"
        case .gone: "the message was deleted"
        case .forbidden: "only the author may do this"
        case .tooLarge: "at most \(limits.reactionsPerUser) different reactions of one user"
        case .badRequest: "body must be a text, as the message is one"
        default: "not accepted"
        }
    }

    /// A stored event: the directory first, then those who are to know, then the sender.
    private func apply(_ next: borrowing PendingAppend, to conversation: Conversation, _ now: Moment) {
        let event = next.event
        let last = event.kind == .message ? event.sequence : conversation.lastSequence
        conversation.reach(last, event.position, event.time)
        forgetPages(changedBy: event, next.change)
        switch event.kind {
        case .message:
            counters.messages += 1
            if let member = conversation.member(event.sender) {
                receipts.advanceOwn(member, to: event.sequence, writtenAt: event.time, at: now)
            }
            fanOut(event, in: conversation, except: next.session, answering: next.expectedAnswer, at: now)
        case .edit, .delete, .react:
            fanOut(event, in: conversation, except: next.session, answering: next.expectedAnswer, at: now)
        case .conversation:
            // Who comes or goes by this event may not be told of earlier ones, or has to be.
            deliverRun()
            applyChange(next.change, event, to: conversation, except: next.session, at: now)
            answerChange(event, next, of: conversation, now)
        }
    }

    private func answerChange(
        _ event: StoredEvent, _ next: PendingAppend, of conversation: Conversation, _ now: Moment
    ) {
        if let session = next.session, next.reply == .conversation {
            answerCreated(conversation.number, event.position, event.time, isDuplicate: false, next.id, session, now)
        } else if let session = next.session, let id = next.expectedAnswer {
            tell(event.position, to: session, at: now)
            beginAnswer(to: id, event, in: conversation)
            reply(builder.finish(), to: session, at: now)
        }
        answerAskers(of: conversation, event.position, event.time, now)
    }

    /// Writes all of an `ok` but the end of the object.
    func beginAnswer(to id: CommandID, _ event: StoredEvent, in conversation: Conversation) {
        builder.begin("ok")
        builder.reply(to: id)
        if event.kind == .message {
            builder.member("conversation", plain: conversation.id)
            builder.member("sequence", event.sequence.value)
        }
        builder.member("position", event.position)
        builder.member("time", event.time.milliseconds)
    }

    /// Notes that a session learns a position by a reply rather than by the event in its place.
    func tell(_ position: Position, to session: Session, at now: Moment) {
        guard session.phase == .ready, session.delivery != .live else { return }
        session.ownPositions.insert(position)
        // One that goes on writing for ever without catching up.
        if session.ownPositions.count > limits.owedMax { shut(session, .tooSlow, at: now) }
    }
}
