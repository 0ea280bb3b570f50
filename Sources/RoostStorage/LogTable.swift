/// Look-ups in the log, on one connection: the block that holds a position, and the row in it.
struct LogTable {
    private let find: Statement

    static let findSQL = "SELECT position, rows FROM log WHERE position <= ?1 ORDER BY position DESC LIMIT 1"

    init(_ database: Database) throws {
        find = try database.prepare(LogTable.findSQL)
    }

    /// Reads the row at a position; nil if there is none.
    func row<Value>(at position: Int64, _ read: (LogRow) throws -> Value?) throws -> Value? {
        try block(around: position) { rows in
            for row in rows where row.position >= position {
                return row.position == position ? try read(row) : nil
            }
            return nil
        }
    }

    /// Reads the rows of the block that holds a position, if any does.
    func block<Value>(around position: Int64, _ read: (LogRows) throws -> Value?) throws -> Value? {
        find.bind(1, position)
        return try find.first { block in
            try read(LogRows(block: block.int64(0), bytes: block.bytes(1)))
        } ?? nil
    }
}
