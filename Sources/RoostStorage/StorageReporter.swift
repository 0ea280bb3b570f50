import Synchronization

/// Something an operator should know, although the store continues. It never contains a body or a key.
public struct StorageNotice: Sendable, Equatable {
    /// The subject.
    public enum Kind: String, Sendable, CaseIterable {
        /// A row of the log isn't what was written. It is left out of answers and can't be edited.
        case damagedRow = "damaged_row"
        /// An index contradicts the log; `roost store reindex` rebuilds it.
        case damagedIndex = "damaged_index"
        /// The newest rows of the log are lost; positions go on after them, and the log has a new epoch.
        case lostEnd = "lost_end"
        /// A question could not be answered.
        case readFailed = "read_failed"
        /// Idle work failed; the next commit reports it too.
        case maintenanceFailed = "maintenance_failed"
        /// Another program keeps a lock or an old state of the database, so the store waits or grows.
        case foreignProgram = "foreign_program"
        /// Progress of something that takes long at start.
        case progress
    }

    /// The subject.
    public var kind: Kind
    /// One line for the operator.
    public var text: String
}

/// Collects notices from the threads of a store: counts all of them, and passes on each different one once.
public final class StorageReporter: Sendable {
    private struct State {
        var counts: [StorageNotice.Kind: Int] = [:]
        var told: Set<String> = []
    }

    private let state = Mutex(State())
    private let rememberedMax = StorageBounds().noticesRemembered
    private let tell: @Sendable (StorageNotice) -> Void

    /// `tell` is called on the store's threads and must not wait.
    public init(_ tell: @escaping @Sendable (StorageNotice) -> Void = { _ in }) {
        self.tell = tell
    }

    /// How often each kind was noted.
    public var counts: [StorageNotice.Kind: Int] { state.withLock { $0.counts } }

    /// Adds a notice.
    public func note(_ kind: StorageNotice.Kind, _ text: String) {
        let isNew = state.withLock { state in
            state.counts[kind, default: 0] += 1
            if state.told.count >= rememberedMax { state.told.removeAll() }
            return state.told.insert(text).inserted
        }
        if isNew { tell(StorageNotice(kind: kind, text: text)) }
    }
}
