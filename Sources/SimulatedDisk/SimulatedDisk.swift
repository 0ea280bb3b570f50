import CSQLite
import SeededRandom

/// Files in memory that SQLite uses instead of the operating system's (sqlite.org/vfs.html). They outlive the simulated
/// process that uses them. They record what was synced: if the process dies, everything it wrote stays; if the power is
/// cut, only synced data is sure to stay. Everything runs on one thread and is determined by the given generator.
public final class SimulatedDisk {
    /// The ways in which an armed disk fails.
    public enum Failure: Sendable {
        /// The process is about to end: from now on nothing reaches the disk.
        case stop
        /// The disk is full or broken: writes and syncs fail until the process has ended.
        case refuse
    }

    /// The name by which SQLite knows the disk.
    public let name: String
    private var files: [String: DiskFile] = [:]
    /// The names that survive every power cut, and the files behind them.
    private var durableNames: [String: DiskFile] = [:]
    private var arming: (operations: Int, failure: Failure)?
    private(set) var failure: Failure?
    /// Counts processes. A handle of an earlier process no longer works.
    private(set) var process = 0
    /// The number of writes, syncs, truncations and deletions done.
    public private(set) var operations = 0
    /// Bytes that all files together may have; nil if there is no bound.
    private var capacity: Int?
    private let registration: DiskRegistration

    /// Creates an empty disk, registered with SQLite as long as the object exists.
    public init() {
        registration = DiskRegistration()
        name = registration.name
        registration.disk = self
    }

    // MARK: Trouble

    /// Makes the disk fail after this many more operations.
    public func arm(_ failure: Failure, after operations: Int) {
        precondition(operations >= 0, "a disk can't fail before now")
        arming = (operations, failure)
    }

    /// From now on files may grow by so many bytes together; nil: without a bound.
    public func leaveFree(_ bytes: Int?) {
        capacity = bytes.map { $0 + used }
    }

    /// Whether files can grow only so far.
    public var isBounded: Bool { capacity != nil }

    private var used: Int { files.values.reduce(0) { $0 + $1.bytes.count } }

    /// Number of bytes out of `count` that may be written at a place of a file. A full disk takes some of them.
    func fitting(_ count: Int, at offset: Int, of file: DiskFile) -> Int {
        guard let capacity else { return count }
        let free = max(0, capacity - used)
        return min(count, max(0, file.bytes.count + free - offset))
    }

    /// Whether the disk works and is not set to fail.
    var isReliable: Bool { failure == nil && arming == nil }

    /// Ends the process, by itself or by a kill: everything it wrote is there for the next one, synced or not. Nothing
    /// reaches the disk until `beginProcess()`; what the dead process's objects still try has no effect.
    public func endProcess() {
        for (name, file) in files {
            let next = DiskFile(file.bytes, durable: file.durable, unsynced: file.unsynced)
            if durableNames[name] === file { durableNames[name] = next }
            files[name] = next
        }
        failure = .stop
    }

    /// Cuts the power: ends the process as `endProcess()` does; unsynced data is lost, torn or kept at random.
    public func cutPower(_ random: inout SeededGenerator) {
        let cut = PowerCut(&random)
        var left: [String: DiskFile] = [:]
        for name in Set(files.keys).union(durableNames.keys).sorted() {
            let isSame = files[name] === durableNames[name]
            guard let file = isSame || cut.keepsName(&random) ? files[name] : durableNames[name] else { continue }
            let content = cut.content(of: file, &random)
            left[name] = DiskFile(content, durable: content)
        }
        files = left
        durableNames = left
        failure = .stop
    }

    /// Another process uses the disk from now on.
    public func beginProcess() {
        precondition(failure == .stop, "the process before hasn't ended")
        process += 1
        arming = nil
        failure = nil
    }

    // MARK: SQLite's operations

    /// Whether a change may be made. Counts it.
    func takesChange() -> Bool {
        // A stopped disk can fail in no other way any more.
        if failure == nil, let arming, arming.operations == 0 { failure = arming.failure }
        guard failure == nil else { return false }
        arming?.operations -= 1
        operations += 1
        return true
    }

    func file(_ name: String) -> DiskFile? { files[name] }

    func makeFile(_ name: String) -> DiskFile {
        let file = DiskFile()
        files[name] = file
        return file
    }

    /// A sync makes the content durable. With the first sync of a journal SQLite syncs the directory as well
    /// (`unixSync` in os_unix.c): from then on all names are durable, and deletions too.
    func sync(_ file: DiskFile, _ name: String) {
        file.sync()
        if files[name] === file, durableNames[name] !== file { durableNames = files }
    }

    func delete(_ name: String, isSynced: Bool) {
        files[name] = nil
        if isSynced { durableNames[name] = nil }
    }
}
