import RoostWire
import Synchronization

/// The store's numbers for operators, copied at the end of the last commit or piece of maintenance.
public struct StorageStatistics: Sendable, Equatable {
    /// Bytes of the database file, without the write-ahead log.
    public var fileBytes: Int64 = 0
    /// Bytes of the write-ahead log in use. The file may be longer.
    public var walBytes = 0
    /// Rows not in the indexes yet; they are in memory.
    public var unindexedRows = 0
    /// Memory taken by the filters of the key index.
    public var keyFilterBytes = 0
    /// The newest position.
    public var head = Position.start
    /// Erased conversations that still have rows to remove.
    public var erasuresPending = 0
    /// Messages erased so far because they were older, or more, than the operator wants to keep.
    public var expiredMessages = 0
    /// Checkpoints so far, by the checkpointer and by commits.
    public var checkpoints = 0
    /// Whether the writer waits for another program.
    public var isWaiting = false
    /// Whether nothing is stored because the disk is full.
    public var isFull = false
    /// Bytes that are free on the disk of the store; nil if that isn't known.
    public var freeBytes: Int64?
    /// Whether a commit has failed; then the store accepts nothing more.
    public var isPoisoned = false
    /// Bytes of the store, with its write-ahead log.
    public var storedBytes: Int { Int(clamping: fileBytes) + walBytes }
    /// Number of notices of each kind since the store was opened, repeats included.
    public var notices: [StorageNotice.Kind: Int] = [:]
}

/// The statistics, written by the writer's thread and read by any.
final class Gauges: Sendable {
    private let statistics = Mutex(StorageStatistics())

    var now: StorageStatistics { statistics.withLock { $0 } }

    func update(_ change: (inout StorageStatistics) -> Void) {
        statistics.withLock { change(&$0) }
    }
}
