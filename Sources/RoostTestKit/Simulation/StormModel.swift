import RoostCore
import RoostFraming
import RoostWire
import SeededRandom

/// A relay under a steady load, with a cost for each piece of work: so a test can see whether load that was bearable is
/// bearable again after all connections were cut. The loop and the reader are one thread each. Time passes only by
/// their work, and by waiting for the next message that is due.
public final class StormModel {
    /// Costs of work, in microseconds. Only the proportions count: they are those of a small relay, made slow, so that
    /// few messages show what many would.
    public struct Prices: Sendable {
        /// A command.
        public var command: Int64 = 200
        /// One write to a connection.
        public var write: Int64 = 200
        /// An event in it.
        public var event: Int64 = 40
        /// A connection and its `hello`.
        public var hello: Int64 = 5_000
        /// A commit, on a thread of its own.
        public var commit: Int64 = 2_000
        /// A read, on another one: dearer than many events.
        public var read: Int64 = 8_000

        /// The usual ones.
        public init() {}
    }

    private final class Client {
        let user: String
        let peer: String
        var session: Session?
        /// Messages that became due while it was away. It sends them when it is back.
        var waiting = 0
        init(_ user: String, peer: String) {
            self.user = user
            self.peer = peer
        }
    }

    private let prices: Prices
    private let log = MemoryLog()
    private let relay: Relay
    private var clients: [Client] = []
    private let rate: Int
    private var microseconds: Int64 = 1_000_000_000
    private var nextDue: Int64
    private var due = 0
    private var sent = 0
    private var commit: (batch: [Mutation], due: Int64)?
    private var reads: [(read: Read, due: Int64)] = []
    /// Microseconds by which the last message was late when its turn came.
    public private(set) var lateness: Int64 = 0
    /// Events that were written, by those who read them.
    public private(set) var events = 0

    /// - Parameters:
    ///   - pairs: users who write to each other.
    ///   - rate: messages in a second, by all of them.
    public init(pairs: Int, rate: Int, limits: Limits = Limits(), prices: Prices = Prices()) {
        self.prices = prices
        self.rate = rate
        nextDue = microseconds
        relay = Relay(
            log.load(), limits: limits, identity: .init(server: "storm", durability: .memory),
            random: SeededGenerator(seed: 1), at: StormModel.moment(microseconds))
        for pair in 0..<pairs {
            clients.append(Client("a\(pair)", peer: "b\(pair)"))
            clients.append(Client("b\(pair)", peer: "a\(pair)"))
        }
        for client in clients { connect(client) }
    }

    /// Sessions that are connected and not live.
    public var sessionsBehind: Int { relay.counters.behind.sessions }
    /// Sessions that were welcomed.
    public var sessionsReady: Int { relay.readySessions }
    /// Messages that were stored.
    public var stored: Int { relay.counters.messages }
    private var now: Moment { StormModel.moment(microseconds) }

    private static func moment(_ microseconds: Int64) -> Moment {
        Moment(
            monotonic: microseconds / 1_000, wall: Timestamp(milliseconds: 1_700_000_000_000 + microseconds / 1_000))
    }

    // MARK: Events

    /// Cuts all connections, and lets all clients come back at once.
    public func cutAll() {
        for client in clients {
            guard let session = client.session else { continue }
            session.attachment = nil
            relay.close(session, at: now)
        }
        for client in clients { connect(client) }
    }

    /// Lets the load go on for so many seconds.
    public func run(seconds: Int64) {
        let end = microseconds + seconds * 1_000_000
        while microseconds < end { turn(before: end) }
    }

    /// Lets time pass without a message until everything under way is done.
    public func rest() {
        nextDue = .max
        for _ in 0..<20_000 { turn(before: microseconds + 1_000) }
    }

    private func connect(_ client: Client) {
        let session = relay.open(at: now)
        session.attachment = client
        client.session = session
        say("{\"type\":\"hello\",\"id\":0,\"token\":\"\(client.user)\",\"device\":\"d\"}", session)
        microseconds += prices.hello
    }

    private func say(_ json: String, _ session: Session) {
        Array(json.utf8).withUnsafeBytes { relay.receive($0, from: session, at: now) }
    }

    // MARK: A turn, as the server's

    private func turn(before end: Int64) {
        let begin = microseconds
        takeMessages()
        settleCommit()
        answerReads()
        for verification in relay.takeVerifications() {
            relay.verified(verification.session, TokenRule.check(verification.token, at: now.wall), at: now)
        }
        if relay.nextDeadline(at: now) <= now.monotonic { relay.tick(at: now) }
        handOver()
        relay.doWork(at: now)
        relay.visitPart { write(to: $0) }
        handOver()
        guard microseconds == begin, !relay.hasWork else { return }
        let next = min(nextDue, commit?.due ?? .max, reads.first?.due ?? .max, begin + 1_000, end)
        microseconds = max(next, begin + 1)
    }

    /// Accepts as many messages as a turn reads from its sockets.
    private func takeMessages() {
        var left = 64
        while nextDue <= microseconds, left > 0 {
            left -= 1
            lateness = microseconds - nextDue
            nextDue += 1_000_000 / Int64(rate)
            due += 1
            clients[due % clients.count].waiting += 1
        }
        for client in clients where client.waiting > 0 {
            guard let session = client.session, session.isReady else { continue }
            for _ in 0..<client.waiting {
                sent += 1
                say(
                    "{\"type\":\"send\",\"id\":1,\"to\":\"@\(client.peer)\",\"key\":\"k\(sent)\",\"body\":\"x\"}",
                    session)
                microseconds += prices.command
            }
            client.waiting = 0
        }
    }

    private func settleCommit() {
        guard let under = commit, under.due <= microseconds else { return }
        commit = nil
        relay.committed(log.commit(under.batch), at: now) { [self] in relay.visitTouched { write(to: $0) } }
    }

    private func answerReads() {
        while let first = reads.first, first.due <= microseconds {
            reads.removeFirst()
            relay.answered(log.answer(first.read), at: now)
        }
    }

    private func handOver() {
        if commit == nil, let batch = relay.takeBatch(at: now) { commit = (batch, microseconds + prices.commit) }
        for read in relay.takeReads(at: now) {
            reads.append((read, max(reads.last?.due ?? 0, microseconds) + prices.read))
        }
    }

    private func write(to session: Session) {
        guard let client = session.attachment as? Client else { return }
        var isWritten = false
        var acked: String?
        while let frame = session.outbox.pop() {
            isWritten = true
            for message in frame.messages() {
                microseconds += prices.event
                let json = JSONValue(parsing: message.payload)
                guard json?["type"]?.string == "message" else { continue }
                events += 1
                acked = json?["position"]?.string
            }
        }
        if isWritten { microseconds += prices.write }
        relay.wrote(to: session)
        if session.wantsDrained { relay.drained(session, at: now) }
        if let acked, client.session === session { say("{\"type\":\"ack\",\"position\":\"\(acked)\"}", session) }
    }
}
