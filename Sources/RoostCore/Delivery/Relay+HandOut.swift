import DequeModule
import RoostWire

/// Pages that are read, on their way into outboxes: each to everyone who waits for it, as much in one turn as lets live
/// traffic have its own. A round ends here, and with it the session is live again or begins another.
extension Relay {
    /// Whether somebody waits for a page that is there.
    public var hasPagesToHandOut: Bool { !readyPages.isEmpty }

    /// Puts pages that are read into outboxes, as many as one turn may take. Part of `doWork`.
    public func handOutPages(at now: Moment) {
        guard hasPagesToHandOut else { return }
        deliverRun()
        var left = limits.pageBytesPerTurn
        while left > 0, let (session, page) = readyPages.popFirst() {
            left -= Self.handOutCost + handOut(page, to: session, at: now)
            page.waiting -= 1
            if page.waiting == 0, page.isUnderWay { pageIsThrough(page) }
        }
    }

    // A write of its own costs about as much as so many bytes.
    private static var handOutCost: Int { 8_192 }

    private func pageIsThrough(_ page: CatchUpPage) {
        page.isUnderWay = false
        pagesUnderWay -= 1
        while pagesUnderWay < limits.pagesAtOnce, let next = waitingForPage.popFirst() {
            if next.phase == .ready { requestPage(next) }
        }
    }

    /// Gives a page to one of those who wait for it. How many bytes that put into its outbox.
    private func handOut(_ page: CatchUpPage, to session: Session, at now: Moment) -> Int {
        guard session.phase == .ready, let user = session.user, var round = session.round, let result = page.result
        else { return 0 }
        guard !result.isFailed else {
            shut(session, .overloaded, at: now)
            return 0
        }
        let frames = frames(of: page, for: user.number)
        // Erased meanwhile: none of it is shown.
        guard frames.conversations.allSatisfy({ directory.conversation($0) != nil }) else {
            sharedPages.forget(page)
            requestPage(session)
            return 0
        }
        counters.pages += 1
        round.isFirstPage = false
        for gap in result.gaps {
            tellGap(gap, to: session, at: now)
            for index in round.spans.indices where round.spans[index].conversation == gap.conversation {
                round.spans[index].after = max(round.spans[index].after, gap.floor)
            }
        }
        touch(session)
        for part in frames.parts { push(part, of: frames, to: session, user, at: now) }
        session.round = round
        session.delivery = .behind
        guard !result.hasMore else { return frames.bytes }
        session.round = nil
        session.sentPosition = max(session.sentPosition, round.upTo)
        if isUpToDate(session) { session.delivery = .live }
        return frames.bytes
    }

    private func push(
        _ part: PageFrames.Part, of frames: PageFrames, to session: Session, _ user: User, at now: Moment
    ) {
        guard part.position > session.sentPosition else { return }
        if let change = part.change, let member = user.conversations[change.conversation],
            part.position == member.joinedAt, change.sequence > member.since
        {
            // It joined while the device was away: what was said before is for `history`, and not passed over in
            // silence.
            let first = SequenceNumber(member.since.value + 1)
            tellGap(
                Gap(change.conversation, from: first, to: change.sequence, floor: part.position), to: session, at: now)
        }
        push(part.frame, to: session)
        session.sentPosition = part.position
        var known: (conversation: ConversationNumber, isMember: Bool)?
        for message in frames.messages[part.messages] {
            if known?.conversation != message.conversation {
                known = (message.conversation, user.conversations[message.conversation] != nil)
            }
            if known?.isMember == true { session.unacked.note(message, atMost: limits.unackedPerSession) }
        }
        counters.deliveries += part.events
    }

    private func isUpToDate(_ session: Session) -> Bool {
        guard let user = session.user else { return true }
        return user.conversations.values.allSatisfy { $0.conversation.lastPosition <= session.sentPosition }
            && user.departures.values.allSatisfy { $0.leftAt <= session.sentPosition }
    }

    private func tellGap(_ gap: Gap, to session: Session, at now: Moment) {
        guard let conversation = directory.conversation(gap.conversation) else { return }
        counters.gaps += 1
        builder.begin("gap")
        builder.member("conversation", plain: conversation.id)
        builder.member("from", gap.from.value)
        builder.member("to", gap.to.value)
        reply(builder.finish(), to: session, at: now)
    }
}
