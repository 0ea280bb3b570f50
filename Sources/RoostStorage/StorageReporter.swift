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
        /// Other users of the machine may read or replace the store.
        case permissions
        /// There is too little room on the disk to store anything.
        case fullDisk = "full_disk"
        /// Progress of something that takes long at start.
        case progress
    }

    /// The subject.
    public var kind: Kind
    /// One line for the operator.
    public var text: String
}

/// Collects notices from the threads of a store: counts all of them, and passes on each different one. Damage is
/// reported once; a repeated failure, once in a while, with its count.
public final class StorageReporter: Sendable {
    private struct Told {
        /// When it was passed on last, in monotonic milliseconds.
        var at: Int64
        /// Number of times since then.
        var since = 0
    }

    private struct State {
        var counts: [StorageNotice.Kind: Int] = [:]
        var told: [String: Told] = [:]
    }

    private let state = Mutex(State())
    private let rememberedMax = StorageBounds().noticesRemembered
    private let againMilliseconds = StorageBounds().noticeAgainMilliseconds
    private let clock: @Sendable () -> Int64
    private let tell: @Sendable (StorageNotice) -> Void

    /// `tell` is called on the store's threads and must not wait.
    public convenience init(_ tell: @escaping @Sendable (StorageNotice) -> Void = { _ in }) {
        self.init(clock: monotonicMilliseconds, tell)
    }

    /// `clock`: monotonic milliseconds.
    init(clock: @escaping @Sendable () -> Int64, _ tell: @escaping @Sendable (StorageNotice) -> Void) {
        self.clock = clock
        self.tell = tell
    }

    /// Number of notices of each kind.
    public var counts: [StorageNotice.Kind: Int] { state.withLock { $0.counts } }

    /// Adds a notice.
    public func note(_ kind: StorageNotice.Kind, _ text: String) {
        let now = clock()
        let told: String? = state.withLock { state in
            state.counts[kind, default: 0] += 1
            if state.told.count >= rememberedMax { state.told.removeAll() }
            guard var last = state.told[text] else {
                state.told[text] = Told(at: now)
                return text
            }
            last.since += 1
            defer { state.told[text] = last }
            if kind == .progress { return text }
            guard kind.isRepeated, now - last.at >= againMilliseconds else { return nil }
            defer { last = Told(at: now) }
            return "\(text) (\(last.since) times since it was last said)"
        }
        if let told { tell(StorageNotice(kind: kind, text: told)) }
    }
}

extension StorageNotice.Kind {
    /// Whether the same text is reported again after a while: it reports a failure, and not damage.
    fileprivate var isRepeated: Bool {
        switch self {
        case .readFailed, .maintenanceFailed, .fullDisk, .foreignProgram: true
        case .damagedRow, .damagedIndex, .lostEnd, .permissions, .progress: false
        }
    }
}
