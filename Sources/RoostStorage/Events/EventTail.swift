import RoostCore
import RoostWire
import Synchronization

/// The place of one row in the log and in its conversation.
struct EventEntry: Sendable, Equatable {
    // The position and the message bit. An entry takes sixteen bytes; there are some hundred thousand in memory.
    private let place: Int64
    /// The stored number: for a message its own sequence, otherwise that of the last message before it.
    let sequence: Int64

    var position: Int64 { place >> 1 }
    var isMessage: Bool { place & 1 == 1 }
    /// The sequence of the last message before this row.
    var before: Int64 { isMessage ? sequence &- 1 : sequence }

    init(position: Int64, sequence: Int64, isMessage: Bool) {
        place = position << 1 | (isMessage ? 1 : 0)
        self.sequence = sequence
    }
}

/// The newest rows of every conversation, which the event index doesn't hold yet. In memory. The writer's thread adds
/// and removes rows; the reader's thread looks them up. The lock is held only for look-ups, never during I/O.
///
/// Rows at or below `floor` are in the index, all rows above it are here. Rows above `published` belong to a
/// transaction that isn't committed: the writer sees them, the reader doesn't.
final class EventTail: Sendable {
    /// Rows of many conversations, each in the order of positions.
    struct Part: Sendable {
        var entries: [Int32: [EventEntry]] = [:]
        var rows = 0
    }

    /// A row of the current transaction.
    struct NewRow {
        let conversation: Int32
        let entry: EventEntry
    }

    struct State: Sendable {
        var floor: Int64
        var published: Int64
        /// Being written to the index; it no longer changes.
        var frozen = Part()
        var active = Part()

        /// The conversation's entries, oldest first. No part is empty.
        func parts(_ conversation: Int32) -> [[EventEntry]] {
            [frozen.entries[conversation], active.entries[conversation]].compactMap { $0 }
        }
    }

    let state: Mutex<State>

    init(floor: Int64, published: Int64) {
        state = Mutex(State(floor: floor, published: published))
    }

    // MARK: The writer's side

    /// Rows in memory.
    var rows: Int { state.withLock { $0.frozen.rows + $0.active.rows } }

    /// Rows that are not part of a merge yet.
    var newRows: Int { state.withLock { $0.active.rows } }

    /// Everything at or below it is in the index.
    var floor: Int64 { state.withLock { $0.floor } }

    /// Everything up to here is committed.
    var published: Int64 { state.withLock { $0.published } }

    /// Adds rows of the current transaction.
    func add(_ rows: [NewRow]) {
        state.withLock { state in
            for row in rows { state.active.entries[row.conversation, default: []].append(row.entry) }
            state.active.rows += rows.count
        }
    }

    /// Publishes that everything up to `head` is committed.
    func publish(_ head: Int64) {
        state.withLock { $0.published = head }
    }

    /// Begins a new part and returns the old one. The part before must have been dropped.
    func freeze() -> Part {
        state.withLock { state in
            state.frozen = state.active
            state.active = Part()
            return state.frozen
        }
    }

    /// Drops the frozen part: it is in the index and committed up to `floor`.
    func dropFrozen(upTo floor: Int64) {
        // The dictionary is freed after the lock is released.
        let dropped = state.withLock { state in
            let part = state.frozen
            state.frozen = Part()
            state.floor = floor
            return part
        }
        _ = consume dropped
    }

    /// Goes on with the content of another tail of the same log, which has the same committed rows.
    func take(over other: EventTail) {
        let content = other.state.withLock { $0 }
        let dropped = state.withLock { state in
            let old = state
            state = content
            return old
        }
        _ = consume dropped
    }

    /// The position of a message that is here, committed or not.
    func position(of sequence: Int64, in conversation: Int32) -> Int64? {
        state.withLock { state in
            for part in state.parts(conversation).reversed() {
                if let found = part.message(sequence) { return found.position }
            }
            return nil
        }
    }
}
