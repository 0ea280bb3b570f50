import RoostCore
import RoostWire
import Synchronization

/// Where one row of a conversation is.
struct EventEntry: Sendable, Equatable {
    // Both in sixteen bytes: there are some hundred thousand in memory.
    private let place: Int64
    /// As stored: of a message its own, otherwise the last message's before it.
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

/// Where the rows are that the event index doesn't hold yet: the newest part of every conversation, in memory. The
/// writer's thread adds and drops, the reader's thread looks; the lock is held for look-ups only, never during I/O.
///
/// Everything at or below `floor` is in the index; everything above it is here. Rows above `published` belong to a
/// transaction that isn't committed: the writer sees them, the reader doesn't.
final class EventTail: Sendable {
    /// Rows of many conversations, each in the order of positions.
    struct Part: Sendable {
        var entries: [Int32: [EventEntry]] = [:]
        var rows = 0
    }

    struct State: Sendable {
        var floor: Int64
        var published: Int64
        /// Being written to the index: no longer changed.
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

    /// Rows that no merge has begun with.
    var newRows: Int { state.withLock { $0.active.rows } }

    /// Everything at or below it is in the index.
    var floor: Int64 { state.withLock { $0.floor } }

    /// Adds a row of the transaction that is under way.
    func add(_ entry: EventEntry, to conversation: Int32) {
        state.withLock { state in
            state.active.entries[conversation, default: []].append(entry)
            state.active.rows += 1
        }
    }

    /// The transaction that holds everything up to here is committed.
    func publish(_ head: Int64) {
        state.withLock { $0.published = head }
    }

    /// Begins a new part and returns the old one. The one before was dropped.
    func freeze() -> Part {
        state.withLock { state in
            state.frozen = state.active
            state.active = Part()
            return state.frozen
        }
    }

    /// The frozen part is in the index, and committed, up to here.
    func dropFrozen(upTo floor: Int64) {
        // The dictionary is torn down after the lock is let go.
        let dropped = state.withLock { state in
            let part = state.frozen
            state.frozen = Part()
            state.floor = floor
            return part
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
