import RoostCore
import RoostWire
@_exported import SeededRandom

/// A relay with everything that a server has around it: a log in memory, a clock that moves only when a test moves it,
/// clients that speak JSON. Everything happens at once and in the calling thread, unless a test holds it back. So a
/// unit test reads as a list of steps and results.
public final class RelayHarness {
    /// The relay. `crash` replaces it.
    public private(set) var relay: Relay
    /// The durable log.
    public let log: MemoryLog
    /// The present time. It begins at 1,000,000 ms; the wall clock is a fixed distance ahead.
    public private(set) var now: Moment
    /// If true, a batch waits in `heldBatch` instead of being committed, until this is false again and `settle` is
    /// called.
    public var holdsCommits = false
    /// If true, reads wait in `heldReads` in the same way.
    public var holdsReads = false
    /// All clients in the order in which they connected, including those whose connection has ended.
    public private(set) var clients: [HarnessClient] = []
    /// The batch that was taken and not answered.
    public private(set) var heldBatch: [Mutation]?
    /// Reads that were taken and not answered.
    public private(set) var heldReads: [Read] = []

    private let limits: Limits
    private let rules: PolicyRules
    private var seed: UInt64

    /// A relay that starts with the content of `log`.
    public init(
        limits: Limits = Limits(), rules: PolicyRules = PolicyRules(), log: MemoryLog = MemoryLog(), seed: UInt64 = 1
    ) {
        self.limits = limits
        self.rules = rules
        self.log = log
        self.seed = seed
        now = RelayHarness.moment(1_000_000)
        relay = RelayHarness.start(log, limits, rules, seed, now)
        settle()
    }

    // A client and its session hold each other.
    deinit { for client in clients { client.session.attachment = nil } }

    // MARK: Connections

    /// Opens a connection without hello.
    public func open() -> HarnessClient {
        let client = HarnessClient(relay.open(at: now), of: self)
        clients.append(client)
        return client
    }

    /// Opens a connection and says hello. The client keeps the frames that came back.
    /// - Parameter resume: a position to resume from.
    public func connect(
        _ user: String,
        _ device: String = "phone",
        background: Bool = false,
        resume: String? = nil
    ) -> HarnessClient {
        let client = open()
        var hello = #"{"type":"hello","id":0,"token":"\#(user)","device":"\#(device)""#
        if background { hello += #","background":true"# }
        if let resume { hello += #","resume":"\#(resume)""# }
        client.send(hello + "}")
        return client
    }

    // MARK: Time

    /// Lets time pass, and wakes the relay when it has asked for that.
    public func advance(_ milliseconds: Int64) {
        let end = now.monotonic + milliseconds
        settle()
        var previous = Int64.min
        while true {
            let due = max(relay.nextDeadline(at: now), now.monotonic)
            guard due <= end, due > previous else { break }
            previous = due
            now = RelayHarness.moment(due)
            relay.tick(at: now)
            settle()
        }
        now = RelayHarness.moment(end)
        relay.tick(at: now)
        settle()
    }

    // MARK: Trouble

    /// The process dies: what wasn't committed is lost, connections are cut, and a new relay starts from the log.
    /// - Parameter isHeldBatchDurable: the batch under way reached the log, although its senders got no answer.
    public func crash(isHeldBatchDurable: Bool = false) {
        if let heldBatch, isHeldBatchDurable { _ = log.commit(heldBatch) }
        heldBatch = nil
        heldReads.removeAll()
        for client in clients { client.isOpen = false }
        seed += 1
        relay = RelayHarness.start(log, limits, rules, seed, now)
        settle()
    }

    /// The process dies, and another one starts after this time.
    public func sleep(_ milliseconds: Int64) {
        now = RelayHarness.moment(now.monotonic + milliseconds)
        crash()
    }

    /// The store commits the batch under way, and holds back the next one.
    public func commitHeldBatch() {
        guard let batch = heldBatch else { return settle() }
        heldBatch = nil
        relay.committed(log.commit(batch), at: now) { _ = writeTouched() }
        settle()
    }

    /// The store reports that the batch under way failed.
    public func failCommit() {
        heldBatch = nil
        relay.commitFailed(at: now)
        settle()
    }

    /// The store has no room for the batch under way, nor for another one.
    public func fillDisk() {
        if let batch = heldBatch { relay.noRoom(for: batch, at: now) } else { relay.roomIsGone(at: now) }
        heldBatch = nil
        settle()
    }

    /// The store has room again.
    public func makeRoom() {
        relay.roomIsBack(at: now)
        settle()
    }

    // MARK: Turns

    /// Runs turns until nothing happens any more: tokens, batches, reads and writes, unless they are held back.
    public func settle() {
        while runTurn() {}
    }

    private func runTurn() -> Bool {
        var hasMoved = false
        for verification in relay.takeVerifications() {
            hasMoved = true
            relay.verified(verification.session, TokenRule.check(verification.token, at: now.wall), at: now)
        }
        if heldBatch == nil { heldBatch = relay.takeBatch(at: now) }
        if let batch = heldBatch, !holdsCommits {
            hasMoved = true
            heldBatch = nil
            relay.committed(log.commit(batch), at: now) { _ = writeTouched() }
        }
        heldReads += relay.takeReads(at: now)
        if !holdsReads, !heldReads.isEmpty {
            hasMoved = true
            let reads = heldReads
            heldReads.removeAll()
            for read in reads { relay.answered(log.answer(read), at: now) }
        }
        if relay.hasWork { hasMoved = true }
        relay.doWork(at: now)
        return writeTouched() || hasMoved
    }

    // Writes as a server does: only to sessions that the relay names, and to those with something left to write.
    private func writeTouched() -> Bool {
        var hasMoved = false
        for session in relay.takeTouched() { (session.attachment as? HarnessClient)?.isDue = true }
        for client in clients where client.isOpen && client.write() { hasMoved = true }
        return hasMoved
    }

    private static func moment(_ monotonic: Int64) -> Moment {
        Moment(monotonic: monotonic, wall: Timestamp(milliseconds: 1_700_000_000_000 + monotonic))
    }

    private static func start(
        _ log: MemoryLog, _ limits: Limits, _ rules: PolicyRules, _ seed: UInt64, _ now: Moment
    ) -> Relay {
        Relay(
            log.load(),
            limits: limits,
            identity: .init(server: "roost test", durability: .memory),
            rules: rules,
            random: SeededGenerator(seed: seed),
            at: now
        )
    }
}
