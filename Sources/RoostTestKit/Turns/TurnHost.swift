import RoostCore
import RoostFraming
import RoostWire

/// A host that measures each call of the relay by itself: how long it takes, by the clock that it is given, and how
/// much it looks at. Its log stores nothing: it answers each event with the next numbers, and each read with nothing.
public final class TurnHost {
    /// The cost of one kind of command.
    public struct Cost {
        /// The longest single call, by the clock.
        public internal(set) var longest: Int64 = 0
        /// The call that took longest.
        public internal(set) var call = ""
        /// Everything together.
        public internal(set) var total: Int64 = 0
        /// The most that a single call looked at or delivered.
        public internal(set) var work = 0
        /// Number of calls.
        public internal(set) var calls = 0
    }

    /// The relay.
    public let relay: Relay
    private let clock: () -> Int64
    private var now: Moment
    private var cost = Cost()
    private var head: Int64
    private var sequences: [Int32: Int64] = [:]
    private var leased: [NumberKind: Int32] = [:]
    private var open: [ObjectIdentifier: Session] = [:]

    /// Starts a relay.
    /// - Parameter clock: nanoseconds of the thread's own time; always 0 if only work is counted.
    public init(_ state: Snapshot, limits: Limits, clock: @escaping () -> Int64) {
        self.clock = clock
        now = TurnHost.moment(1_000_000)
        head = state.head.value
        for kind in NumberKind.allCases { leased[kind] = 2_000_000 }
        relay = Relay(
            state, limits: limits, identity: .init(server: "roost turns", durability: .memory),
            random: SeededGenerator(seed: 1), at: now)
    }

    // MARK: Doing

    /// Connects a device of a user, and lets it catch up.
    public func connect(_ user: String, _ device: String = "phone", resume: Int64? = nil) -> Session {
        let session = measured("open") { relay.open(at: now) }
        open[ObjectIdentifier(session)] = session
        let from = resume.map { ",\"resume\":\"turns-\($0)\"" } ?? ""
        say("{\"type\":\"hello\",\"id\":1,\"token\":\"\(user)\",\"device\":\"\(device)\"\(from)}", on: session)
        return session
    }

    /// Sends a command and runs turns until nothing is left to do.
    public func say(_ command: String, on session: Session) {
        Array(command.utf8).withUnsafeBytes { bytes in
            measured("receive") { relay.receive(bytes, from: session, at: now) }
        }
        settle()
    }

    /// Ends a connection.
    public func drop(_ session: Session) {
        open[ObjectIdentifier(session)] = nil
        measured("close") { relay.close(session, at: now) }
        settle()
    }

    /// Lets time pass.
    public func advance(_ milliseconds: Int64) {
        now = TurnHost.moment(now.monotonic + milliseconds)
        measured("tick") { relay.tick(at: now) }
        settle()
    }

    /// The cost of everything since the last call.
    public func takeCost() -> Cost {
        defer { cost = Cost() }
        return cost
    }

    // MARK: Turns

    private func settle() {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            for verification in relay.takeVerifications() {
                hasMoved = true
                measured("verified") {
                    relay.verified(verification.session, TokenRule.check(verification.token, at: now.wall), at: now)
                }
            }
            if let batch = measured("takeBatch", { relay.takeBatch(at: now) }) {
                hasMoved = true
                let outcomes = answer(batch)
                measured("committed") { relay.committed(outcomes, at: now) }
            }
            for read in relay.takeReads(at: now) {
                hasMoved = true
                var result = ReadResult(ticket: read.ticket)
                result.head = Position(head)
                if case .page(let request) = read.question { result.reached = request.spans.last?.upTo ?? .start }
                measured("answered") { relay.answered(result, at: now) }
            }
            if relay.hasWork { hasMoved = true }
            measured("doWork") { relay.doWork(at: now) }
            visit()
        }
    }

    /// The clients read everything at once.
    private func visit() {
        var visited: [Session] = []
        visited.reserveCapacity(open.count)
        measured("visitPart") {
            relay.visitPart { session in
                while session.outbox.pop() != nil {}
                if session.closing != nil || session.wantsDrained { visited.append(session) }
            }
        }
        for session in visited { written(session) }
    }

    private func written(_ session: Session) {
        if session.closing != nil {
            guard open.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
            measured("close") { relay.close(session, at: now) }
        } else if session.wantsDrained {
            measured("drained") { relay.drained(session, at: now) }
        }
    }

    private func answer(_ batch: [Mutation]) -> [Outcome] {
        var outcomes: [Outcome] = []
        var leases: [Outcome] = []
        for mutation in batch {
            switch mutation {
            case .append(let append): outcomes.append(answer(append))
            case .lease(let kind):
                let numbers = NumberLeases.range(above: leased[kind] ?? 0, count: 1_000_000)
                leased[kind] = numbers.last
                leases.append(.leased(kind, numbers))
            default: continue
            }
        }
        return outcomes + leases
    }

    private func answer(_ append: Append) -> Outcome {
        head += 1
        let number = append.conversation.value
        if append.kind == .message { sequences[number, default: 100] += 1 }
        let sequence = append.kind == .message ? sequences[number] ?? 0 : append.reference.value
        return .stored(Position(head), SequenceNumber(sequence))
    }

    // MARK: Measuring

    private func measured<Result>(_ call: String, _ body: () -> Result) -> Result {
        let (work, begin) = (workDone, clock())
        let result = body()
        let time = clock() - begin
        cost.calls += 1
        cost.total += time
        cost.work = max(cost.work, workDone - work)
        if time > cost.longest { (cost.longest, cost.call) = (time, call) }
        return result
    }

    private var workDone: Int {
        let counters = relay.counters
        return counters.steps + counters.deliveries + counters.signalDeliveries + counters.ephemeralDeliveries
            + counters.ephemeralOwed
    }

    private static func moment(_ monotonic: Int64) -> Moment {
        Moment(monotonic: monotonic, wall: Timestamp(milliseconds: 1_700_000_000_000 + monotonic))
    }
}
