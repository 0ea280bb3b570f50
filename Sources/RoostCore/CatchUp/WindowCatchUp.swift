import DequeModule
import RoostFraming
import RoostWire

/// Gives sessions that are a little behind what they missed, from the window. One piece at a time, as large as an
/// outbox that was empty may get; if that is all, the session can be live in the same turn. Loop thread only.
final class WindowCatchUp {
    /// The limits of this part.
    struct Bounds {
        /// Bytes of one piece.
        var bytes: Int
        /// Events that are looked at for one piece.
        var events: Int
        /// Most conversations of a user that are looked at one by one. For a user in more, everything newer in the
        /// window is looked at instead.
        var conversations: Int
        /// Messages of a conversation that are sent of a backlog that is too long.
        var rows: Int
        /// The length at which a conversation's backlog becomes a `gap`.
        var backlog: PageRequest.Backlog

        init(_ limits: Limits) {
            bytes = limits.outboxSpillBytes / 2
            events = limits.windowEventsPerPiece
            conversations = limits.stepsPerTurn / 4
            rows = limits.pageMessages
            backlog = .init(
                messages: limits.backlogMax, changes: limits.backlogChangesMax, rows: limits.backlogRowsMax)
        }
    }

    /// The state that a session keeps for this part: the conversations in which it is in the middle of a gap.
    typealias Slot = [ConversationNumber: PageRequest.Span]

    private let bounds: Bounds
    private let window: EventWindow
    private let directory: Directory
    private let delivery: Delivery
    private let events: EventFrames
    private let counters: Counters
    private var piece = JoinedFrames()
    private var piecePosition = Position.start
    private var pieceEvents = 0

    init(
        _ bounds: Bounds, _ window: EventWindow, _ directory: Directory, _ delivery: Delivery, _ events: EventFrames,
        _ counters: Counters
    ) {
        self.bounds = bounds
        self.window = window
        self.directory = directory
        self.delivery = delivery
        self.events = events
        self.counters = counters
    }

    /// Whether each of the user's conversations is looked at to find out what was missed.
    func looksAtEachPlace(of user: User) -> Bool { user.placeCount <= bounds.conversations }

    /// The cost of that, in bytes.
    func placesCost(of user: User) -> Int { min(user.placeCount, bounds.conversations) * Self.placeCost }

    /// Puts the next piece into a session's outbox. Everything gathered must have been delivered.
    /// - Parameter underWay: as the last piece left it.
    /// - Returns: what the piece has cost, in bytes, and whether the session has everything now.
    func handOut(to session: Session, _ user: User, _ underWay: inout Slot) -> (cost: Int, isAll: Bool) {
        let sent = session.feed.sentPosition
        if looksAtEachPlace(of: user) {
            var merge = missed(by: user, after: sent, underWay)
            let (cost, isAll) = handOut(&merge, Self.lookCost, to: session, user, &underWay)
            return (cost + placesCost(of: user), isAll)
        }
        let known = underWay
        var scan = WindowScan(window, after: sent) { conversation in
            guard let span = self.span(of: conversation, user, after: sent),
                !self.window.chain(of: conversation).isEmpty
            else { return nil }
            var resets: [Gap] = []
            let part = self.part(of: span, known[conversation], &resets)
            for gap in resets { self.tell(gap) }
            return part
        }
        return handOut(&scan, Self.scanCost, to: session, user, &underWay)
    }

    private func handOut(
        _ walk: inout some WindowWalk, _ lookCost: Int, to session: Session, _ user: User, _ underWay: inout Slot
    ) -> (cost: Int, isAll: Bool) {
        let most = delivery.room.isCrowded ? Self.partBytes : bounds.bytes
        let looksMost = max(1, bounds.events * Self.lookCost / lookCost)
        var (bytes, looks) = (0, 0)
        while let (ordinal, part) = walk.next() {
            let entry = window[ordinal]
            looks += 1
            piecePosition = entry.position
            if let part { push(entry, &walk.parts[part].span, to: session, user) }
            // Events from before a membership may have been too many.
            guard session.phase == .ready else { return (bytes, false) }
            guard bytes + piece.count < most, looks < looksMost else { break }
            if piece.count >= Self.partBytes { bytes += endPart(of: session) }
        }
        bytes += endPart(of: session)
        note(walk, in: &underWay, after: session.feed.sentPosition)
        return (bytes + looks * lookCost, walk.isEmpty)
    }

