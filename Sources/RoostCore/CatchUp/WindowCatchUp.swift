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
        /// Messages of a conversation that are sent of a backlog that is too long.
        var rows: Int
        /// Which backlog of one conversation is too long, so that there is a `gap`.
        var backlog: PageRequest.Backlog

        init(_ limits: Limits) {
            bytes = limits.outboxSpillBytes / 2
            events = limits.windowEventsPerPiece
            rows = limits.pageMessages
            backlog = .init(
                messages: limits.backlogMax, changes: limits.backlogChangesMax, rows: limits.backlogRowsMax)
        }
    }

    /// What a session stores for this part: the gaps that it is in the middle of.
    typealias Slot = [ConversationNumber: WindowSkip]

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

    /// Puts the next piece into a session's outbox. Everything gathered must have been delivered.
    /// - Parameter skips: as the last piece left it.
    /// - Returns: what the piece has cost, in bytes, and whether the session has everything now.
    func handOut(to session: Session, _ user: User, _ skips: inout Slot) -> (cost: Int, isAll: Bool) {
        let most = delivery.room.isCrowded ? Self.partBytes : bounds.bytes
        var merge = missed(by: user, after: session.feed.sentPosition, skips)
        var (bytes, looks) = (0, 0)
        while let (ordinal, part) = merge.next() {
            let entry = window[ordinal]
            looks += 1
            push(entry, part, &merge, to: session, user)
            // What was before a membership may have been too much.
            guard session.phase == .ready else { return (bytes, false) }
            guard bytes + piece.count < most, looks < bounds.events else { break }
            if piece.count >= Self.partBytes { bytes += endPart(of: session) }
        }
        bytes += endPart(of: session)
        let isAll = merge.isEmpty
        skips = isAll ? [:] : merge.skips
        return (bytes + looks * Self.lookCost, isAll)
    }

    // Several pieces fit into one write.
    private static let partBytes = 32_768
    // To look at an event that isn't sent costs about as much as to send this many bytes.
    private static let lookCost = 32

    private func push(
        _ entry: EventWindow.Entry, _ part: Int, _ merge: inout WindowMerge, to session: Session, _ user: User
    ) {
        piecePosition = entry.position
        guard !entry.isVoid, entry.position <= merge.parts[part].upTo else { return }
        guard !merge.parts[part].leavesOut(entry.sequence) else {
            if let skip = merge.parts[part].skip, !skip.isTold, entry.sequence >= skip.from {
                merge.noteTold(part)
                tell(Gap(entry.conversation, from: skip.from, to: skip.to))
            }
            return
        }
        let isOwn = entry.sender == user.number
        // Its `ok` has said it already.
        if isOwn, entry.kind == .message, session.feed.isAnswered(entry.position) { return }
        window.write(entry, isOwn: isOwn, to: &piece)
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

    // MARK: What was missed

    private func missed(by user: User, after sent: Position, _ skips: Slot) -> WindowMerge {
        var merge = WindowMerge()
        var resets: [Gap] = []
        for member in user.conversations.values where member.conversation.lastPosition > sent {
            let after = max(sent, Position(member.joinedAt.value - 1))
            merge.add(part(of: member.conversation.number, after, Position(Int64.max), member.since, skips, &resets))
        }
        for (conversation, departure) in user.departures where departure.leftAt > sent {
            let after = max(sent, Position(departure.joinedAt.value - 1))
            merge.add(part(of: conversation, after, departure.leftAt, departure.since, skips, &resets))
        }
        // In a fixed order, so that a simulated run can be repeated.
        for gap in resets.sorted(by: { $0.conversation.value < $1.conversation.value }) { tell(gap) }
        return merge
    }

    private func part(
        of conversation: ConversationNumber, _ after: Position, _ upTo: Position, _ since: SequenceNumber,
        _ skips: Slot, _ resets: inout [Gap]
    ) -> WindowMerge.Part {
        let chain = window.chain(of: conversation)
        let next = window.firstIndex(in: chain, above: after)
        var part = WindowMerge.Part(
            conversation: conversation, chain: chain, next: next, upTo: upTo, since: since,
            skip: skips[conversation])
        shorten(&part, &resets)
        return part
    }

    /// Leaves out most of a backlog that is too long, as a page of the log does.
    private func shorten(_ part: inout WindowMerge.Part, _ resets: inout [Gap]) {
        let end = part.upTo.value == .max ? part.chain.count : window.firstIndex(in: part.chain, above: part.upTo)
        guard part.next < end else { return }
        let first = window[part.chain[part.next]]
        let before = first.kind == .message ? first.last.value - 1 : first.last.value
        // It is in the middle of a gap.
        if let skip = part.skip, before < skip.to.value {
            if skip.isReset { part.next = window.firstIndex(in: part.chain, reaching: skip.to) + 1 }
            return
        }
        part.skip = nil
        let last = window[part.chain[end - 1]].last.value
        let shown = max(before, part.since.value)
        let newest = last - Int64(max(1, bounds.rows)) + 1
        guard last - shown > Int64(bounds.backlog.messages), newest > shown + 1 else { return }
        let to = SequenceNumber(newest - 1)
        let index = window.firstIndex(in: part.chain, reaching: to)
        let changes = window[part.chain[index]].changes - first.changes
        guard changes <= bounds.backlog.changes, index - part.next <= bounds.backlog.rows else {
            let from = SequenceNumber(part.since.value + 1)
            resets.append(Gap(part.conversation, from: from, to: to, isReset: true))
            part.next = index + 1
            part.skip = WindowSkip(from: from, to: to, isTold: true, isReset: true)
            return
        }
        part.skip = WindowSkip(from: SequenceNumber(shown + 1), to: to)
    }
}
