import RoostWire

/// Questions to the log and their answers.
extension Relay {
    func ask(_ question: Read.Question, _ waiting: PendingRead) { reads.ask(question, for: waiting) }

    func checkReads(of session: Session) throws(Refusal) { try reads.check(session) }

    func askForClient(_ question: Read.Question, _ waiting: PendingRead) throws(Refusal) {
        if let session = waiting.session { try reads.check(session) }
        reads.ask(question, for: waiting)
    }

    /// Questions for the reader; each is answered by `answered`.
    public func takeReads() -> [Read] { reads.take() }

    /// The log's answer.
    public func answered(_ result: ReadResult, at now: Moment) {
        deliverRun()
        arrivals += 1
        guard let waiting = reads.answered(result.ticket) else { return }
        if case .page(let page) = waiting { return pageRead(result, page) }
        guard let session = waiting.session, session.phase == .ready else { return }
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
        let (conversation, _) = try directory.conversation(history.conversation, for: user)
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
