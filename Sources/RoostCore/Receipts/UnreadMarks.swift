import RoostFraming
import RoostWire

/// `unread`: a user marks read messages of others as unread again, for the user's own devices alone. Receipts that
/// others have got stay. The log gives the authors of the messages: the user's own ones aren't unread. Loop thread
/// only.
final class UnreadMarks {
    /// The messages looked at so far: those above `before`.
    struct Page {
        fileprivate let member: Member
        fileprivate let first: SequenceNumber
        /// The member's read and marked messages when it asked. Later changes count more.
        fileprivate let turn: UInt64
        fileprivate var before: SequenceNumber
        fileprivate var found: [SequenceNumber] = []
    }

    private let receipts: Receipts
    private let badges: Badges
    private let directory: Directory
    private let reads: Reads
    private let replies: Replies
    /// Most messages that are looked at, and the bytes at which a page of them ends early.
    private let rows: Int
    private let bytes: Int

    init(
        _ limits: Limits, _ receipts: Receipts, _ badges: Badges, _ directory: Directory, _ reads: Reads,
        _ replies: Replies
    ) {
        self.receipts = receipts
        self.badges = badges
        self.directory = directory
        self.reads = reads
        self.replies = replies
        (rows, bytes) = (limits.unreadMax, limits.pageBytes)
    }

    func mark(_ target: Command.Target, _ asker: Asker, at now: Moment) throws(Refusal) {
        let (conversation, _) = try directory.conversation(target.conversation, for: asker.user)
        try conversation.check(target.sequence, for: asker.user)
        guard let member = conversation.member(asker.user.number) else {
            throw Refusal(.notFound, "no such conversation")
        }
        let read = member.readFloor
        // It is unread already.
        guard target.sequence <= read else { return replies.accept(asker.id, asker.session) }
        guard read.value - target.sequence.value < rows else {
            throw Refusal(.tooLarge, "sequence: at most the last \(rows) messages that were read can be marked")
        }
        try reads.check(asker.session)
        let (end, isLast) = read.value.addingReportingOverflow(1)
        ask(
            Page(
                member: member, first: target.sequence, turn: member.progress.turn,
                before: isLast ? read : SequenceNumber(end)), asker)
    }

    private func ask(_ page: Page, _ asker: Asker) {
        let conversation = page.member.conversation
        let request = HistoryRequest(
            conversation: conversation.number, reader: asker.user.number,
            after: SequenceNumber(page.first.value - 1), before: page.before, isNewest: true, rows: rows, bytes: bytes)
        reads.ask(.history(request), for: .unread(asker, page))
    }

    /// The log has returned the authors of some of them.
    func answered(_ result: ReadResult, _ page: Page, _ asker: Asker, at now: Moment) {
        guard asker.session.phase == .ready else { return }
        do throws(Refusal) {
            guard !result.isFailed else { throw Refusal(.unavailable, "the store could not be read") }
            guard page.member.isCurrent else { throw Refusal(.notFound, "no such conversation") }
            var page = page
            page.found += result.events.filter { isMarked($0, by: asker.user) }.map(\.sequence)
            if result.hasMore, let first = result.events.map(\.sequence).min(), first < page.before {
                page.before = first
                try reads.check(asker.session)
                return ask(page, asker)
            }
            try finish(page, asker, at: now)
        } catch {
            replies.refuse(Refusal(error.code, error.reason, id: asker.id), asker.session)
        }
    }

    private func isMarked(_ event: StoredEvent, by user: User) -> Bool {
        event.sender != user.number && event.deletedAt == .never && !user.hasBlocked(event.sender)
            && !event.isWithheld(from: user.number)
    }

    private func finish(_ page: Page, _ asker: Asker, at now: Moment) throws(Refusal) {
        let member = page.member
        guard member.progress.turn == page.turn else { return replies.accept(asker.id, asker.session) }
        try replies.held.reserve()
        var marked = SequenceRanges()
        for sequence in page.found.sorted() where sequence <= member.readFloor {
            guard marked.insert(sequence) == nil else {
                throw Refusal(.tooLarge, "sequence: too many messages of your own are between these")
            }
        }
        let isNews = receipts.mark(marked, of: member, at: now)
        if isNews { badges.note(member, at: now) }
        replies.acceptOnceStored(asker.id, asker.session, withNextBatch: isNews, at: now)
    }
}
