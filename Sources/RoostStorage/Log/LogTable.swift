import CSQLite
import RoostCore
import RoostWire

/// The table of the log, on one connection: rows by position. It makes no decisions.
struct LogTable {
    private let find: Statement
    private let above: Statement

    static let findSQL = "SELECT \(LogColumns.names) FROM log WHERE position = ?1"
    static let aboveSQL = "SELECT \(LogColumns.names) FROM log WHERE position > ?1 ORDER BY position"

    init(_ database: Database) throws {
        find = try database.prepare(LogTable.findSQL)
        above = try database.prepare(LogTable.aboveSQL)
    }

    /// The row at a position. Pages that SQLite finds damaged count as a damaged row; other failures are thrown.
    func find(at position: Int64) throws -> LogFinding {
        find.bind(1, position)
        do {
            let found = try find.first { row in LogColumns(row).copy().map { LogFinding.row($0) } ?? .damaged }
            return found ?? .missing
        } catch let failure as StorageFailure where failure.isDamage {
            return .damaged
        }
    }

    /// Calls `body` with the rows above a position, in order, until it returns false. At a damaged page, `damaged` gets
    /// the position after the last readable row, and the walk continues after the page, up to `last`.
    func walk(
        above position: Int64, upTo last: Int64 = .max, _ body: (LogColumns) throws -> Bool,
        damaged: (Int64) throws -> Bool
    ) throws {
        var position = position
        while position < last {
            above.bind(1, position)
            do {
                while try above.step() {
                    let row = LogColumns(above)
                    guard row.position <= last else { return above.reset() }
                    // A damaged page may return rows out of order.
                    guard row.position > position else { continue }
                    position = row.position
                    guard try body(row) else { return above.reset() }
                }
                return
            } catch let failure as StorageFailure where failure.isDamage {
                above.reset()
                guard position < last, last != .max else { throw failure }
                position += 1
                guard try damaged(position) else { return }
            }
        }
    }
}

/// The log as the writer reads it. If SQLite finds a damaged page inside a transaction, the transaction fails
/// (`SQLITE_CorruptRdOnly` in SQLite's vdbe.c). Therefore committed rows are read on a separate connection, outside any
/// transaction, and the writing connection reads only what the batch has written. On the writer's thread.
final class CommittedLog {
    private let committed: LogTable
    private let uncommitted: LogTable
    private let newRows: NewRows
    /// The newest committed row.
    private(set) var head: Int64
    /// Committed rows that the current batch has changed.
    private(set) var changed: Set<Int64> = []

    init(_ database: Database, lookUps: Database, newRows: NewRows, head: Int64) throws {
        self.newRows = newRows
        committed = try LogTable(lookUps)
        uncommitted = try LogTable(database)
        self.head = head
    }

    /// The row at a position, as `LogTable` finds it.
    func find(at position: Int64) throws -> LogFinding {
        let isCommitted = position <= head && !changed.contains(position)
        if isCommitted { return try committed.find(at: position) }
        try newRows.store()
        return try uncommitted.find(at: position)
    }

    /// Walks the committed rows above a position, as `LogTable` does.
    func walk(
        above position: Int64, upTo last: Int64, _ body: (LogColumns) throws -> Bool, damaged: (Int64) throws -> Bool
    ) throws {
        try committed.walk(above: position, upTo: last, body, damaged: damaged)
    }

    /// Notes that the batch has changed the row.
    func noteChange(at position: Int64) { changed.insert(position) }

    /// The batch is committed.
    func publish(_ head: Int64) {
        self.head = head
        changed.removeAll(keepingCapacity: true)
    }
}

/// What changes rows of the log. Used only by the writer, in its transactions.
struct LogEditor {
    private let newRows: NewRows
    private let replace: Statement
    private let strip: Statement
    private let delete: Statement

    init(_ database: Database, _ newRows: NewRows) throws {
        self.newRows = newRows
        replace = try database.prepare(
            """
            UPDATE log SET body = ?2, edited_at = ?3, deleted_at = ?4, checksum = ?5, device = ?6 WHERE position = ?1
            """)
        strip = try database.prepare(
            """
            UPDATE log SET conversation = 0, kind = ?2, checksum = ?3, reference = NULL, flag = NULL, edited_at = NULL,
                deleted_at = NULL, device = NULL, label = NULL, body = ?4
            WHERE position = ?1
            """)
        delete = try database.prepare("DELETE FROM log WHERE position = ?1")
    }

    /// Writes what may change in a row: its body, the times of the last edit and of the deletion, and its device.
    func replace(_ row: LogRow) throws {
        try newRows.store()
        let event = row.event
        let numbers = RowNumbers(
            position: event.position.value, conversation: event.conversation.value, sequence: row.sequence,
            kind: event.kind.rawValue, sender: event.sender.value, time: event.time.milliseconds,
            reference: event.reference.value, flag: event.flag, editedAt: event.editedAt.milliseconds,
            deletedAt: event.deletedAt.milliseconds)
        let (device, key, label) = (Array(event.device.utf8), Array(event.key.utf8), Array(event.label.utf8))
        let checksum = device.withUnsafeBytes { device in
            key.withUnsafeBytes { key in
                label.withUnsafeBytes { label in
                    event.body.withUnsafeBytes { numbers.checksum(device: device, key: key, label: label, body: $0) }
                }
            }
        }
        replace.bind(1, numbers.position)
        if numbers.editedAt == 0 { replace.bindNull(3) } else { replace.bind(3, numbers.editedAt) }
        if numbers.deletedAt == 0 { replace.bindNull(4) } else { replace.bind(4, numbers.deletedAt) }
        replace.bind(5, checksum)
        if device.isEmpty { replace.bindNull(6) } else { try replace.bind(6, copying: event.device) }
        try event.body.withUnsafeBytes { body in
            try replace.bind(2, borrowedText: body)
            try replace.run()
        }
    }

    /// Leaves of a row of an erased conversation only what a retry of its command is known by.
    func keepKey(of row: LogRow) throws {
        try newRows.store()
        let event = row.event
        let numbers = RowNumbers(
            position: event.position.value, conversation: 0, sequence: row.sequence,
            kind: EventKind.conversation.rawValue, sender: event.sender.value, time: event.time.milliseconds,
            reference: 0, flag: false)
        let body = event.isLeaving ? StoredEvent.leavingBody : []
        let key = Array(event.key.utf8)
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let checksum = key.withUnsafeBytes { key in
            body.withUnsafeBytes { numbers.checksum(device: none, key: key, label: none, body: $0) }
        }
        strip.bind(1, numbers.position)
        strip.bind(2, Int32(numbers.kind))
        strip.bind(3, checksum)
        try body.withUnsafeBytes { body in
            try strip.bind(4, borrowedText: body)
            try strip.run()
        }
    }

    func remove(at position: Int64) throws {
        try newRows.store()
        delete.bind(1, position)
        try delete.run()
    }
}
