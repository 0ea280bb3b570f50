import DequeModule
import RoostWire

/// Answers to commands whose change counts already and isn't durable yet. An answer leaves when the batch with the
/// change is committed: an `ok` means that a crash takes nothing back. If the store fails or its disk is full, the
/// command gets another answer at once, and the change stays until the process ends. Loop thread only.
final class HeldAnswers {
    /// The limits of this part.
    struct Bounds {
        /// Answers that wait.
        let most: Int
        /// The wait that a refused client is asked for.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            most = limits.heldAnswers
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    /// The steps when a change is durable, or can't become durable soon.
    struct Steps {
        /// Applies and announces what others may only see once it is durable. It comes before the answer, also if the
        /// connection of the command has ended.
        var announce: ((Moment) -> Void)?
        /// Sends the answer. True if the change is durable, false if it may be lost.
        let answer: (_ isStored: Bool) -> Void
        /// Whether the answer doesn't wait for a commit that takes too long, because the change has to be known at
        /// once.
        var isUrgent = false
    }

    private struct Held {
        /// The batch with the change.
        let batch: UInt64
        let session: Session
        let steps: Steps
        var isAnswered = false
    }

    private let bounds: Bounds
    private let journal: Journal
    private var waiting = Deque<Held>()

    init(_ bounds: Bounds, _ journal: Journal) {
        self.bounds = bounds
        self.journal = journal
    }

    /// Number of answers that wait. For tests.
    var count: Int { waiting.count }

    /// Checks that the store takes a change, and that one more answer may wait for it. Called before anything changes.
    /// - Throws: `busy` or `unavailable`.
    func reserve() throws(Refusal) {
        try journal.reserve(0)
        try checkRoom()
    }

    /// Checks that one more answer may wait, whether the store takes changes or not.
    /// - Throws: `busy`.
    func checkRoom() throws(Refusal) {
        guard waiting.count < bounds.most else {
            throw Refusal(
                .busy, "\(bounds.most) answers wait for the store", retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    /// Takes the steps once everything that was handed to the journal until now is durable. So a command that repeats
    /// an earlier one and changes nothing isn't answered before the earlier one.
    /// - Parameter withNextBatch: also what the next batch takes that isn't in the journal yet.
    func hold(_ session: Session, _ steps: Steps, withNextBatch: Bool = false, at now: Moment) {
        let batch = withNextBatch ? journal.batch : journal.awaitedBatch ?? 0
        let held = Held(batch: batch, session: session, steps: steps)
        guard held.batch > journal.durableBatch || journal.isFailed else { return finish(held, at: now) }
        waiting.append(held)
        settle(at: now)
    }

    /// Answers what is durable, and what can't become durable soon. Called when the journal may have changed.
    func settle(at now: Moment) {
        while !journal.isFailed, let next = waiting.first, next.batch <= journal.durableBatch {
            waiting.removeFirst()
            finish(next, at: now)
        }
        guard journal.isFailed || journal.isStalled || journal.isFull else { return }
        for index in waiting.indices where !waiting[index].isAnswered && isHeldUp(waiting[index]) {
            waiting[index].isAnswered = true
            answer(waiting[index], isStored: false)
        }
        if journal.isFailed { waiting.removeAll() }
    }

    /// The refusal of a command whose change counts and may be lost.
    func unstored(_ id: CommandID?) -> Refusal {
        var refusal = journal.unavailable()
        refusal.id = id
        return refusal
    }

    private func isHeldUp(_ held: Held) -> Bool {
        if journal.isFailed { return true }
        // The writer may still store the batch that it has.
        if journal.isFull, journal.isIdle || held.batch == journal.batch { return true }
        return journal.isStalled && held.steps.isUrgent
    }

    private func finish(_ held: Held, at now: Moment) {
        held.steps.announce?(now)
        if !held.isAnswered { answer(held, isStored: true) }
    }

    private func answer(_ held: Held, isStored: Bool) {
        guard held.session.phase == .ready else { return }
        held.steps.answer(isStored)
    }
}
