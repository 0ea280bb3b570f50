import RoostWire

/// Whoever waits for an answer of the log.
enum PendingRead {
    case page(CatchUpPage)
    case history(Session, CommandID?, Conversation)
    case list(Session, CommandID?, ListPage)
    case created(Session, CommandID?, Conversation, Position, Timestamp, isDuplicate: Bool)

    /// The client's that asked; pages are for many.
    var session: Session? {
        switch self {
        case .page: nil
        case .history(let session, _, _), .list(let session, _, _), .created(let session, _, _, _, _, _): session
        }
    }
}

/// Questions to the log and their answers.
extension Relay {
    func ask(_ question: Read.Question, _ waiting: PendingRead) {
        let ticket = nextTicket
        nextTicket += 1
        pendingReads[ticket] = waiting
        reads.append(Read(ticket: ticket, question))
    }

    /// Clients may have only so many questions under way. Called before whatever it costs to put one.
    func checkReads(of session: Session) throws(Refusal) {
        guard session.readsUnderWay < limits.readsPerSession else {
            throw Refusal(
                .rateLimited, "\(limits.readsPerSession) reads are under way",
                retryAfterMilliseconds: limits.busyRetryMilliseconds)
        }
        guard clientReads < limits.readsMax else {
            throw Refusal(.busy, "the store is behind", retryAfterMilliseconds: limits.busyRetryMilliseconds)
        }
    }

    func askForClient(_ question: Read.Question, _ waiting: PendingRead) throws(Refusal) {
        if let session = waiting.session { try checkReads(of: session) }
        waiting.session?.readsUnderWay += 1
        clientReads += 1
        ask(question, waiting)
    }

    /// Questions for the reader; each is answered by `answered`.
    public func takeReads() -> [Read] {
        guard !reads.isEmpty else { return [] }
        var taken: [Read] = []
        swap(&taken, &reads)
        return taken
    }

    /// The log's answer.
    public func answered(_ result: ReadResult, at now: Moment) {
        deliverRun()
        arrivals += 1
        guard let waiting = pendingReads.removeValue(forKey: result.ticket) else { return }
        if case .page(let page) = waiting { return pageRead(result, page) }
        guard let session = waiting.session else { return }
        session.readsUnderWay -= 1
        clientReads -= 1
        guard session.phase == .ready else { return }
        switch waiting {
        case .page: return
        case .history(_, let id, let conversation):
            guard !result.isFailed else { return readFailed(id, session, now) }
            answerHistory(result, conversation, id, session, now)
        case .list(_, let id, let page):
            guard !result.isFailed else { return readFailed(id, session, now) }
            answerList(result, page, id, session, now)
        case .created(_, let id, let conversation, let position, let time, let isDuplicate):
            answerCreated(
                conversation, result.events.first, position, time, isDuplicate: isDuplicate, id, session, now)
        }
    }

    private func readFailed(_ id: CommandID?, _ session: Session, _ now: Moment) {
        refuse(Refusal(.unavailable, "the store could not be read", id: id), to: session, at: now)
    }

    // MARK: history

    func history(_ history: Command.History, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, _) = try speaker(session)
        let (conversation, _) = try self.conversation(history.conversation, for: user)
        // Coming back is under way: what was before stays hidden.
        let since = conversation.member(user.number)?.since ?? conversation.lastSequence
        let request = HistoryRequest(
            conversation: conversation.number, reader: user.number, after: max(history.after ?? .none, since),
            before: history.before ?? SequenceNumber(Int64.max), isNewest: history.after == nil,
            rows: history.limit ?? limits.historyDefault, bytes: limits.pageBytes)
        try askForClient(.history(request), .history(session, id, conversation))
    }

    private func answerHistory(
        _ result: ReadResult, _ conversation: Conversation, _ id: CommandID?, _ session: Session, _ now: Moment
    ) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.member("conversation", plain: conversation.id)
        builder.beginArray("messages")
        for event in result.events {
            builder.beginObject()
            writeMessage(event, in: conversation, for: session.user)
            builder.endObject()
        }
        builder.endArray()
        builder.member("more", result.hasMore)
        reply(builder.finish(), to: session, at: now)
    }
}
