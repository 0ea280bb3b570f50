import CSQLite
import SeededRandom

/// Files in memory that SQLite uses instead of the operating system's (sqlite.org/vfs.html), and that outlive the
/// process which a simulation has on them. They know what was synced: when the process dies everything stays that it
/// wrote, and when the power is cut only what it had synced is sure to stay. All on one thread; nothing here is random
/// but by the generator that is passed in.
public final class SimulatedDisk {
    /// How an armed disk fails.
    public enum Failure: Sendable {
        /// The process is about to end: from now on nothing reaches the disk.
        case stop
        /// The disk is full or broken: writing and syncing fail until the process has ended.
        case refuse
    }

    /// SQLite knows the disk by this name.
    public let name: String
    private var files: [String: DiskFile] = [:]
    /// The names that a power cut can't take away, and the files behind them.
    private var durableNames: [String: DiskFile] = [:]
    private var arming: (operations: Int, failure: Failure)?
    private(set) var failure: Failure?
    /// Counts processes: a handle of an earlier one is dead.
    private(set) var process = 0
    /// Writes, syncs, truncations and deletions that were done.
    public private(set) var operations = 0
    private let registration: DiskRegistration

    /// An empty disk, registered with SQLite until the object is gone.
    public init() {
        registration = DiskRegistration()
        name = registration.name
        registration.disk = self
    }

    // MARK: Trouble

    /// The disk fails after so many more operations.
    public func arm(_ failure: Failure, after operations: Int) {
        precondition(operations >= 0, "a disk can't fail before now")
        arming = (operations, failure)
    }

    /// Whether it does what it is told, and goes on so.
    var isReliable: Bool { failure == nil && arming == nil }

    /// The process ends by itself or is killed: what it wrote is there for the next one, synced or not. Nothing reaches
    /// the disk until `beginProcess()`; what the dead process still tries while its objects go does nothing.
    public func endProcess() {
        for (name, file) in files {
            let next = DiskFile(file.bytes, durable: file.durable, unsynced: file.unsynced)
            if durableNames[name] === file { durableNames[name] = next }
            files[name] = next
        }
        failure = .stop
    }

    /// The power is cut: the process ends as by `endProcess()`, and what wasn't synced is lost, torn or kept as it
    /// happens.
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

    /// Another process has the disk from now on.
    public func beginProcess() {
        precondition(failure == .stop, "the process before hasn't ended")
        process += 1
        arming = nil
        failure = nil
    }

    // MARK: What SQLite does

    /// Whether a change may be made; counts it.
    func takesChange() -> Bool {
        if let arming, arming.operations == 0 { failure = arming.failure }
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
