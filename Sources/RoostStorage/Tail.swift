import RoostCore
import RoostProtocol
import Synchronization

/// Where the rows are that the event index doesn't hold yet: the newest part of every conversation, in memory. The
/// writer's thread adds and drops, the reader's thread looks; the lock is held for look-ups only, never during I/O.
///
/// Everything at or below `floor` is in the index; everything above it is here. Rows above `published` belong to a
/// transaction that isn't committed: the writer sees them, the reader doesn't.
final class Tail: Sendable {
    /// One row of the log.
    struct Entry: Sendable {
        var position: Int64
        /// As stored: of a message its own, otherwise the last message's before it.
        var sequence: Int64
        var isMessage: Bool
    }

    /// Rows of many conversations, each in the order of positions.
    struct Run: Sendable {
        var entries: [Int32: [Entry]] = [:]
        var rows = 0
    }

    struct State: Sendable {
        var floor: Int64
        var published: Int64
        /// Being merged into the index; older than `active`, and no longer changed.
        var frozen: Run?
        var active = Run()

        /// The conversation's entries, oldest first, in at most two parts.
        func parts(_ conversation: Int32) -> (older: [Entry], newer: [Entry]) {
            (frozen?.entries[conversation] ?? [], active.entries[conversation] ?? [])
        }
    }

    let state: Mutex<State>

    init(floor: Int64, published: Int64) {
        state = Mutex(State(floor: floor, published: published))
    }

    // MARK: The writer's side

    /// Rows in memory.
    var rows: Int {
        state.withLock { $0.active.rows + ($0.frozen?.rows ?? 0) }
    }

    /// Everything at or below it is in the index.
    var floor: Int64 {
        state.withLock { $0.floor }
    }

    /// Adds rows of the transaction that is under way.
    func add(_ rows: [(conversation: Int32, entry: Entry)]) {
        state.withLock { state in
            for row in rows { state.active.entries[row.conversation, default: []].append(row.entry) }
            state.active.rows += rows.count
        }
    }

    /// The transaction that holds everything up to here is committed.
    func publish(_ head: Int64) {
        state.withLock { $0.published = head }
    }

    /// Begins a new part and returns the old one, to be merged into the index.
    func freeze() -> Run {
        state.withLock { state in
            let run = state.active
            state.frozen = run
            state.active = Run()
            return run
        }
    }

    /// The frozen part is in the index, and committed, up to here.
    func dropFrozen(upTo floor: Int64) {
        // The dictionary is torn down after the lock is let go.
        let dropped = state.withLock { state in
            let run = state.frozen
            state.frozen = nil
            state.floor = floor
            return run
        }
        _ = consume dropped
    }

    /// Where a message is, if it is here; uncommitted ones included.
    func position(of sequence: Int64, in conversation: Int32) -> Int64? {
        state.withLock { state in
            let parts = state.parts(conversation)
            return parts.newer.message(sequence)?.position ?? parts.older.message(sequence)?.position
        }
    }
}

extension Array<Tail.Entry> {
    /// The first index whose entry isn't below, for a predicate that is true for a beginning of the array only.
    func partition(below isBelow: (Tail.Entry) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBelow(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The message with this sequence.
    func message(_ sequence: Int64) -> Tail.Entry? {
        let index = partition { $0.sequence < sequence }
        guard index < count, self[index].isMessage, self[index].sequence == sequence else { return nil }
        return self[index]
    }
}
