import RoostCore
import RoostStorage
import RoostTestKit
import RoostWire
import SeededRandom

/// The real store on a simulated disk, under a simulated relay. Beside it goes a log in memory that commits the same:
/// each outcome is compared, and after each end of a process all that the store holds. What was acked has to be there;
/// of a commit that was under way all or nothing.
public final class DiskStore: SimulatedStore {
    private static let path = "roost.db"
    /// Ends of processes while a store is being opened; then it has to succeed.
    private static let crashesAtStart = 2

    private let disk = SimulatedDisk()
    private let durability: Durability
    private let reactionsPerUser: Int
    private var log: SQLiteLog
    /// What the store has to hold.
    private var model: MemoryLog
    /// Of its own, so that a run draws the same whatever its store does.
    private var random: SeededGenerator
    /// Operations of the commit before: about what the next one takes.
    private var lastOperations = 8
    private var violations: [String] = []

    /// A new store on a disk of its own.
    public init(limits: Limits, seed: UInt64, durability: Durability = .full) throws {
        precondition(durability != .memory, "a store in memory has no disk")
        self.durability = durability
        reactionsPerUser = limits.reactionsPerUser
        random = SeededGenerator(seed: seed &+ 0xD15C)
        model = MemoryLog(reactionsPerUser: limits.reactionsPerUser)
        log = try DiskStore.open(disk, durability, reactionsPerUser)
    }

    deinit { log.close() }

    private static func open(
        _ disk: SimulatedDisk, _ durability: Durability, _ reactionsPerUser: Int
    ) throws -> SQLiteLog {
        try SQLiteLog(
            simulatedAt: path, vfs: disk.name, durability: durability, reactionsPerUser: reactionsPerUser)
    }

    // MARK: While the process lives

    /// What the store holds, as a relay loads it.
    public func load() -> Snapshot { attempt("load") { try log.load() } ?? Snapshot() }

    /// Commits, and compares the outcomes with those of the log in memory.
    public func commit(_ batch: [Mutation]) -> [Outcome] {
        let wanted = model.commit(batch)
        let before = disk.operations
        let got = attempt("commit") { try log.writer.commit(batch) }
        lastOperations = disk.operations - before
        guard let got else { return wanted }
        compare(got, wanted)
        return got
    }

    /// Which numbers it leases is up to each store.
    private func compare(_ got: [Outcome], _ wanted: [Outcome]) {
        func decided(_ outcomes: [Outcome]) -> [Outcome] {
            outcomes.filter { if case .leased = $0 { false } else { true } }
        }
        if decided(got) != decided(wanted) { violations.append("the store answers \(got), not \(wanted)") }
    }

    /// What the log in memory would answer.
    public func predict(_ batch: [Mutation]) -> [Outcome]? { model.copy().commit(batch) }

    /// Asks the store.
    public func answer(_ read: Read) -> ReadResult {
        attempt("read") { try log.reader.answer(read) } ?? ReadResult(ticket: read.ticket, isFailed: true)
    }

    /// Lets the writer do one piece of what can wait.
    public func maintain() {
        // After a commit that the disk was to refuse the process only waits for its end.
        guard disk.isReliable else { return }
        _ = attempt("maintenance") { try log.writer.maintain() }
    }

    /// What the comparisons found.
    public func takeViolations() -> [String] {
        defer { violations.removeAll() }
        return violations
    }

    private func attempt<Value>(_ what: String, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            violations.append("the store's \(what) failed: \(error)")
            return nil
        }
    }

    // MARK: Trouble

    /// Commits on a disk that refuses after some operations, as a full or broken one does.
    public func fail(_ batch: [Mutation], _ random: inout SeededGenerator) -> [Outcome]? {
        disk.arm(.refuse, after: self.random.below(lastOperations + 1))
        guard let outcomes = try? log.writer.commit(batch) else { return nil }
        // It needed fewer operations than that: it is durable, though the relay takes it for failed.
        _ = model.commit(batch)
        return outcomes
    }

    /// Ends the process, mostly by a power cut and in the middle of something, opens the store again and compares what
    /// is there with what has to be.
    public func reopen(after end: ProcessEnd, _ random: inout SeededGenerator) -> [Outcome]? {
        // Whether the commit under way came back; nil if there was none.
        var outcomes: [Outcome]?
        switch end {
        case .stopped: stop()
        case .died(let batch): outcomes = die(with: batch)
        case .failed: break
        }
        endProcess()
        openAgain()
        return settle(end.batch, outcomes)
    }

    /// The relay stops as it should. What is cut off in the middle of that loses nothing either.
    private func stop() {
        if random.chance(30) { disk.arm(.stop, after: random.below(12)) }
        guard (try? log.checkpoint()) != nil || disk.failure != nil else {
            return violations.append("the store can't be stopped")
        }
        if random.chance(50) { log.close() }
    }

    /// The process dies in the middle of something: a commit, or what can wait.
    private func die(with batch: [Mutation]?) -> [Outcome]? {
        if let batch {
            disk.arm(.stop, after: random.below(lastOperations + 3))
            return try? log.writer.commit(batch)
        }
        if random.chance(50) {
            disk.arm(.stop, after: random.below(24))
            for _ in 0..<4 where disk.failure == nil { _ = try? log.writer.maintain() }
        }
        return nil
    }

    private func endProcess() {
        if random.chance(70) { disk.cutPower(&random) } else { disk.endProcess() }
        log.close()
        disk.beginProcess()
    }

    private func openAgain() {
        for _ in 0..<DiskStore.crashesAtStart where random.chance(30) {
            disk.arm(.stop, after: random.below(16))
            if let opened = try? DiskStore.open(disk, durability, reactionsPerUser) { log = opened }
            endProcess()
        }
        do {
            log = try DiskStore.open(disk, durability, reactionsPerUser)
        } catch {
            violations.append("the store can't be opened again: \(error)")
        }
    }

    /// Compares what the store holds with what it has to hold, and finds out what became of the batch under way.
    private func settle(_ batch: [Mutation]?, _ outcomes: [Outcome]?) -> [Outcome]? {
        guard let found = attempt("content", { try StoreContent(log.load(), answer: log.reader.answer) }) else {
            return nil
        }
        guard let wanted = attempt("model", { try StoreContent(model.load(), answer: model.answer) }) else {
            return nil
        }
        guard let batch else {
            if found != wanted { violations.append("something acked is gone: \(found.difference(from: wanted))") }
            return nil
        }
        let after = model.copy()
        let expected = after.commit(batch)
        guard let wantedAfter = attempt("model", { try StoreContent(after.load(), answer: after.answer) }) else {
            return nil
        }
        if found == wantedAfter {
            model = after
            if let outcomes { compare(outcomes, expected) }
            return expected
        }
        if outcomes != nil {
            violations.append("a commit came back and is gone: \(found.difference(from: wantedAfter))")
        } else if found != wanted {
            violations.append("of a commit under way there is a part: \(found.difference(from: wanted))")
        }
        return nil
    }
}
