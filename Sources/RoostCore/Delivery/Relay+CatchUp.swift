import DequeModule
import RoostProtocol

/// Resume, offline and slow readers are one mechanism: a session that has not got everything reads the log in rounds,
/// page by page, each when the one before has left for the network, until nothing is newer; then it is live again.
extension Relay {
    /// Begins a round from where the session is, or makes it live when nothing is missing.
    func beginCatchUp(_ session: Session, at now: Moment) {
        guard let user = session.user else { return }
        var spans: [PageRequest.Span] = []
        for member in user.conversations.values where member.conversation.lastPosition > session.sentPosition {
            let from = max(session.sentPosition, Position(member.joinedAt.value - 1))
            spans.append(.init(member.conversation.number, after: from, upTo: head, since: member.since))
        }
        for (conversation, departure) in user.departures where departure.leftAt > session.sentPosition {
            let from = max(session.sentPosition, Position(departure.joinedAt.value - 1))
            spans.append(.init(conversation, after: from, upTo: departure.leftAt, since: departure.since))
        }
        guard !spans.isEmpty else {
            session.sentPosition = head
            session.delivery = .live
            return
        }
        // In one order everywhere, so that a simulated run can be repeated.
        spans.sort { $0.conversation.value < $1.conversation.value }
        session.round = CatchUpRound(spans: spans, upTo: head)
        requestPage(session)
    }

    func requestPage(_ session: Session) {
        session.delivery = .reading
        if pagesUnderWay < limits.pagesAtOnce { readPage(session) } else { waitingForPage.append(session) }
    }

    private func readPage(_ session: Session) {
        guard var round = session.round else { return }
        for index in round.spans.indices {
            round.spans[index].after = max(round.spans[index].after, session.sentPosition)
        }
        round.spans.removeAll { $0.after >= $0.upTo }
        session.round = round
        let request = PageRequest(
            spans: round.spans, rows: limits.pageMessages, bytes: limits.pageBytes,
            backlogMax: round.isFirstPage ? limits.backlogMax : nil)
        pagesUnderWay += 1
        ask(.page(request), .page(session))
    }

    func pageRead(_ result: ReadResult, for session: Session, at now: Moment) {
        pagesUnderWay -= 1
        while pagesUnderWay < limits.pagesAtOnce, let next = waitingForPage.popFirst() {
            if next.phase == .ready { readPage(next) }
        }
        guard session.phase == .ready, var round = session.round else { return }
        guard !result.isFailed else {
            shut(session, .overloaded, at: now)
            return
        }
        counters.pages += 1
        round.isFirstPage = false
        for gap in result.gaps {
            tellGap(gap, to: session, at: now)
            for index in round.spans.indices where round.spans[index].conversation == gap.conversation {
                round.spans[index].after = max(round.spans[index].after, gap.floor)
            }
        }
        for event in result.events where event.position > session.sentPosition {
            guard let conversation = conversationsByNumber[event.conversation] else { continue }
            let member = session.user?.conversations[conversation.number]
            if let member, event.position == member.joinedAt, event.sequence > member.since {
                // It joined while the device was away: what was said before is for `history`, and not passed over
                // in silence.
                let first = Sequence(member.since.value + 1)
                tellGap(
                    Gap(conversation.number, from: first, to: event.sequence, floor: event.position), to: session,
                    at: now)
            }
            let frame = eventFrame(event, in: conversation, isOwn: event.sender == session.user?.number)
            push(frame, event, isMember: member != nil, to: session)
            counters.deliveries += 1
        }
        session.round = round
        session.delivery = .behind
        guard !result.hasMore else { return touch(session) }
        session.round = nil
        session.sentPosition = max(session.sentPosition, round.upTo)
        if isUpToDate(session) { session.delivery = .live }
        touch(session)
    }

    private func isUpToDate(_ session: Session) -> Bool {
        guard let user = session.user else { return true }
        return user.conversations.values.allSatisfy { $0.conversation.lastPosition <= session.sentPosition }
            && user.departures.values.allSatisfy { $0.leftAt <= session.sentPosition }
    }

    private func tellGap(_ gap: Gap, to session: Session, at now: Moment) {
        guard let conversation = conversationsByNumber[gap.conversation] else { return }
        counters.gaps += 1
        builder.begin("gap")
        builder.member("conversation", plain: conversation.id)
        builder.member("from", gap.from.value)
        builder.member("to", gap.to.value)
        reply(builder.finish(), to: session, at: now)
    }

    /// Puts a durable event that was read from the log into the outbox.
    private func push(_ frame: Frame, _ event: StoredEvent, isMember: Bool, to session: Session) {
        session.outbox.push(frame)
        session.sentPosition = event.position
        touch(session)
        guard event.kind == .message, isMember else { return }
        noteUnacked(
            UnackedMessages.Entry(conversation: event.conversation, sequence: event.sequence, position: event.position),
            session)
    }
}
