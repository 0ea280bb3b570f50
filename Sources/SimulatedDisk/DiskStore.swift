import RoostCore
import RoostStorage
import RoostTestKit
import RoostWire
import SeededRandom

/// The real store on a simulated disk, under a simulated relay. A log in memory commits the same batches. Each outcome
/// is compared, and after each end of a process the whole content of the store. Everything acked must be there; of a
/// commit in progress, all or nothing.
public final class DiskStore: SimulatedStore {
    private static let path = "roost.db"
    /// Percentage of commits before which the disk is left with little room: from none to some commits' worth.
    private static let fullPercent = 10
    private static let freeBytes = 40_000
    /// Number of times that room is asked for before there is some.
    private static let asksForRoom = 8
    /// Number of times that a process may end while a store is being opened. After that, opening must succeed.
    private static let crashesAtStart = 2

    private let disk = SimulatedDisk()
    private let durability: Durability
    private let reactionsPerUser: Int
    private var log: SQLiteLog
    /// The expected contents of the store.
    private var model: MemoryLog
    /// Separate from the run's generator, so that a run draws the same numbers whatever its store does.
    private var random: SeededGenerator
    /// Operations of the last commit, as an estimate for the next one.
    private var lastOperations = 8
    private var violations: [String] = []
    private var asks = 0
    private var isCalm = false

    /// Creates a new store on its own disk.
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

    /// Loads the store's content, as a relay does.
    public func load() -> Snapshot { attempt("load") { try log.load() } ?? Snapshot() }

    /// Commits, and compares the outcomes with those of the log in memory.
    public func commit(_ batch: [Mutation]) -> [Outcome]? {
        if !isCalm, !disk.isBounded, random.chance(DiskStore.fullPercent) {
            disk.leaveFree(random.below(DiskStore.freeBytes))
        }
        let before = disk.operations
        defer { lastOperations = disk.operations - before }
        do {
            let got = try log.storeWriter.commit(batch)
            compare(got, model.commit(batch))
            return got
        } catch is NoRoom {
            return nil
        } catch {
            violations.append("the store's commit failed: \(error)")
            return model.commit(batch)
        }
    }

    /// Makes room on the disk after a while.
    public func makeRoom(isCalm: Bool) -> Bool {
        self.isCalm = isCalm
        asks += 1
        if isCalm || asks >= DiskStore.asksForRoom {
            disk.leaveFree(nil)
            asks = 0
        }
        maintain()
        for _ in 0..<DiskStore.asksForRoom where isCalm && !log.storeWriter.hasRoom { maintain() }
        return log.storeWriter.hasRoom
    }

    /// Each store chooses which numbers it leases.
    private func compare(_ got: [Outcome], _ wanted: [Outcome]) {
        func decided(_ outcomes: [Outcome]) -> [Outcome] {
            outcomes.filter { if case .leased = $0 { false } else { true } }
        }
        if decided(got) != decided(wanted) { violations.append("the store answers \(got), not \(wanted)") }
    }

    /// The outcomes that the log in memory would return.
    public func predict(_ batch: [Mutation]) -> [Outcome]? { model.copy().commit(batch) }

    /// Asks the store.
    public func answer(_ read: Read) -> ReadResult {
        attempt("read") { try log.readers[0].answer(read) } ?? ReadResult(ticket: read.ticket, isFailed: true)
    }

    /// Lets the writer do one piece of maintenance.
    public func maintain() {
        // After a commit that the armed disk refuses, the process only waits for its end.
        guard disk.isReliable else { return }
        _ = attempt("maintenance") { try log.storeWriter.maintain() }
    }

    /// The differences found by the comparisons.
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

    /// Commits on a disk that refuses after some operations, as a full or broken disk does.
    public func fail(_ batch: [Mutation], _ random: inout SeededGenerator) -> [Outcome]? {
        disk.arm(.refuse, after: self.random.below(lastOperations + 1))
        guard let outcomes = try? log.storeWriter.commit(batch) else { return nil }
        // The commit needed fewer operations than that: it is durable, although the relay believes that it failed.
        _ = model.commit(batch)
        return outcomes
    }

    /// Ends the process, usually by a power cut in the middle of something. Then opens the store again and compares its
    /// content with what must be there.
    public func reopen(after end: ProcessEnd, _ random: inout SeededGenerator) -> [Outcome]? {
        // The outcomes if the commit in progress turned out to be durable; nil if not, or if there was none.
        var outcomes: [Outcome]?
        isCalm = false
        switch end {
        case .stopped: stop()
        case .died(let batch): outcomes = die(with: batch)
        case .failed: break
        }
        endProcess()
        openAgain()
        return settle(end.batch, outcomes)
    }

    /// The relay stops in order. Even if that is cut off, nothing is lost.
    private func stop() {
        if random.chance(30) { disk.arm(.stop, after: random.below(12)) }
        guard (try? log.checkpoint()) != nil || disk.failure != nil || disk.isBounded else {
            return violations.append("the store can't be stopped")
        }
        if random.chance(50) { log.close() }
    }

    /// The process dies in the middle of a commit or of maintenance.
    private func die(with batch: [Mutation]?) -> [Outcome]? {
        if let batch {
            disk.arm(.stop, after: random.below(lastOperations + 3))
            return (try? log.storeWriter.commit(batch)).flatMap(told)
        }
        if random.chance(50) {
            disk.arm(.stop, after: random.below(24))
            for _ in 0..<4 where disk.failure == nil { _ = try? log.storeWriter.maintain() }
        }
        return nil
    }

    /// The outcomes that the relay would have got for a commit that returned; nil if the process had ended before: then
    /// the disk reads nothing any more either, so that an event whose needs can't be read is refused alone, and nothing
    /// has to be written.
    private func told(_ outcomes: [Outcome]) -> [Outcome]? {
        let isUnreadable = outcomes.contains { if case .refused(.unavailable) = $0 { true } else { false } }
        return isUnreadable ? nil : outcomes
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
        if disk.isBounded { openWithoutRoom() }
        do {
            log = try DiskStore.open(disk, durability, reactionsPerUser)
            _ = try log.load()
            // Commits are synced, so a power cut loses nothing that was acked.
            if let lost = log.statistics.notices[.lostEnd] {
                violations.append("after the end of a process, the end of the log counts as lost \(lost) times")
            }
        } catch {
            violations.append("the store can't be opened again: \(error)")
        }
    }

    /// A store on a full disk can be opened and read, whatever it was stopped at.
    private func openWithoutRoom() {
        if random.chance(50) { disk.leaveFree(0) }
        _ = attempt("start on a full disk") {
            log = try DiskStore.open(disk, durability, reactionsPerUser)
            _ = try log.load()
        }
        if let lost = log.statistics.notices[.lostEnd] {
            violations.append("on a full disk, the end of the log counts as lost \(lost) times")
        }
        disk.leaveFree(nil)
        endProcess()
    }

    /// Compares the store's content with what it must hold, and finds out whether the batch in progress is durable.
    private func settle(_ batch: [Mutation]?, _ outcomes: [Outcome]?) -> [Outcome]? {
        guard let found = attempt("content", { try StoreContent(log.load(), answer: log.readers[0].answer) }) else {
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
