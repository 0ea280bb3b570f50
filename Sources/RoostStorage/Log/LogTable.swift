import CSQLite
import RoostCore
import RoostWire

/// The table of the log, on one connection: rows by position. It makes no decisions.
struct LogTable {
    private let find: Statement
    private let above: Statement
    private let ahead: Statement
    private let below: Statement
    private let newest: Statement

    /// Rows that are looked at for one that says where a damaged row is: more than a page has.
    private static let rowsAhead = 512

    static let findSQL = "SELECT \(LogColumns.names) FROM log WHERE position = ?1"
    static let aboveSQL = "SELECT \(LogColumns.names) FROM log WHERE position > ?1 ORDER BY position"

    init(_ database: Database) throws {
        find = try database.prepare(LogTable.findSQL)
        above = try database.prepare(LogTable.aboveSQL)
        ahead = try database.prepare(LogTable.aboveSQL)
        below = try database.prepare(
            "SELECT position FROM log WHERE position < ?1 ORDER BY position DESC LIMIT 1")
        newest = try database.prepare("SELECT position FROM log ORDER BY position DESC")
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

    /// The position of the last row, 0 if there is none. A damaged row doesn't say for certain where it is: it is taken
    /// for the one after the last intact row, or for what it says if that is further.
    func end() throws -> Int64 {
        defer { newest.reset() }
        var (damaged, furthest): (Int64, Int64) = (0, 0)
        var claim: Int64?
        func isRow(_ claim: Int64) throws -> Bool { if case .row = try find(at: claim) { true } else { false } }
        do {
            while damaged < LogTable.rowsAhead, try newest.step() {
                let position = newest.int64(0)
                if let claim {
                    if position < claim, try isRow(claim) { return max(claim + damaged, furthest) }
                    damaged += 1
                    if claim <= Directory.numberMax { furthest = max(furthest, claim) }
                }
                claim = position
            }
        } catch let failure as StorageFailure where failure.isDamage {
            guard claim != nil else { throw failure }
        }
        guard let claim, claim <= Directory.numberMax else { return furthest }
        return max(try isRow(claim) ? claim + damaged : claim, furthest)
    }

    /// Calls `body` with the rows above a position, in order, until it returns false. Rows that aren't where they
    /// belong, and damaged pages, go to `damaged` with the position after the last row, and the walk continues behind
    /// them, up to `last`.
    func walk(
        above position: Int64, upTo last: Int64, _ body: (LogColumns) throws -> Bool, damaged: (Int64) throws -> Bool
    ) throws {
        var place = WalkPlace(position)
        // An open query would keep its state of the database.
        defer { above.reset() }
        while place.reached < last {
            above.reset()
            above.bind(1, place.reached)
            do {
                while place.lastRow < last, try above.step() {
                    let row = LogColumns(above)
                    let goesOn =
                        switch try place.take(row, upTo: last, in: self) {
                        case .inPlace: try body(row)
                        case .misplaced: try damaged(place.reached)
                        case .passed: true
                        case .beyond: false
                        }
                    guard goesOn else { return }
                }
                return
            } catch let failure as StorageFailure where failure.isDamage {
                guard place.reached < last else { return }
                place.skip()
                guard try damaged(place.reached) else { return }
            }
        }
    }

    /// The next intact row above a position, as SQLite finds it: it may be below, behind a damaged row. `max` if there
    /// are no more rows; nil if there is none within a page.
    func nextIntact(above position: Int64) throws -> Int64? {
        ahead.bind(1, position)
        defer { ahead.reset() }
        do {
            for _ in 0..<LogTable.rowsAhead {
                guard try ahead.step() else { return .max }
                let row = LogColumns(ahead)
                if row.isIntact { return row.position }
            }
        } catch let failure as StorageFailure where failure.isDamage {}
        return nil
    }

    /// Whether there are rows between two positions, looking from the upper one.
    func hasRows(above position: Int64, below end: Int64) throws -> Bool {
        below.bind(1, end)
        do {
            return try below.first { position < $0.int64(0) && $0.int64(0) < end } ?? false
        } catch let failure as StorageFailure where failure.isDamage {
            return false
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

    /// The position of the last committed row, as `LogTable` finds it.
    func end() throws -> Int64 { try committed.end() }

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

/// Changes rows of the log. Used only by the writer, in its transactions.
struct LogEditor {
    private let newRows: NewRows
    private let replace: Statement
    private let strip: Statement
    private let delete: Statement

    init(_ database: Database, _ newRows: NewRows) throws {
        self.newRows = newRows
        replace = try database.prepare(
            """
            UPDATE log SET body = ?2, edited_at = ?3, deleted_at = ?4, checksum = ?5, device = ?6, extras = ?7, key = ?8
            WHERE position = ?1
            """)
        strip = try database.prepare(
            """
            UPDATE log SET conversation = 0, kind = ?2, checksum = ?3, reference = NULL, flag = NULL, edited_at = NULL,
                deleted_at = NULL, device = NULL, label = NULL, extras = NULL, body = ?4
            WHERE position = ?1
            """)
        delete = try database.prepare("DELETE FROM log WHERE position = ?1")
    }

    /// Writes what may change in a row: its body and extras, the times of the last edit and of the deletion, its
    /// device, and its key.
    func replace(_ row: LogRow) throws {
        try newRows.store()
        let event = row.event
        let numbers = RowNumbers(
            position: event.position.value, conversation: event.conversation.value, sequence: row.sequence,
            kind: event.kind.rawValue, sender: event.sender.value, time: event.time.milliseconds,
            reference: event.reference.value, flag: event.flag, editedAt: event.editedAt.milliseconds,
            deletedAt: event.deletedAt.milliseconds)
        let (device, key, label) = (Array(event.device.utf8), Array(event.key.utf8), Array(event.label.utf8))
        let extras = event.extras?.json ?? []
        let checksum = device.withUnsafeBytes { device in
            key.withUnsafeBytes { key in
                label.withUnsafeBytes { label in
                    extras.withUnsafeBytes { extras in
                        event.body.withUnsafeBytes {
                            numbers.checksum(device: device, key: key, label: label, extras: extras, body: $0)
                        }
                    }
                }
            }
        }
        replace.bind(1, numbers.position)
        if numbers.editedAt == 0 { replace.bindNull(3) } else { replace.bind(3, numbers.editedAt) }
        if numbers.deletedAt == 0 { replace.bindNull(4) } else { replace.bind(4, numbers.deletedAt) }
        replace.bind(5, checksum)
        if device.isEmpty { replace.bindNull(6) } else { try replace.bind(6, copying: event.device) }
        if key.isEmpty { replace.bindNull(8) } else { try replace.bind(8, copying: event.key) }
        try extras.withUnsafeBytes { extras in
            try replace.bind(7, borrowedText: extras)
            try event.body.withUnsafeBytes { body in
                try replace.bind(2, borrowedText: body)
                try replace.run()
            }
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
            body.withUnsafeBytes { numbers.checksum(device: none, key: key, label: none, extras: none, body: $0) }
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
