import DequeModule
import RoostWire

/// What is on its way to the log: a batch that gathers while the writer is busy, and the durable events that wait for
/// their outcome, in the order in which the outcomes come. It bounds both, knows whether the store works, and refuses
/// what it can't take. It doesn't know what an event means. Loop thread only.
final class Journal {
    /// Its part of `Limits`.
    struct Bounds {
        /// Durable events that may wait for their outcome.
        var events: Int
        /// Bytes of their bodies.
        var bytes: Int
        /// What a refused client is told to wait.
        var retryMilliseconds: Int64

        init(_ limits: Limits) {
            events = limits.pendingEvents
            bytes = limits.pendingBytes
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    private let bounds: Bounds
    /// Position of the newest durable event.
    private(set) var head: Position
    private var gathering: [Mutation] = []
    /// Durable events among them.
    private var gatheredEvents = 0
    /// Durable events in the batch that the writer has; nil while it has none.
    private var committingEvents: Int?
    private var pending = Deque<PendingAppend>()
    private var pendingBytes = 0
    /// The end was announced: no new event is taken.
    private(set) var isDraining = false
    /// The store failed: nothing can be made durable any more.
    private(set) var isFailed = false

    init(_ bounds: Bounds, head: Position) {
        self.bounds = bounds
        self.head = head
    }

    /// Whether durable events are taken.
    var isOpen: Bool { !isFailed && !isDraining }
    /// Durable events that wait for their outcome.
    var pendingEvents: Int { pending.count }
    /// Mutations in the batch that gathers. For tests.
    var gathered: Int { gathering.count }
    /// Whether nothing is on its way.
    var isEmpty: Bool { pending.isEmpty && gathering.isEmpty && committingEvents == nil }
    /// Whether the writer would take a batch now.
    var isWriterIdle: Bool { committingEvents == nil && !isFailed }

    // MARK: In

    /// Makes sure that an event with a body of so many bytes may be put in. Called before anything is changed.
    /// - Throws: `unavailable` or `busy`.
    func reserve(_ bytes: Int) throws(Refusal) {
        guard isOpen else { throw unavailable() }
        guard pending.count < bounds.events, pendingBytes + bytes <= bounds.bytes else {
            throw Refusal(.busy, "the store is behind", retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    /// Puts an event in, with who waits for the answer.
    func submit(
        _ append: consuming Append, _ session: Session?, _ id: CommandID?, reply: ReplyForm = .plain
    ) {
        pendingBytes += append.body.count
        gatheredEvents += 1
        pending.append(
            PendingAppend(
                event: StoredEvent(append, position: .start, sequence: .none), change: append.change,
                isProbe: append.isProbe, session: session, id: id, reply: reply))
        gathering.append(.append(append))
    }

    /// Puts in what is to be made durable without an outcome. Dropped when the store has failed.
    func store(_ mutation: Mutation) {
        precondition(!mutation.isAppend, "a durable event has somebody who waits for it: submit it")
        guard !isFailed else { return }
        gathering.append(mutation)
    }

    /// Puts these before everything that gathers: they speak of how things stand before the batch.
    func storeFirst(_ mutations: [Mutation]) {
        guard !isFailed else { return }
        gathering.insert(contentsOf: mutations, at: 0)
    }

    // MARK: Out

    /// The next batch, if there is one and the writer is idle. `batchIsDurable` or `fail` answers it.
    func takeBatch() -> [Mutation]? {
        guard isWriterIdle, !gathering.isEmpty else { return nil }
        committingEvents = gatheredEvents
        gatheredEvents = 0
        var batch: [Mutation] = []
        swap(&batch, &gathering)
        return batch
    }

    /// The batch that the writer had is durable, with one outcome for each of its events: `nextSettled` gives them.
    func batchIsDurable(outcomes: Int) {
        precondition(committingEvents == outcomes, "a batch has one outcome for each of its durable events")
        committingEvents = nil
    }

    /// The event that the next outcome is about.
    func nextSettled() -> PendingAppend {
        guard let next = pending.popFirst() else { preconditionFailure("an outcome belongs to an event") }
        pendingBytes -= next.event.body.count
        return next
    }

    /// There is a durable event at this position.
    func reached(_ position: Position) { head = max(head, position) }

    /// The store failed. What was on its way may or may not be found after a restart, so none of it is acked.
    /// - Returns: everything that waited for an outcome.
    func fail() -> [PendingAppend] {
        isFailed = true
        committingEvents = nil
        gatheredEvents = 0
        gathering.removeAll()
        pendingBytes = 0
        defer { pending.removeAll() }
        return Array(pending)
    }

    /// The end was announced.
    func beginDrain() { isDraining = true }

    /// Why nothing is taken.
    func unavailable() -> Refusal {
        Refusal(
            .unavailable, isFailed ? "the store has failed" : "the relay is draining",
            retryAfterMilliseconds: 1_000)
    }
}

extension Mutation {
    fileprivate var isAppend: Bool {
        if case .append = self { true } else { false }
    }
}
