import DequeModule
import RoostFraming
import RoostWire

/// Brings sessions up to date. Reconnecting, having been offline and reading too slowly are the same case here. A
/// session reads events older than the window from the log in rounds, and asks for each page when the one before has
/// gone to the network. Sessions that missed the same events share a page. The rest it gets from the window, and is
/// live again in the turn in which the rest fits. One turn hands out only so many bytes, so that live traffic gets its
/// turn in between. Loop thread only.
final class CatchUp {
    /// The limits of this part.
    struct Bounds {
        /// Spans of one page.
        var spans: Int
        /// Durable events of one page.
        var rows: Int
        /// Bytes of bodies at which a page ends early.
        var pageBytes: Int
        /// The length at which a conversation's backlog becomes a `gap`.
        var backlog: PageRequest.Backlog
        /// Page reads in progress at the same time.
        var pagesAtOnce: Int
        /// Bytes of pages that one turn may hand out to outboxes.
        var bytesPerTurn: Int
        /// Pages kept for other sessions to share.
        var shared: SharedPages.Bounds
        /// Time after which an unrequested page is dropped.
        var keptMilliseconds: Int64

        init(_ limits: Limits) {
            spans = limits.pageSpans
            rows = limits.pageMessages
            pageBytes = limits.pageBytes
            backlog = .init(
                messages: limits.backlogMax, changes: limits.backlogChangesMax, rows: limits.backlogRowsMax)
            pagesAtOnce = limits.pagesAtOnce
            bytesPerTurn = limits.pageBytesPerTurn
            shared = SharedPages.Bounds(limits)
            keptMilliseconds = limits.aliveMilliseconds
        }
    }

    /// The state that a session keeps for this part.
    struct Slot {
        fileprivate var round: Round?
        fileprivate var underWay: WindowCatchUp.Slot = [:]
    }

    /// The spans that a device had missed when it began to catch up, as far as they are older than the window. Another
    /// round follows if the window has moved on meanwhile.
    fileprivate struct Round {
        var queue: SpanQueue
        let upTo: Position
        /// Those that the present page looks into.
        var asked: [PageRequest.Span] = []

        /// The page was read.
        /// - Parameter spans: what is left of those that it looked into.
        mutating func goOn(with spans: [PageRequest.Span]) {
            for span in spans { queue.add(span) }
            asked = []
        }
    }

    /// The page or window for a session whose turn it is.
    private enum Ready {
        case page(CatchUpPage)
        case window
        /// It has to be found out what that is.
        case search
    }

    // A separate write costs about as much as this many bytes. A weight, not a limit: that is `bytesPerTurn`.
    private static let handOutCost = 8_192
    // It isn't worth a place in the queue to look at so few conversations.
    private static let fewPlaces = 64

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let reads: Reads
    private let chores: Chores
    let arrivals: Arrivals
    private let delivery: Delivery
    private let builder: FrameBuilder
    private let counters: Counters
    private let window: EventWindow
    private let newest: WindowCatchUp
    private var encoder: PageEncoder
    /// Pages that are being read or have not been handed to every session they were read for.
    private var pagesUnderWay = 0
    /// Pages that a session waits for.
    private var awaited: [ObjectIdentifier: CatchUpPage] = [:]
    /// Sessions that have to wait before a page may be read for them.
    private var waiting = Deque<Session>()
    private var ready = Deque<(session: Session, what: Ready)>()
    /// Sessions whose user is in debt. Each waits for its next page.
    private var paced: TimerWheel<Session>
    private var shared: SharedPages
    private var forgetAt: Int64

    init(
        _ bounds: Bounds, _ directory: Directory, _ journal: Journal, _ reads: Reads, _ chores: Chores,
        _ arrivals: Arrivals, _ delivery: Delivery, _ newest: WindowCatchUp, builder: FrameBuilder, counters: Counters,
        at now: Int64
    ) {
        self.bounds = bounds
        self.directory = directory
        self.journal = journal
        self.reads = reads
        self.chores = chores
        self.arrivals = arrivals
        paced = TimerWheel(now: now)
        self.delivery = delivery
        self.builder = builder
        self.counters = counters
        self.newest = newest
        window = delivery.window
        encoder = PageEncoder(directory, EventFrames(builder: builder))
        shared = SharedPages(bounds.shared)
        forgetAt = now + bounds.keptMilliseconds
    }

