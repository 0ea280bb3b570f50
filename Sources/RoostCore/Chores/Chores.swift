import DequeModule
import RoostWire

/// A job that looks at so many members, conversations or sessions, one by one, that a turn does only part of it.
protocol Chore: AnyObject {
    /// Goes on, one step for each thing that is looked at, until it is done or no step is left.
    /// - Returns: whether it is done.
    func work(_ steps: inout Int) -> Bool
}

/// The jobs that are not done yet. A job is begun at once and, in nearly all cases, done at once: a turn has steps for
/// some thousand conversations. The rest goes on in the next turns, each job in its turn, so that large ones delay each
/// other and not the messages. Loop thread only.
final class Chores {
    /// The limits of this part.
    struct Bounds {
        /// Steps of one turn.
        let stepsPerTurn: Int
        /// Steps of one job before it is another's turn.
        let stepsAtOnce: Int
        /// Most jobs of one session, and of one that belongs to no user.
        let perSession, perOperator: Int
        /// The wait that a refused client is asked for.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            stepsPerTurn = limits.stepsPerTurn
            stepsAtOnce = max(1, limits.stepsPerTurn / 4)
            (perSession, perOperator) = (limits.readsPerSession, limits.readsPerOperator)
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    /// The state that a session keeps for this part.
    struct Slot {
        fileprivate var underWay = 0
    }

    private let bounds: Bounds
    private let prices: Prices
    private let counters: Counters
    private var waiting = Deque<(chore: any Chore, session: Session?)>()
    private var left: Int

    init(_ bounds: Bounds, _ prices: Prices, _ counters: Counters) {
        self.bounds = bounds
        self.prices = prices
        self.counters = counters
        left = bounds.stepsPerTurn
    }

    /// Whether jobs wait for the next turn.
    var isEmpty: Bool { waiting.isEmpty }

    /// Checks that the session may begin a job.
    /// - Throws: `rate_limited`.
    func check(_ session: Session) throws(Refusal) {
        let most = session.user == nil ? bounds.perOperator : bounds.perSession
        guard session.chores.underWay < most else {
            throw Refusal(
                .rateLimited, "this session already has \(most) large commands under way",
                retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    /// Begins a job, and does as much of it as this turn may.
    /// - Parameter session: the session that asked for it, after `check`. Its user pays for the steps. Nil if the relay
    ///   itself began it.
    func begin(_ chore: any Chore, for session: Session? = nil, at now: Moment) {
        guard !waiting.isEmpty || !work(on: chore, for: session, at: now) else { return }
        session?.chores.underWay += 1
        waiting.append((chore, session))
    }

    /// A turn begins: goes on with what waits.
    func work(at now: Moment) {
        left = bounds.stepsPerTurn
        while left > 0, let (chore, session) = waiting.popFirst() {
            if work(on: chore, for: session, at: now) {
                session?.chores.underWay -= 1
            } else {
                waiting.append((chore, session))
            }
        }
    }

    /// Returns whether it is done.
    private func work(on chore: any Chore, for session: Session?, at now: Moment) -> Bool {
        guard left > 0 else { return false }
        let given = min(left, bounds.stepsAtOnce)
        var steps = given
        let isDone = chore.work(&steps)
        counters.steps += given - steps
        if let session { prices.charge(steps: given - steps, to: session, at: now) }
        // One that needs no step costs something, too.
        left -= max(1, given - steps)
        return isDone
    }
}
