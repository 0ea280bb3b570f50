import RoostWire

/// A page of a user's conversations, each with its place in the list when it was asked for.
struct ListPage {
    var entries: [(conversation: Conversation, position: Position)]
    /// Where the next page begins, if there is one.
    var next: Position?
}

/// `conversation.list`, `conversation.members` and the conversation object.
extension Relay {
    func list(
        _ before: Text?, _ limit: Int?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try speaker(session)
        try checkReads(of: session)
        var bound = Int64.max
        if let before {
            guard let value = Int64(before.string), value >= 0 else {
                throw Refusal(.badRequest, "before: not a value of next")
            }
            bound = value
        }
        let count = limit ?? limits.historyDefault
        let all = user.conversations.values.map(\.conversation).filter { $0.lastPosition.value < bound }
            .sorted { $0.lastPosition > $1.lastPosition }
        let page = Array(all.prefix(count))
        let next = all.count > page.count ? page.last?.lastPosition : nil
        let entries = page.map { (conversation: $0, position: $0.lastPosition) }
        try askForClient(.latest(latest(page, for: user)), .list(session, id, ListPage(entries: entries, next: next)))
    }

    private func latest(_ conversations: [Conversation], for user: User) -> LatestRequest {
        LatestRequest(
            messages: conversations.compactMap { conversation in
                let since = conversation.member(user.number)?.since ?? .none
                return conversation.lastSequence > since ? (conversation.number, conversation.lastSequence) : nil
            })
    }

    func answerList(
        _ result: ReadResult, _ page: ListPage, _ id: CommandID?, _ session: Session, _ now: Moment
    ) {
        guard let user = session.user else { return }
        var last: [ConversationNumber: StoredEvent] = [:]
        for event in result.events { last[event.conversation] = event }
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginArray("conversations")
        var next = page.next
        var before: Position?
        for (conversation, position) in page.entries {
            // Last messages may be long: then the page ends early and the next one goes on here.
            if let before, builder.written.count > limits.pageBytes {
                next = before
                break
            }
            before = position
            // Left since the question was asked.
            guard let member = conversation.member(user.number) else { continue }
            builder.beginObject()
            write(conversation, for: member, last: last[conversation.number])
            builder.endObject()
        }
        builder.endArray()
        if let next { builder.member("next", next) }
        reply(builder.finish(), to: session, at: now)
    }

    /// Answers `conversation.create`: with the object, its last message read first if there is one.
    func answerCreated(
        _ number: ConversationNumber, _ position: Position, _ time: Timestamp, isDuplicate: Bool, _ id: CommandID?,
        _ session: Session, _ now: Moment
    ) {
        guard session.phase == .ready, let user = session.user else { return }
        do throws(Refusal) {
            guard let conversation = directory.conversation(number), conversation.member(user.number) != nil else {
                // Created once, and left or erased since.
                throw Refusal(.gone, "the conversation is there no more")
            }
            let request = latest([conversation], for: user)
            // Who has just come in has nothing to be shown yet, and no later event may overtake the answer that stands
            // for this one.
            guard isDuplicate, !request.messages.isEmpty else {
                return answerCreated(conversation, nil, position, time, isDuplicate: isDuplicate, id, session, now)
            }
            try askForClient(
                .latest(request), .created(session, id, conversation, position, time, isDuplicate: isDuplicate))
        } catch {
            var refusal = error
            refusal.id = id
            refuse(refusal, to: session, at: now)
        }
    }

    func answerCreated(
        _ conversation: Conversation, _ last: StoredEvent?, _ position: Position, _ time: Timestamp,
        isDuplicate: Bool, _ id: CommandID?, _ session: Session, _ now: Moment
    ) {
        guard let user = session.user, let member = conversation.member(user.number) else {
            return refuse(Refusal(.gone, "the conversation is there no more", id: id), to: session, at: now)
        }
        tell(position, to: session, at: now)
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("conversation")
        write(conversation, for: member, last: last)
        builder.endObject()
        builder.member("position", position)
        builder.member("time", time.milliseconds)
        if isDuplicate { builder.member("duplicate", true) }
        reply(builder.finish(), to: session, at: now)
    }

    private func write(_ conversation: Conversation, for member: Member, last: StoredEvent?) {
        builder.member("conversation", plain: conversation.id)
        builder.member("kind", word: conversation.kind.word)
        if conversation.kind == .group { builder.member("name", conversation.name) }
        builder.member("role", word: member.role.word)
        builder.member("count", Int64(conversation.members.count))
        writeNames("members", conversation.members.prefix(limits.membersNamed).map(\.user.number))
        builder.member("sequence", conversation.lastSequence.value)
        builder.member("unread", member.unread)
        builder.member("read", member.watermark.read.value)
        if let last {
            builder.beginObject("message")
            writeMessage(last, in: conversation, for: member.user)
            builder.endObject()
        }
        builder.member("time", conversation.lastTime.milliseconds)
    }

    /// Who is there and how far each has got; with a sequence also how many have got that far. O(members).
    func members(
        _ name: Text, _ sequence: SequenceNumber?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try speaker(session)
        let (conversation, _) = try directory.conversation(name, for: user)
        var delivered: Int64 = 0
        var read: Int64 = 0
        var others: Int64 = 0
        builder.begin("ok")
        builder.reply(to: id)
        builder.member("conversation", plain: conversation.id)
        builder.beginArray("members")
        for member in conversation.members {
            builder.beginObject()
            builder.member("user", plain: member.user.name)
            builder.member("role", word: member.role.word)
            write(member.watermark)
            builder.endObject()
            guard let sequence, member.user !== user else { continue }
            others += 1
            if member.watermark.delivered >= sequence { delivered += 1 }
            if member.watermark.read >= sequence { read += 1 }
        }
        builder.endArray()
        if let sequence {
            builder.member("sequence", sequence.value)
            builder.member("of", others)
            builder.member("deliveredCount", delivered)
            builder.member("readCount", read)
        }
        reply(builder.finish(), to: session, at: now)
    }
}