    // MARK: Rounds

    /// The last piece has gone to the network. Asks for the next one, or makes the session live.
    func goOn(_ session: Session, at now: Moment) {
        if session.catchUp.round == nil { begin(session, at: now) } else { requestPage(session, at: now) }
    }

    /// The session has ended.
    func forget(_ session: Session) { session.catchUp = Slot() }

    /// Begins with what the session has missed, or makes it live if that is nothing.
    func begin(_ session: Session, at now: Moment) {
        guard session.phase == .ready, let user = session.user else { return }
        if user.placeCount <= Self.fewPlaces { return search(for: session, user, at: now) }
        session.feed.beginWaiting()
        ready.append((session, .search))
    }

    private func search(for session: Session, _ user: User, at now: Moment) {
        let settled = delivery.settle()
        let sent = session.feed.sentPosition
        guard mayHaveMissed(user, after: sent) else { return goLive(session, at: journal.head, settled) }
        session.feed.beginWaiting()
        guard !window.covers(sent) else { return ready.append((session, .window)) }
        // A long search ends where the window ended when it began, and no longer where it begins by then.
        let end = newest.looksAtEachPlace(of: user) ? window.floor : journal.head
        let search = MissedSpans(of: session, user, after: sent, upTo: end, session.catchUp.underWay) {
            [weak self] session, spans in
            self?.beginRound(of: session, spans, upTo: end, at: now)
        }
        arrivals.chargeSearch(user, at: now)
        // It isn't a command of the session, and has its own price.
        chores.begin(search, at: now)
    }

    /// Begins to read from the log, unless all that the session has missed is in the window.
    private func beginRound(of session: Session, _ found: consuming SpanQueue, upTo end: Position, at now: Moment) {
        guard found.isEmpty else {
            session.catchUp.round = Round(queue: found, upTo: end)
            return requestPage(session, at: now)
        }
        session.feed.sent(upTo: max(session.feed.sentPosition, end))
        ready.append((session, .window))
    }

    /// Whether there is something newer in the user's conversations. For a user in very many of them it isn't known:
    /// they may have missed something.
    private func mayHaveMissed(_ user: User, after sent: Position) -> Bool {
        guard newest.looksAtEachPlace(of: user) else { return journal.head > sent }
        return user.memberships.contains {
            $0.conversation.lastPosition > sent && !$0.conversation.isVeiled(from: user.number)
        }
            || user.departures.values.contains { $0.leftAt > sent }
            || user.settings.map { $0.conversation.lastPosition > sent } ?? false
    }

    // MARK: Asking

    /// Asks for the next page of the session's round, and joins another session's request for the same page.
    private func requestPage(_ session: Session, at now: Moment) {
        session.feed.beginWaiting()
        guard let user = session.user, !pace(session, of: user, at: now) else { return }
        guard let request = pageRequest(of: session, user) else { return begin(session, at: now) }
        if let page = shared[request] {
            noteAwaited(page)
            if page.isRead { ready.append((session, .page(page))) } else { page.readers.append(session) }
        } else if pagesUnderWay < bounds.pagesAtOnce {
            let page = CatchUpPage(request)
            noteAwaited(page)
            page.readers = [session]
            shared.add(page)
            pagesUnderWay += 1
            arrivals.charge(spans: request.spans.count, to: user, at: now)
            reads.ask(.page(request), for: .page(page))
        } else {
            waiting.append(session)
        }
    }

    /// Lets a session wait whose user is in debt.
    private func pace(_ session: Session, of user: User, at now: Moment) -> Bool {
        guard let wait = arrivals.wait(for: user, at: now) else { return false }
        paced.set(session, at: now.monotonic + wait)
        return true
    }

