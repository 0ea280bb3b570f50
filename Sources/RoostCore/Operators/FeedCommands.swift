import RoostFraming
import RoostWire

/// `feed`, `feed.ack` and `feed.forget`: services follow the log, a page at a time, each from its own cursor. A session
/// has one page under way, so it sets the pace. Loop thread only.
final class FeedCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Events of a page whose command names no limit.
        let rows: Int
        /// Bytes of bodies at which a page ends early, and rows that are looked at.
        let bytes, looks: Int
        /// Consumers that keep a cursor.
        let consumers: Int
        /// Time for which a page waits for an event.
        let waitMilliseconds: Int64
        /// Time over which cursors are collected.
        let storeMilliseconds: Int64

        init(_ limits: Limits) {
            rows = limits.feedDefault
            (bytes, looks) = (limits.feedBytes, limits.feedLooks)
            consumers = limits.feedConsumers
            waitMilliseconds = limits.feedWaitMilliseconds
            storeMilliseconds = limits.feedStoreMilliseconds
        }
    }

    /// A page that a service waits for.
    private struct Page {
        let session: Session
        let id: CommandID?
        let after: Position
        let rows: Int
        /// When it is answered although there is nothing, in monotonic milliseconds.
        var until = Int64.max
    }

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let reads: Reads
    private let replies: Replies
    private let events: EventFrames
    private let counters: Counters
    /// The position of each consumer.
    private var cursors: [String: Position] = [:]
    /// Consumers whose cursor isn't stored, and when it will be.
    private var unstored: Set<String> = []
    private var storeAt = Int64.max
    /// Pages for which there is nothing yet, in the order in which they were asked for.
    private var waiting = OrderedTable<SessionID, Page>()
    private var waitingUntil = Int64.max
    /// Sessions whose page is being read.
    private var reading: Set<SessionID> = []

    /// Takes over the state of the store.
    init(
        _ bounds: Bounds, _ stored: [Snapshot.FeedCursor], _ directory: Directory, _ journal: Journal,
        _ delivery: Delivery, _ reads: Reads, _ replies: Replies, _ counters: Counters
    ) {
        self.bounds = bounds
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.reads = reads
        self.replies = replies
        self.counters = counters
        events = EventFrames(builder: replies.builder)
        for one in stored { cursors[one.consumer] = one.position }
    }

    /// Number of positions that each consumer is behind, in the order of their names.
    var lags: [(consumer: String, positions: Int)] {
        cursors.sorted { $0.key < $1.key }.map { ($0.key, Int(max(0, journal.head.value - $0.value.value))) }
    }

    // MARK: Commands

    func feed(
        _ asked: OperatorCommand.Feed, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        guard waiting[session.id] == nil, !reading.contains(session.id) else {
            throw Refusal(.conflict, "another page is under way")
        }
        let after = asked.after ?? cursors[asked.consumer.string] ?? .start
        try check(after)
        var page = Page(session: session, id: id, after: after, rows: asked.limit ?? bounds.rows)
        if after < journal.head { return try read(page) }
        guard asked.waits else { return answer(ReadResult(ticket: 0), page.after, id, session) }
        page.until = now.monotonic + bounds.waitMilliseconds
        waiting[session.id] = page
        waitingUntil = min(waitingUntil, page.until)
    }

    func ack(
        _ consumer: Text, _ position: Position, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let consumer = consumer.string
        try check(position)
        guard cursors[consumer] != nil || cursors.count < bounds.consumers else {
            throw Refusal(.tooLarge, "there are \(bounds.consumers) consumers already; feed.forget takes one away")
        }
        // One that was overtaken by a later one changes nothing.
        if cursors[consumer].map({ $0 < position }) ?? true {
            cursors[consumer] = position
            unstored.insert(consumer)
            storeAt = min(storeAt, now.monotonic + bounds.storeMilliseconds)
        }
        replies.accept(id, session)
    }

    func forget(_ consumer: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let consumer = consumer.string
        try replies.held.reserve()
        guard cursors.removeValue(forKey: consumer) != nil else {
            throw Refusal(.notFound, "consumer: none of this name has acked anything")
        }
        unstored.remove(consumer)
        journal.store(.feedCursor(consumer, nil))
        replies.acceptOnceStored(id, session, at: now)
    }

    /// The session has ended.
    func forget(_ session: Session) {
        waiting[session.id] = nil
        reading.remove(session.id)
    }

    private func check(_ position: Position) throws(Refusal) {
        guard position <= journal.head else {
            throw Refusal(.badPosition, "the server never gave this position")
        }
    }

    // MARK: Pages

    private func read(_ page: Page) throws(Refusal) {
        try reads.check(page.session)
        reading.insert(page.session.id)
        let request = FeedRequest(after: page.after, rows: page.rows, bytes: bounds.bytes, looks: bounds.looks)
        reads.ask(.feed(request), for: .feed(page.session, page.id, after: page.after))
    }

    /// There may be new events: pages that wait for some are read.
    func journalHasChanged() {
        guard !waiting.isEmpty else { return }
        for page in waiting.values where page.after < journal.head {
            end(page) { (feeds, page) throws(Refusal) in try feeds.read(page) }
        }
    }

    private func end(_ page: Page, _ body: (FeedCommands, Page) throws(Refusal) -> Void) {
        waiting[page.session.id] = nil
        guard page.session.phase == .ready else { return }
        do throws(Refusal) {
            try body(self, page)
        } catch {
            var refusal = error
            refusal.id = page.id
            replies.refuse(refusal, page.session)
        }
    }

    /// The log has answered.
    func answered(_ result: ReadResult, after: Position, _ id: CommandID?, _ session: Session) {
        reading.remove(session.id)
        guard session.phase == .ready else { return }
        guard !result.isFailed else {
            return replies.refuse(Refusal(.unavailable, "the store could not be read", id: id), session)
        }
        answer(result, after, id, session)
    }

    private func answer(_ result: ReadResult, _ after: Position, _ id: CommandID?, _ session: Session) {
        let builder = events.builder
        // The reader may be ahead of the loop: a conversation that it doesn't know yet.
        let head = journal.head
        // The newest positions may have no row any more, if a conversation was erased.
        let lookedAt = result.hasMore ? result.reached : max(result.reached, result.head)
        let reached = max(after, min(lookedAt, head))
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("feed")
        builder.beginArray("events")
        var conversation: Conversation?
        for event in result.events where event.position <= head {
            if conversation?.number != event.conversation {
                conversation = directory.conversation(event.conversation)
            }
            // Erased meanwhile.
            guard let conversation else { continue }
            builder.beginObject()
            events.writeFed(event, in: conversation, from: directory.user(event.sender)?.name ?? "")
            builder.endObject()
            counters.feedEvents += 1
        }
        builder.endArray()
        let damaged = result.damaged.filter { $0 <= head }
        if !damaged.isEmpty {
            builder.beginArray("damaged")
            for position in damaged { builder.element(position.text(epoch: builder.epoch)) }
            builder.endArray()
        }
        builder.member("position", reached)
        builder.member("head", head)
        builder.member("more", reached < head)
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    // MARK: Time

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 { min(storeAt, waitingUntil) }

    /// Answers those who have waited long enough, and stores cursors that are due.
    func tick(at now: Int64) {
        if storeAt <= now { storeNow() }
        guard waitingUntil <= now else { return }
        for page in waiting.values where page.until <= now {
            end(page) { $0.answer(ReadResult(ticket: 0), $1.after, $1.id, $1.session) }
        }
        waitingUntil = waiting.values.map(\.until).min() ?? .max
    }

    /// Stores all cursors with the next batch.
    func storeNow() {
        storeAt = .max
        for consumer in unstored.sorted() {
            if let position = cursors[consumer] { journal.store(.feedCursor(consumer, position)) }
        }
        unstored.removeAll()
    }
}
