import RoostCore
import RoostWire

/// The indexes derived from the log to find its rows: the key index and the event index. Their newest part is in memory
/// and is written to the tables later (Docs/Decisions/0005): an ordinary index would dirty two random pages for each
/// row, all of which go through the write-ahead log. On the writer's thread, in its transactions; the reader uses
/// `tail`.
final class LogIndexer {
    /// Rows that the tail takes at once.
    private static let newRowsMax = 1_024

    let keys: KeyIndex
    private(set) var tail: EventTail
    private let events: EventIndex
    private let editor: EventIndexEditor
    private let meta: Meta
    private let directory: Directory
    private let bounds: StorageBounds
    /// The part of the tail that is being written to the tables.
    private var merge: IndexMerge?
    /// Rows of the current transaction that the tail doesn't have yet: it takes them together, under one lock.
    private var newRows: [EventTail.NewRow] = []

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

    /// Lets readers that have the tail of an earlier indexer of the same log see what this one has.
    func hand(over earlier: EventTail) {
        earlier.take(over: tail)
        tail = earlier
    }

    /// Everything at or below it is in the tables, except for the newest keys.
    var floor: Int64 { tail.floor }

    /// Whether the tables hold every row up to a position.
    func holds(upTo position: Int64) -> Bool { unindexedRows == 0 || tail.floor >= position }

    /// Rows that are only in memory.
    var unindexedRows: Int { tail.rows + newRows.count }

    /// Whether a merge is under way.
    var isMerging: Bool { merge != nil }

    // MARK: Rows

    /// Adds a written row. `key` is the hash of its key, if it has one.
    func add(_ entry: EventEntry, to conversation: Int32, key: UInt64?) {
        newRows.append(EventTail.NewRow(conversation: conversation, entry: entry))
        if newRows.count == LogIndexer.newRowsMax { passOn() }
        if let key { keys.add(key, at: entry.position) }
    }

    private func passOn() {
        guard !newRows.isEmpty else { return }
        tail.add(newRows)
        newRows.removeAll(keepingCapacity: true)
    }

    /// The transaction is committed: readers may see its rows.
    func publish(_ head: Int64) {
        passOn()
        tail.publish(head)
    }

    /// The position of a message; nil if no index has it.
    func position(of sequence: Int64, in conversation: Int32) throws -> Int64? {
        passOn()
        return try tail.position(of: sequence, in: conversation) ?? events.position(of: sequence, in: conversation)
    }

    /// At most `limit` rows of a conversation above a position and up to `upTo`, from the tables only.
    func indexedRows(of conversation: Int32, above position: Int64, upTo: Int64, limit: Int) throws -> [EventEntry] {
        var found: [EventEntry] = []
        try events.rows(of: conversation, above: position, upTo: upTo, limit: limit, into: &found)
        return found
    }

    /// Removes up to `limit` blocks of an erased conversation.
    func removeBlocks(_ limit: Int, of conversation: Int32) throws {
        try editor.removeBlocks(limit, of: conversation)
    }

    // MARK: Merging

    /// Called in every commit: if the tail is too long, merges some of it, in proportion to the rows of the commit.
    /// Returns whether this completes the merge; then call `finishMerge` after the commit.
    func mergeShare(rows: Int, upTo head: Int64) throws -> Bool {
        passOn()
        guard rows > 0, merge != nil || tail.newRows > bounds.tailRows else { return false }
        return try merge(entries: rows * bounds.entriesPerRow, upTo: head)
    }

    /// Whether an idle writer has something to merge. With `isForced`, even a small part counts.
    func hasWork(isForced: Bool = false) -> Bool {
        merge != nil || unindexedRows >= max(1, isForced ? 1 : bounds.idleRows)
    }

    /// Merges one slice for an idle writer. Returns the same as `mergeShare`.
    func mergeSlice(upTo head: Int64) throws -> Bool {
        try merge(entries: bounds.idleEntries, upTo: head)
    }

    /// Whether the rows read at start should be merged before more are read.
    var isTailFull: Bool { tail.newRows + newRows.count >= bounds.tailRows }

    /// Whether so many rows were read at start without being merged that no more fit into memory.
    var isTailTooLong: Bool { tail.newRows + newRows.count >= bounds.tailRows * bounds.fullTails }

    /// The last slice is committed: from now on look-ups use the tables.
    func finishMerge() {
        guard let merge else { return }
        tail.dropFrozen(upTo: merge.upTo)
        if merge.keys != nil { keys.dropFrozen() }
        self.merge = nil
    }

    private func merge(entries: Int, upTo head: Int64) throws -> Bool {
        passOn()
        if merge == nil { merge = IndexMerge(tail.freeze(), keys: try keys.freeze(upTo: head), upTo: head) }
        var left = entries
        while left > 0 {
            switch merge?.takeNext() {
            case .keys(let some, let part):
                try keys.write(some, of: part)
                left -= some.count
            case .events(let block):
                try editor.write(block)
                left -= block.rows
            case .end(let conversation):
                try directory.saveEnd(of: conversation)
                left -= 1
            case nil:
                guard let merge else { return false }
                if let part = merge.keys { try keys.finish(part, upTo: merge.upTo) }
                try meta.set("indexed_to", to: merge.upTo)
                return true
            }
        }
        return false
    }
}