    private func noteAwaited(_ page: CatchUpPage) {
        page.waiting += 1
        awaited[ObjectIdentifier(page)] = page
    }

    private func noteHandedOut(_ page: CatchUpPage, at now: Moment) {
        page.waiting -= 1
        guard page.waiting == 0 else { return }
        awaited[ObjectIdentifier(page)] = nil
        if page.isUnderWay { end(page, at: now) }
    }

    /// The next page of the session's round; nil if nothing of the round is left.
    private func pageRequest(of session: Session, _ user: User) -> PageRequest? {
        guard var round = session.catchUp.round.take() else { return nil }
        // It has asked before and was refused.
        round.goOn(with: round.asked)
        let (spans, horizon) = round.queue.take(bounds.spans, after: session.feed.sentPosition)
        guard !spans.isEmpty else { return nil }
        round.asked = spans.map { $0.cut(for: user) }
        session.catchUp.round = round
        return PageRequest(
            spans: round.asked, horizon: horizon, rows: bounds.rows, bytes: bounds.pageBytes, backlog: bounds.backlog)
    }

    /// A page was read. It is handed out at the end of a turn, so that many pages at once can't make a turn long.
    func take(_ result: ReadResult, for page: CatchUpPage) {
        page.take(result)
        if result.isFailed { shared.forget(page) }
        shared.keep(page)
        for session in page.readers { ready.append((session, .page(page))) }
        page.readers = []
    }

    // MARK: Shared pages

    /// A message has disappeared: its body is removed from pages.
    func erase(_ sequence: SequenceNumber, of conversation: ConversationNumber, at time: Timestamp) {
        for page in awaited.values { page.take(out: sequence, of: conversation, at: time) }
        shared.forget(conversation)
    }

    /// Drops the shared pages that this event makes stale. Pages read later show the edited or deleted message as it is
    /// now. Sessions that wait for a page already aren't sent the body of a deleted message.
    func forgetPages(changedBy event: borrowing StoredEvent, _ change: ConversationChange?) {
        if event.kind == .delete { for page in awaited.values { page.erase(event) } }
        switch (event.kind, change) {
        case (.edit, _), (.delete, _), (_, .erase): shared.forget(event.conversation)
        default: return
        }
    }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 { min(forgetAt, paced.nextDeadline ?? .max) }

    /// Goes on with sessions that had to wait, and drops pages that were not asked for in a while.
    func tick(at now: Moment) {
        for session in paced.expire(at: now.monotonic) where session.phase == .ready { goOn(session, at: now) }
        guard forgetAt <= now.monotonic else { return }
        forgetAt = now.monotonic + bounds.keptMilliseconds
        shared.forgetUnwanted()
    }

    // MARK: Handing out

    /// Whether sessions wait for their turn.
    var hasWork: Bool { !ready.isEmpty }

    /// Hands out what sessions wait for, as many bytes as one turn may.
    func handOut(at now: Moment) {
        var left = bounds.bytesPerTurn
        while left > 0, let (session, what) = ready.popFirst() {
            left -= Self.handOutCost
            switch what {
            case .window: left -= handOutNewest(to: session, at: now)
            case .search:
                guard session.phase == .ready, let user = session.user else { continue }
                left -= newest.placesCost(of: user)
                search(for: session, user, at: now)
            case .page(let page):
                left -= handOut(page, to: session, at: now)
                noteHandedOut(page, at: now)
            }
        }
    }

