import RoostCore
import RoostWire
@_exported import SeededRandom

/// A relay with everything around it that a server would be: a log in memory, a clock that stands still until it is
/// told to go on, clients that speak JSON. Everything happens in the calling thread and at once, unless a test holds
/// it back, so that a unit test reads as a list of what happened and what came of it.
public final class RelayHarness {
    /// The relay; another one after `crash`.
    public private(set) var relay: Relay
    /// What is durable.
    public let log: MemoryLog
    /// The clock. Begins at 1,000,000 ms; the wall clock is a fixed distance ahead.
    public private(set) var now: Moment
    /// Batches wait in `heldBatches` instead of being committed, until it is false again and `settle` is called.
    public var holdsCommits = false
    /// The same for reads.
    public var holdsReads = false
    /// Clients in the order in which they connected, those whose connection ended among them.
    public private(set) var clients: [HarnessClient] = []
    /// A batch that was taken and not answered.
    public private(set) var heldBatch: [Mutation]?
    /// Reads that were taken and not answered.
    public private(set) var heldReads: [Read] = []

    private let limits: Limits
    private var seed: UInt64

    /// A relay that starts from what `log` has.
    public init(limits: Limits = Limits(), log: MemoryLog = MemoryLog(), seed: UInt64 = 1) {
        self.limits = limits
        self.log = log
        self.seed = seed
        now = RelayHarness.moment(1_000_000)
        relay = RelayHarness.start(log, limits, seed, now)
        settle()
    }

    // MARK: Connections

    /// Opens a connection that has said nothing yet.
    public func open() -> HarnessClient {
        let client = HarnessClient(relay.open(at: now), of: self)
        clients.append(client)
        return client
    }

    /// Opens a connection and says hello; what came back is in the client's frames.
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

    /// Lets time pass, waking the relay when it asked to be.
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

    /// The process dies: what wasn't committed is gone, connections are cut, and a new relay starts from the log.
    /// - Parameter isHeldBatchDurable: the batch under way made it to the log, though nobody was told.
    public func crash(isHeldBatchDurable: Bool = false) {
        if let heldBatch, isHeldBatchDurable { _ = log.commit(heldBatch) }
        heldBatch = nil
        heldReads.removeAll()
        for client in clients { client.isOpen = false }
        seed += 1
        relay = RelayHarness.start(log, limits, seed, now)
        settle()
    }

    /// The store says that the batch under way failed.
    public func failCommit() {
        heldBatch = nil
        relay.commitFailed(at: now)
        settle()
    }

    // MARK: Turns

    /// Runs turns until nothing moves any more: tokens, batches, reads and writes, as far as they aren't held back.
    public func settle() {
        while runTurn() {}
    }

    private func runTurn() -> Bool {
        var hasMoved = false
        for verification in relay.takeVerifications() {
            hasMoved = true
            relay.verified(verification.session, TokenRule.check(verification.token, at: now.wall), at: now)
        }
        if heldBatch == nil { heldBatch = relay.takeBatch() }
        if let batch = heldBatch, !holdsCommits {
            hasMoved = true
            heldBatch = nil
            relay.committed(log.commit(batch), at: now) { _ = writeTouched() }
        }
        heldReads += relay.takeReads()
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

    // Like a server: only to whom the relay names, and to those with something left to write.
    private func writeTouched() -> Bool {
        var hasMoved = false
        for session in relay.takeTouched() { (session.attachment as? HarnessClient)?.isDue = true }
        for client in clients where client.isOpen && client.write() { hasMoved = true }
        return hasMoved
    }

    private static func moment(_ monotonic: Int64) -> Moment {
        Moment(monotonic: monotonic, wall: Timestamp(milliseconds: 1_700_000_000_000 + monotonic))
    }

    private static func start(_ log: MemoryLog, _ limits: Limits, _ seed: UInt64, _ now: Moment) -> Relay {
        Relay(
            log.load(),
            limits: limits,
            identity: .init(server: "roost test", durability: .memory),
            random: SeededGenerator(seed: seed),
            at: now
        )
    }
}
