import RoostCore
import RoostWire

/// Everything that is derived from the log to find its rows: the key index and the event index, of which the newest
/// part is in memory. The tables follow behind the log (Docs/Decisions/0005): an ordinary index would dirty two random
/// pages a row, and all of them would go through the write-ahead log. On the writer's thread, in its transactions; the
/// reader looks at `tail`.
final class LogIndexer {
    let keys: KeyIndex
    let tail: EventTail
    private let events: EventIndex
    private let editor: EventIndexEditor
    private let meta: Meta
    private let directory: Directory
    private let bounds: StorageBounds
    /// The part of the tail that is being written to the tables.
    private var merge: IndexMerge?

    /// `head`: the newest committed row.
    init(
        _ database: Database, lookUps: Database, keys: KeyIndex, directory: Directory, meta: Meta,
        bounds: StorageBounds, head: Int64
    ) throws {
        self.keys = keys
        self.directory = directory
        self.meta = meta
        self.bounds = bounds
        tail = EventTail(floor: try meta.number("indexed_to"), published: head)
        events = try EventIndex(lookUps)
        editor = try EventIndexEditor(database)
    }

    /// Everything at or below it is in the tables.
    var floor: Int64 { tail.floor }

    /// Whether the tables hold every row up to a position.
    func holds(upTo position: Int64) -> Bool { tail.rows == 0 || tail.floor >= position }

    /// Rows that are only in memory.
    var unindexedRows: Int { tail.rows }

    /// Whether a merge is under way.
    var isMerging: Bool { merge != nil }

    // MARK: Rows

    /// Notes a row that was written. `key`: the hash of its key, if it has one.
    func add(_ entry: EventEntry, to conversation: Int32, key: UInt64?) {
        tail.add(entry, to: conversation)
        if let key { keys.add(key, at: entry.position) }
    }

    /// Where a message is; nil if no index has it.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        try tail.position(of: sequence, in: conversation) ?? events.position(of: sequence, in: conversation)
    }

    /// Rows of a conversation above a position up to `upTo`, at most `limit`. Only what the tables hold.
    func indexedRows(of conversation: Int32, above position: Int64, upTo: Int64, limit: Int) throws -> [EventEntry] {
        var found: [EventEntry] = []
        try events.rows(of: conversation, above: position, upTo: upTo, limit: limit, into: &found)
        return found
    }

    /// Removes at most so many blocks of a conversation that was erased.
    func removeBlocks(_ limit: Int, of conversation: Int32) throws {
        try editor.removeBlocks(limit, of: conversation)
    }

    // MARK: Merging

    /// Part of every commit: merges some of a tail that is too long, in proportion to the commit's own rows. Returns
    /// whether the merge is complete once this transaction is committed; then call `finishMerge`.
    func mergeShare(rows: Int, upTo head: Int64) throws -> Bool {
        guard rows > 0, merge != nil || tail.newRows > bounds.tailRows else { return false }
        return try merge(entries: rows * bounds.entriesPerRow, upTo: head)
    }

    /// Whether an idle writer has something to merge. `isForced`: even if it is little.
    func hasWork(isForced: Bool = false) -> Bool {
        merge != nil || tail.rows >= max(1, isForced ? 1 : bounds.idleRows)
    }

    /// An idle writer's share. Returns as `mergeShare`.
    func mergeSlice(upTo head: Int64) throws -> Bool {
        try merge(entries: bounds.idleEntries, upTo: head)
    }

    /// Whether rows that are read at start should be merged before more are read.
    var isTailFull: Bool { tail.newRows >= bounds.tailRows }

    /// The last slice is committed: look-ups use the tables from now on.
    func finishMerge() {
        guard let merge else { return }
        tail.dropFrozen(upTo: merge.upTo)
        keys.dropFrozen()
        self.merge = nil
    }

    private func merge(entries: Int, upTo head: Int64) throws -> Bool {
        if merge == nil { merge = IndexMerge(tail.freeze(), keys: keys.freeze(), upTo: head) }
        var left = entries
        while left > 0 {
            switch merge?.takeNext() {
            case .keys(let some):
                try keys.write(some)
                left -= some.count
            case .events(let block):
                try editor.write(block)
                left -= block.rows
            case .end(let conversation):
                try directory.saveEnd(of: conversation)
                left -= 1
            case nil:
                guard let merge else { return false }
                try keys.finish(merge.keys, upTo: merge.upTo)
                try meta.set("indexed_to", to: merge.upTo)
                return true
            }
        }
        return false
    }
}
