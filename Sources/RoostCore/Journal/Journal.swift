import DequeModule
import RoostWire

/// Events on their way to the log: the batch that collects while the writer is busy, and the durable events that wait
/// for their outcomes, in the order of the outcomes. It bounds both, knows whether the store works, and refuses what it
/// can't take. It doesn't know what an event means. Loop thread only.
final class Journal {
    /// The limits of this part.
    struct Bounds {
        /// Most durable events waiting for their outcomes.
        var events: Int
        /// Most bytes of their bodies.
        var bytes: Int
        /// The share of them that large events of one user may take.
        var large: LargeEvents.Bounds
        /// Most records of new users and devices in the collecting batch.
        var introductions: Int
        /// The wait that a refused client is asked for.
        var retryMilliseconds: Int64
        /// The wait for a client while the disk is full.
        var fullRetryMilliseconds: Int64
        /// After how long a batch that the writer still has keeps further events out.
        var stallMilliseconds: Int64

        init(_ limits: Limits) {
            events = limits.pendingEvents
            bytes = limits.pendingBytes
            large = .init(limits)
            introductions = limits.pendingIntroductions
            retryMilliseconds = limits.busyRetryMilliseconds
            fullRetryMilliseconds = limits.fullRetryMilliseconds
            stallMilliseconds = limits.stallMilliseconds
        }
    }

    private let bounds: Bounds
    /// Position of the newest durable event.
    private(set) var head: Position
    private var gathering: [Mutation] = []
    /// Mutations returned by a log without room. They go before the collecting batch, because they are older.
    private var unstored: [Mutation] = []
    /// The rest of the collecting batch.
    private var newest = NewestStates()
    /// Number of durable events in the collecting batch.
    private var gatheredEvents = 0
    /// Number of durable events in the batch that the writer has; nil if it has none.
    private var committingEvents: Int?
    /// When the writer took that batch, in monotonic milliseconds.
    private var committingSince: Int64 = 0
    /// The writer has had its batch for so long that no further event is taken. Another program may have a lock on the
    /// store, or the disk hangs.
    private(set) var isStalled = false
    /// The disk is full: no event is taken, and everything else waits.
    private(set) var isFull = false
    /// The number of the collecting batch, and of the newest one that is durable.
    private(set) var batch: UInt64 = 1
    private(set) var durableBatch: UInt64 = 0
    private var pending = Deque<PendingAppend>()
    private var pendingBytes = 0
    private var large: LargeEvents
    /// A drain has begun, so no new event is taken.
    private(set) var isDraining = false
    /// The store has failed, so nothing can be made durable any more.
    private(set) var isFailed = false

    init(_ bounds: Bounds, head: Position) {
        self.bounds = bounds
        large = LargeEvents(bounds.large)
        self.head = head
    }

    /// Whether durable events are accepted.
    var isOpen: Bool { !isFailed && !isDraining }
    /// Number of durable events waiting for their outcomes.
    var pendingEvents: Int { pending.count }
    /// Number of mutations in the collecting batch. For tests.
    var gathered: Int { unstored.count + gathering.count + newest.count }
    /// Whether nothing is under way.
    var isEmpty: Bool { pending.isEmpty && hasGatheredNothing && committingEvents == nil }
    /// The batch with which everything handed in until now is durable; nil if it is, or if nothing of it needs to be.
    var awaitedBatch: UInt64? {
        guard hasGatheredNothing else { return batch }
        return committingEvents == nil ? nil : batch - 1
    }
    /// Whether the writer has no batch.
    var isIdle: Bool { committingEvents == nil }
    private var hasGatheredNothing: Bool { unstored.isEmpty && gathering.isEmpty && newest.isEmpty }
    /// Whether the writer can take a batch now.
    var isWriterIdle: Bool { committingEvents == nil && !isFailed && !isFull }

    // MARK: In