    /// Remembers the gaps that the next piece begins in. A gap that wasn't sent yet is found again.
    private func note(_ walk: some WindowWalk, in underWay: inout Slot, after sent: Position) {
        guard !walk.isEmpty else { return underWay = [:] }
        for part in walk.parts {
            let next = window.firstIndex(in: part.chain, above: sent)
            let isReset = part.span.after > sent
            var isGap = false
            if next < part.chain.count, let skip = part.span.skip, skip.isTold {
                isGap = before(window[part.chain[next]]) < skip.to.value
            }
            underWay[part.span.conversation] = next < part.chain.count && (isReset || isGap) ? part.span : nil
        }
    }

    /// The conversation's last message before an event.
    private func before(_ event: EventWindow.Entry) -> Int64 {
        event.kind == .message ? event.last.value - 1 : event.last.value
    }

    // Several pieces fit into one write.
    private static let partBytes = 32_768
    // To look at an event that isn't sent costs about as much as to send this many bytes.
    private static let lookCost = 32
    // It takes a table to find out that it isn't.
    private static let scanCost = 4 * lookCost
    // To look at a conversation that isn't in the processor's cache.
    private static let placeCost = 128

    private func push(
        _ entry: EventWindow.Entry, _ span: inout PageRequest.Span, to session: Session, _ user: User
    ) {
        guard !entry.isVoid, entry.position > span.after, entry.position <= span.upTo else { return }
        guard entry.kind.isAboutMessage || entry.sequence > span.since else { return }
        if entry.kind.isAboutMessage, span.leavesOut(entry.sequence, at: entry.position) {
            if let skip = span.skip, !skip.isTold, entry.sequence >= skip.from {
                span.skip?.isTold = true
                tell(Gap(entry.conversation, from: skip.from, to: skip.to))
            }
            return
        }
        let isOwn = entry.sender == user.number
        // Its `ok` has said it already.
        if isOwn, entry.kind == .message, session.feed.isAnswered(entry.position) { return }
        // Changes of it since the user left aren't for the user.
        let isLater = !isOwn && entry.changedAt > span.leftAt
        guard write(entry, isOwn: isOwn, isLater: isLater, for: user) else { return }
        pieceEvents += 1
        let member = user.conversations[entry.conversation]
        if entry.kind == .message, member != nil {
            delivery.noteUnacked(
                .init(conversation: entry.conversation, sequence: entry.sequence, position: entry.position),
                of: session)
        } else if entry.kind == .conversation, let member, member.joinedAt == entry.position {
            _ = endPart(of: session)
            delivery.tellWhatWasBefore(member, to: session)
        }
    }

    /// Writes the event, or its place if it is hidden from the user.
    /// - Returns: false if the user gets not even that.
    private func write(_ entry: EventWindow.Entry, isOwn: Bool, isLater: Bool, for user: User) -> Bool {
        guard !isOwn, isLater || entry.isWithheld || !user.privacy.blocks.own.isEmpty,
            let conversation = directory.conversation(entry.conversation)
        else {
            window.write(entry, isOwn: isOwn, to: &piece)
            return true
        }
        let isWithheld = isLater || entry.isWithheld || isPinHidden(entry, in: conversation, from: user)
        guard
            isWithheld || directory.policy.withholds(entry.kind, by: entry.sender, in: conversation, from: user)
        else {
            window.write(entry, isOwn: isOwn, to: &piece)
            return true
        }
        guard entry.kind.isAboutMessage, !conversation.isVeiled(from: user.number) else { return false }
        events.beginHidden(entry.kind, of: entry.sequence, at: entry.position, entry.time, in: conversation)
        piece.append(events.builder)
        return true
    }

    /// Whether it pins a message whose author the user has blocked.
    private func isPinHidden(_ entry: EventWindow.Entry, in conversation: Conversation, from user: User) -> Bool {
        conversation.kind == .group && entry.pinned != .none && user.hasBlocked(entry.pinned)
    }

