import RoostCore
import RoostWire
import Synchronization

/// Where the rows are that the event index doesn't hold yet: the newest part of every conversation, in memory. The
/// writer's thread adds and drops, the reader's thread looks; the lock is held for look-ups only, never during I/O.
///
/// Everything at or below `floor` is in the index; everything above it is here. Rows above `published` belong to a
/// transaction that isn't committed: the writer sees them, the reader doesn't.
final class Tail: Sendable {
    /// One row of the log, in sixteen bytes: there are half a million.
    struct Entry: Sendable {
        private let place: Int64
        /// As stored: of a message its own, otherwise the last message's before it.
        let sequence: Int64

        var position: Int64 { place >> 1 }
        var isMessage: Bool { place & 1 == 1 }

        init(position: Int64, sequence: Int64, isMessage: Bool) {
            place = position << 1 | (isMessage ? 1 : 0)
            self.sequence = sequence
        }
    }

    /// Rows of many conversations, each in the order of positions.
    struct Run: Sendable {
        var entries: [Int32: [Entry]] = [:]
        var rows = 0
    }

    struct State: Sendable {
        var floor: Int64
        var published: Int64
        /// Staged, or being merged: no longer changed. Oldest first.
        var older: [Run] = []
        var active = Run()

        /// The conversation's entries, oldest first. No part is empty.
        func parts(_ conversation: Int32) -> [[Entry]] {
            var parts = older.compactMap { $0.entries[conversation] }
            if let newest = active.entries[conversation] { parts.append(newest) }
            return parts
        }
    }

    let state: Mutex<State>

    init(floor: Int64, published: Int64) {
        state = Mutex(State(floor: floor, published: published))
    }

    // MARK: The writer's side

    /// Rows in memory.
    var rows: Int {
        state.withLock { $0.older.reduce($0.active.rows) { $0 + $1.rows } }
    }

    /// Rows that no merge has begun with.
    var newRows: Int {
        state.withLock { $0.active.rows }
    }

    /// Parts that a merge has begun or done with, but not into the index.
    var olderParts: Int {
        state.withLock { $0.older.count }
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

    /// Begins a new part and returns all others, oldest first.
    func freeze() -> [Run] {
        state.withLock { state in
            state.older.append(state.active)
            state.active = Run()
            return state.older
        }
    }

    /// All parts but the active one are in the index, and committed, up to here.
    func dropOlder(upTo floor: Int64) {
        // The dictionaries are torn down after the lock is let go.
        let dropped = state.withLock { state in
            let runs = state.older
            state.older = []
            state.floor = floor
            return runs
        }
        _ = consume dropped
    }

    /// Where a message is, if it is here; uncommitted ones included.
    func position(of sequence: Int64, in conversation: Int32) -> Int64? {
        state.withLock { state in
            for part in state.parts(conversation).reversed() {
                if let found = part.message(sequence) { return found.position }
            }
            return nil
        }
    }
}