    /// Checks that an event with a body of this many bytes may be submitted. Called before anything is changed.
    /// - Throws: `unavailable` or `busy`.
    func reserve(_ bytes: Int) throws(Refusal) {
        guard isOpen, !isFull else { throw unavailable() }
        try checkStall()
        guard pending.count < bounds.events, pendingBytes + bytes <= bounds.bytes else {
            throw Refusal(.busy, "the store's queue is full", retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    /// Checks as `reserve` does, and that the user's large events leave room for those of others.
    /// - Throws: `unavailable` or `busy`.
    func reserve(_ bytes: Int, by user: User) throws(Refusal) {
        try reserve(bytes)
        guard large.mayAdd(bytes, by: user.number) else {
            throw Refusal(
                .busy, "your large messages wait for the store; wait for their answers",
                retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    /// Checks that this number of new users and devices may be stored. Called before one is created.
    /// - Throws: `unavailable` or `busy`.
    func checkIntroductions(_ count: Int) throws(Refusal) {
        guard !isFull else { throw unavailable() }
        try checkStall()
        let waiting = gathering.count - gatheredEvents
        // One command may exceed the bound alone, or it would be refused for ever.
        guard waiting == 0 || waiting + count <= bounds.introductions else {
            throw Refusal(
                .busy, "too many new users and devices wait for the store",
                retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    private func checkStall() throws(Refusal) {
        guard !isStalled else {
            throw Refusal(
                .busy, "the store has taken nothing for a while", retryAfterMilliseconds: bounds.stallMilliseconds)
        }
    }

    /// Submits an event after `reserve`, with the command that waits for the answer.
    func submit(
        _ append: consuming Append, _ session: Session?, _ id: CommandID?, reply: ReplyForm = .plain,
        refusal: Refusal? = nil, advance: Advance? = nil
    ) {
        precondition(isOpen, "an event is submitted after `reserve`")
        gatheredEvents += 1
        let next = PendingAppend(
            event: StoredEvent(append, position: .start, sequence: .none), change: append.change,
            session: session, id: id, reply: reply, refusal: refusal, advance: advance)
        pendingBytes += next.bytes
        large.add(next)
        pending.append(next)
        gathering.append(.append(append))
    }

    /// Adds a mutation that has no outcome. Of a state only the newest waits. Dropped if the store has failed.
    func store(_ mutation: Mutation) {
        precondition(!mutation.isAppend, "a durable event has somebody who waits for it: submit it")
        guard !isFailed else { return }
        if !newest.take(mutation) { gathering.append(mutation) }
    }

    /// Adds mutations in front of the collecting batch, because they describe the state before it.
    func storeFirst(_ mutations: [Mutation]) {
        guard !isFailed else { return }
        gathering.insert(contentsOf: mutations, at: 0)
    }

    // MARK: Out

    /// Returns the next batch if there is one and the writer is idle. `batchIsDurable` or `fail` answers it.
    /// - Parameter now: monotonic milliseconds.
    func takeBatch(at now: Int64) -> [Mutation]? {
        guard isWriterIdle, !hasGatheredNothing else { return nil }
        committingEvents = gatheredEvents
        self.batch += 1
        committingSince = now
        gatheredEvents = 0
        var batch: [Mutation] = []
        if unstored.isEmpty {
            swap(&batch, &gathering)
        } else {
            batch = unstored + gathering
            unstored.removeAll()
            gathering.removeAll()
        }
        newest.move(to: &batch)
        return batch
    }

    /// The writer's batch is durable, with one outcome for each of its events. `nextSettled` returns the events.
    func batchIsDurable(outcomes: Int) {
        precondition(committingEvents == outcomes, "a batch has one outcome for each of its durable events")
        committingEvents = nil
        durableBatch = batch - 1
        isStalled = false
    }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 {
        committingEvents == nil || isStalled ? .max : committingSince + bounds.stallMilliseconds
    }

    /// Notices a batch that takes too long.
    func tick(at now: Int64) {
        if nextDeadline <= now { isStalled = true }
    }

    /// Returns the event that the next outcome belongs to.
    func nextSettled() -> PendingAppend {
        guard let next = pending.popFirst() else { preconditionFailure("an outcome belongs to an event") }
        pendingBytes -= next.bytes
        large.remove(next)
        return next
    }

    /// Notes that there is a durable event at this position.
    func reached(_ position: Position) { head = max(head, position) }

    /// The store has failed. Appends that were under way may or may not be found after a restart, so none of them is
    /// acked.
    /// - Returns: everything that waited for an outcome.
    func fail() -> [PendingAppend] {
        isFailed = true
        isStalled = false
        committingEvents = nil
        gatheredEvents = 0
        unstored.removeAll()
        gathering.removeAll()
        newest.removeAll()
        pendingBytes = 0
        large.removeAll()
        defer { pending.removeAll() }
        return Array(pending)
    }

    // MARK: A full disk

    /// Nothing of the writer's batch is stored. Its events are refused; everything else waits until there is room.
    func noRoom(for batch: [Mutation]) {
        committingEvents = nil
        isStalled = false
        isFull = true
        unstored = UnstoredStates.newest(of: batch + gathering)
        gathering.removeAll()
        gatheredEvents = 0
    }

    /// The disk is full. Events that the writer doesn't have are refused; it may still store those that it has.
    func roomIsGone() {
        isFull = true
        gathering = UnstoredStates.newest(of: gathering)
        gatheredEvents = 0
    }

    /// There is room again.
    func roomIsBack() { isFull = false }

    /// Takes the events that are refused because the disk is full: those that the writer doesn't have.
    func takeRefused() -> [PendingAppend] {
        guard isFull else { return [] }
        var refused: [PendingAppend] = []
        while pending.count > committingEvents ?? 0, let next = pending.popLast() {
            pendingBytes -= next.bytes
            large.remove(next)
            refused.append(next)
        }
        return refused.reversed()
    }

    /// A drain has begun.
    func beginDrain() { isDraining = true }

    /// The refusal when nothing is accepted.
    func unavailable() -> Refusal {
        guard isOpen else {
            return Refusal(
                .unavailable, isFailed ? "the store has failed" : "the relay is draining",
                retryAfterMilliseconds: 1_000)
        }
        return Refusal(
            .unavailable, "the store has no room on its disk", retryAfterMilliseconds: bounds.fullRetryMilliseconds)
    }
}

extension Mutation {
    fileprivate var isAppend: Bool {
        if case .append = self { true } else { false }
    }
}
