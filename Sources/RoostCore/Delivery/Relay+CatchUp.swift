import DequeModule
import RoostWire

/// Resume, offline and slow readers are one mechanism: a session that has not got everything reads the log in rounds,
/// page by page, each when the one before has left for the network, until nothing is newer; then it is live again.
extension Relay {
    /// Begins a round from where the session is, or makes it live when nothing is missing.
    func beginCatchUp(_ session: Session, at now: Moment) {
        guard let user = session.user else { return }
        var spans: [PageRequest.Span] = []
        for member in user.conversations.values where member.conversation.lastPosition > session.sentPosition {
            let from = max(session.sentPosition, Position(member.joinedAt.value - 1))
            // Not up to the head: those who missed the same ask for the same.
            let last = member.conversation.lastPosition
            spans.append(.init(member.conversation.number, after: from, upTo: last, since: member.since))
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

    /// Asks for the next page of the session's round: one that somebody else asked for already, if there is one.
    func requestPage(_ session: Session) {
        session.delivery = .reading
        guard let request = pageRequest(of: session) else { return }
        if let page = sharedPages[request] {
            page.waiting += 1
            if page.isRead { readyPages.append((session, page)) } else { page.readers.append(session) }
        } else if pagesUnderWay < limits.pagesAtOnce {
            let page = CatchUpPage(request)
            page.waiting = 1
            page.readers = [session]
            sharedPages.add(page)
            pagesUnderWay += 1
            ask(.page(request), .page(page))
        } else {
            waitingForPage.append(session)
        }
    }

    private func pageRequest(of session: Session) -> PageRequest? {
        guard var round = session.round else { return nil }
        for index in round.spans.indices {
            round.spans[index].after = max(round.spans[index].after, session.sentPosition)
        }
        round.spans.removeAll { $0.after >= $0.upTo }
        session.round = round
        return PageRequest(
            spans: round.spans, rows: limits.pageMessages, bytes: limits.pageBytes,
            backlogMax: round.isFirstPage ? limits.backlogMax : nil)
    }

    /// The log's answer. It is handed out at the end of a turn, so that a storm of pages can't make one turn long.
    func pageRead(_ result: ReadResult, _ page: CatchUpPage) {
        page.take(result)
        if result.isFailed { sharedPages.forget(page) }
        sharedPages.keep(page, bytesMax: limits.sharedPageBytes)
        for session in page.readers { readyPages.append((session, page)) }
        page.readers = []
    }

    /// What an event changes of earlier ones is shown as it is now from here on.
    func forgetPages(changedBy event: StoredEvent, _ change: ConversationChange?) {
        switch (event.kind, change) {
        case (.edit, _), (.delete, _), (_, .erase): sharedPages.forget(event.conversation)
        default: return
        }
    }
}