    private func tell(_ gap: Gap) {
        guard let conversation = directory.conversation(gap.conversation) else { return }
        events.begin(gap, in: conversation)
        piece.append(events.builder)
        counters.gaps += 1
    }

    /// Puts what was written so far into the outbox, and moves the session to the last event that was looked at.
    private func endPart(of session: Session) -> Int {
        let bytes = piece.count
        let position = max(piecePosition, session.feed.sentPosition)
        piecePosition = .start
        if bytes > 0 {
            delivery.push(page: piece.take(), upTo: position, events: pieceEvents, to: session)
            pieceEvents = 0
        } else {
            session.feed.sent(upTo: position)
        }
        return bytes
    }

    // MARK: Missed events

    private func missed(by user: User, after sent: Position, _ underWay: Slot) -> WindowMerge {
        var merge = WindowMerge()
        var resets: [Gap] = []
        for member in user.memberships
        where member.conversation.lastPosition > sent && !member.conversation.isVeiled(from: user.number) {
            let span = PageRequest.Span(member, after: sent)
            merge.add(part(of: span, underWay[span.conversation], &resets))
        }
        if let settings = user.settings, settings.conversation.lastPosition > sent {
            merge.add(part(of: PageRequest.Span(settings, after: sent), nil, &resets))
        }
        for (conversation, departure) in user.departures where departure.leftAt > sent {
            let span = PageRequest.Span(conversation, departure, after: sent)
            merge.add(part(of: span, underWay[conversation], &resets))
        }
        // In a fixed order, so that a simulated run can be repeated.
        for gap in resets.sorted(by: { $0.conversation.value < $1.conversation.value }) { tell(gap) }
        return merge
    }

    private func span(
        of conversation: ConversationNumber, _ user: User, after sent: Position
    ) -> PageRequest.Span? {
        if let member = user.conversations[conversation] {
            return member.conversation.isVeiled(from: user.number) ? nil : PageRequest.Span(member, after: sent)
        }
        if let settings = user.settings, settings.conversation.number == conversation {
            return PageRequest.Span(settings, after: sent)
        }
        guard let departure = user.departures[conversation], departure.leftAt > sent else { return nil }
        return PageRequest.Span(conversation, departure, after: sent)
    }

    /// - Parameter known: the same as the last piece left it, if it was in the middle of a gap.
    private func part(
        of span: PageRequest.Span, _ known: PageRequest.Span?, _ resets: inout [Gap]
    ) -> WindowPart {
        var span = span
        if let known { span.goOn(in: known) }
        let chain = window.chain(of: span.conversation)
        var part = WindowPart(span: span, chain: chain, next: window.firstIndex(in: chain, above: span.after))
        shorten(&part, &resets)
        return part
    }

    /// Leaves out most of a backlog that is too long, as a page of the log does.
    private func shorten(_ part: inout WindowPart, _ resets: inout [Gap]) {
        let isAll = part.span.upTo.value == .max
        let end = isAll ? part.chain.count : window.firstIndex(in: part.chain, above: part.span.upTo)
        guard part.next < end else { return }
        let first = window[part.chain[part.next]]
        let before = before(first)
        // It is in the middle of a gap.
        if let skip = part.span.skip, before < skip.to.value { return }
        part.span.skip = nil
        let newestEvent = window[part.chain[end - 1]]
        let last = newestEvent.last.value
        let shown = max(before, part.span.since.value)
        let newest = last - Int64(max(1, bounds.rows)) + 1
        guard last - shown > Int64(bounds.backlog.messages), newest > shown + 1 else { return }
        let to = SequenceNumber(newest - 1)
        let index = window.firstIndex(in: part.chain, reaching: to)
        let changes = window[part.chain[index]].changes - first.changes
        guard changes <= bounds.backlog.changes, index - part.next <= bounds.backlog.rows else {
            let from = SequenceNumber(part.span.since.value + 1)
            resets.append(Gap(part.span.conversation, from: from, to: to, isReset: true))
            part.next = index + 1
            part.span.after = window[part.chain[index]].position
            return
        }
        part.span.skip = .init(
            from: SequenceNumber(shown + 1), to: to, place: part.span.after, upTo: newestEvent.position)
    }
}
