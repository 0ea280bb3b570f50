/// Where a walk over the log is, and whether the next row belongs there. SQLite takes the number of a row and the
/// pointer to a page as it finds them: a damaged number may say that the row comes after all others, and a damaged
/// pointer may lead to a page that was read before, or that comes later.
struct WalkPlace {
    /// The relation of a row to the walk.
    enum Finding {
        case inPlace
        /// The row isn't what it says, or stands for others that are missing.
        case misplaced
        /// It was dealt with before.
        case passed
        case beyond
    }

    /// The last position that was handed on.
    private(set) var reached: Int64
    /// The last position of a row in its place.
    private(set) var lastRow: Int64
    private let start: Int64
    /// Whether the last row was an intact one at another place.
    private var isElsewhere = false

    init(_ position: Int64) { (start, reached, lastRow) = (position, position, position) }

    /// The walk goes on behind a page that can't be read.
    mutating func skip() { reached += 1 }

    /// Judges the next row. One that doesn't follow the last row comes after a hole, as erased conversations leave it,
    /// unless the table knows better.
    mutating func take(_ row: LogColumns, upTo last: Int64, in table: LogTable) throws -> Finding {
        let position = row.position
        if position == reached &+ 1 { return position <= last ? accept(position) : .beyond }
        guard row.isIntact else { return try takeDamaged(position, upTo: last, in: table) }
        // SQLite's search began too early, at a damaged number.
        if position <= start, lastRow == start { return .passed }
        guard position > lastRow, try !table.hasRows(above: reached, below: min(position, last &+ 1)) else {
            // A page has as many rows as it likes: all of them stand for one that is missing.
            defer { isElsewhere = true }
            return isElsewhere ? .passed : reject(upTo: last)
        }
        return position <= last ? accept(position) : .beyond
    }

    private mutating func takeDamaged(_ position: Int64, upTo last: Int64, in table: LogTable) throws -> Finding {
        isElsewhere = false
        guard position > lastRow, let next = try table.nextIntact(above: reached) else { return reject(upTo: last) }
        // SQLite's search came upon it too late: it stands before the start, and nothing is missing here.
        if next <= reached &+ 1 { return .passed }
        return next > position && position <= last ? accept(position) : reject(upTo: last)
    }

    private mutating func accept(_ position: Int64) -> Finding {
        lastRow = position
        reached = max(reached, position)
        isElsewhere = false
        return .inPlace
    }

    private mutating func reject(upTo last: Int64) -> Finding {
        guard reached < last else { return .passed }
        reached += 1
        return .misplaced
    }
}
