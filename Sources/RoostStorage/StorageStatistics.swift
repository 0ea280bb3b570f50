import RoostWire
import Synchronization

/// What the store tells operators. A copy, taken at the end of the last commit or piece of maintenance.
public struct StorageStatistics: Sendable, Equatable {
    /// Bytes of the write-ahead log that are in use. The file may be longer.
    public var walBytes = 0
    /// Rows that the indexes don't hold yet; they are in memory.
    public var unindexedRows = 0
    /// What the filters of the key index take in memory.
    public var keyFilterBytes = 0
    /// The newest position.
    public var head = Position.start
    /// Erased conversations of which rows are still to be removed.
    public var erasuresPending = 0
    /// Checkpoints so far: passes of the checkpointer, and what commits copied.
    public var checkpoints = 0
    /// A commit failed: the store takes nothing more.
    public var isPoisoned = false
    /// What the store has reported since it was opened, by kind; how often, not how many different things.
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
