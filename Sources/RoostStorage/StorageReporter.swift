import Synchronization

/// Something that an operator should know of, though the store goes on. It never holds a body or a key.
public struct StorageNotice: Sendable, Equatable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
        /// A row of the log isn't what was written. It is left out of answers, and can't be edited.
        case damagedRow
        /// An index contradicts the log: `roost store reindex` makes it anew.
        case damagedIndex
        /// A question could not be answered.
        case readFailed
        /// Idle work failed; the next commit reports it too.
        case maintenanceFailed
        /// Another program keeps a lock or an old state of the database, and the store waits or grows.
        case foreignProgram
        /// Something that takes long at start.
        case progress
    }

    /// What it is about.
    public var kind: Kind
    /// One line for the operator.
    public var text: String
}

/// Takes notices from the threads of a store: counts all of them, and passes on each different one once.
public final class StorageReporter: Sendable {
    private struct State {
        var counts: [StorageNotice.Kind: Int] = [:]
        var told: Set<String> = []
    }

    /// Different notices that are remembered. A disk that fails slowly damages many rows; above the bound a line may
    /// come twice.
    private static let rememberedMax = 1_024

    private let state = Mutex(State())
    private let tell: @Sendable (StorageNotice) -> Void

    /// `tell` is called on whichever thread of the store notices something, and must not wait.
    public init(_ tell: @escaping @Sendable (StorageNotice) -> Void = { _ in }) {
        self.tell = tell
    }

    /// How often each kind was noticed.
    public var counts: [StorageNotice.Kind: Int] { state.withLock { $0.counts } }

    /// Notes something.
    public func note(_ kind: StorageNotice.Kind, _ text: String) {
        let isNew = state.withLock { state in
            state.counts[kind, default: 0] += 1
            if state.told.count >= StorageReporter.rememberedMax { state.told.removeAll() }
            return state.told.insert(text).inserted
        }
        if isNew { tell(StorageNotice(kind: kind, text: text)) }
    }
}