    /// Gives a session what it missed, from the window. Returns the number of bytes put into its outbox.
    private func handOutNewest(to session: Session, at now: Moment) -> Int {
        guard session.phase == .ready, let user = session.user else { return 0 }
        let settled = delivery.settle()
        // The window has moved on meanwhile.
        guard window.covers(session.feed.sentPosition) else {
            begin(session, at: now)
            return 0
        }
        guard !pace(session, of: user, at: now) else { return 0 }
        delivery.edge.touch(session)
        counters.behind.windowPieces += 1
        let piece = newest.handOut(to: session, user, &session.catchUp.underWay)
        arrivals.charge(rows: 0, bytes: piece.cost, to: user, at: now)
        guard session.phase == .ready else { return piece.cost }
        if piece.isAll { goLive(session, at: journal.head, settled) } else { session.feed.fallBehind() }
        return piece.cost
    }

    private func end(_ page: CatchUpPage, at now: Moment) {
        page.isUnderWay = false
        pagesUnderWay -= 1
        while pagesUnderWay < bounds.pagesAtOnce, let next = waiting.popFirst() {
            if next.phase == .ready { requestPage(next, at: now) }
        }
    }

    /// Gives a page to one of the sessions that wait for it. Returns the number of bytes put into its outbox.
    private func handOut(_ page: CatchUpPage, to session: Session, at now: Moment) -> Int {
        guard session.phase == .ready, let user = session.user, session.catchUp.round != nil, let result = page.result
        else { return 0 }
        guard !result.isFailed else {
            delivery.shut(session, .overloaded)
            return 0
        }
        let frames = encoder.frames(of: page, for: user, session.feed)
        // One of its conversations was erased meanwhile, so none of the page is shown.
        guard frames.conversations.allSatisfy({ directory.conversation($0) != nil }) else {
            shared.forget(page)
            requestPage(session, at: now)
            return 0
        }
        // The user has left one of them meanwhile, and the page may show what became of its messages since.
        guard result.spans.allSatisfy({ $0.cut(for: user).leftAt == $0.leftAt }) else {
            requestPage(session, at: now)
            return 0
        }
        arrivals.charge(rows: result.events.count, bytes: frames.bytes, to: user, at: now)
        counters.pages += 1
        counters.gaps += frames.gaps
        session.catchUp.round?.goOn(with: result.spans)
        delivery.edge.touch(session)
        for part in frames.parts { push(part, of: frames, to: session, user) }
        // Events from before a membership may have been too many.
        guard session.phase == .ready else { return frames.bytes }
        session.feed.sent(upTo: max(session.feed.sentPosition, result.reached))
        session.feed.fallBehind()
        guard let round = session.catchUp.round, round.queue.isEmpty else { return frames.bytes }
        end(round, of: session, user)
        return frames.bytes + newest.placesCost(of: user)
    }

    /// Ends a round. The session is live if it has missed nothing else.
    private func end(_ round: Round, of session: Session, _ user: User) {
        session.catchUp.round = nil
        session.feed.sent(upTo: max(session.feed.sentPosition, round.upTo))
        let settled = delivery.settle()
        if !mayHaveMissed(user, after: session.feed.sentPosition) { goLive(session, at: journal.head, settled) }
    }

    /// From here on the session gets events as they are committed. Sends `live`.
    private func goLive(_ session: Session, at position: Position, _ settled: borrowing Settled) {
        session.feed.goLive(at: position, settled)
        counters.behind.sessions -= 1
        builder.begin("live")
        builder.member("position", session.feed.liveMark(at: position))
        delivery.reply(builder.finish(), to: session)
    }

    private func push(_ part: PageFrames.Part, of frames: PageFrames, to session: Session, _ user: User) {
        guard part.position > session.feed.sentPosition || part.events == 0 else { return }
        delivery.push(
            page: part.frame, upTo: max(part.position, session.feed.sentPosition), events: part.events, to: session)
        if let change = part.change, let member = user.conversations[change.conversation],
            part.position == member.joinedAt
        {
            delivery.tellWhatWasBefore(member, to: session)
        }
        var known: (conversation: ConversationNumber, isMember: Bool)?
        for message in frames.messages[part.messages] {
            if known?.conversation != message.conversation {
                known = (message.conversation, user.conversations[message.conversation] != nil)
            }
            if known?.isMember == true { delivery.noteUnacked(message, of: session) }
        }
    }
}
