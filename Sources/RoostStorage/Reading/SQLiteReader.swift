import RoostCore
import RoostWire

/// Answers pages, history, latest messages and the feed from committed rows, on its own connection and thread. Rows
/// that the indexes don't hold yet are found in the tail. It never writes. The writer waits for it only if they share
/// the connection of an in-memory store, and for a few milliseconds when the WAL is very long.
///
/// A question looks into the tail before it begins its read transaction: the transaction then sees everything that the
/// tail calls committed.
///
/// `@unchecked Sendable`: it is created on one thread and handed to the thread that reads; nothing else synchronizes.
public final class SQLiteReader: LogReader, @unchecked Sendable {
    let database: Database
    let tail: EventTail
    let events: EventIndex
    let log: LogTable
    let statements: ReaderStatements
    let receiptTable: ReceiptTable
    let threads: ThreadPages
    let reporter: StorageReporter
    let bounds: StorageBounds
    private let lock: ConnectionLock
    private(set) var isClosed = false
    /// The tail's floor before the transaction began. The transaction finds everything at or below it in the index.
    private var floor: Int64 = 0
    /// When it was asked.
    private(set) var time = Timestamp.never

    init(
        database: Database, tail: EventTail, lock: ConnectionLock, reporter: StorageReporter, bounds: StorageBounds
    ) throws {
        self.database = database
        self.tail = tail
        self.lock = lock
        self.bounds = bounds
        self.reporter = reporter
        events = try EventIndex(database)
        log = try LogTable(database)
        statements = try ReaderStatements(database)
        receiptTable = try ReceiptTable(database)
        threads = try ThreadPages(database)
    }

    /// Answers from committed rows only. Throws `StorageFailure`; a later question may still succeed.
    public func answer(_ read: Read) throws -> ReadResult {
        guard !isClosed else { throw StorageFailure.closed }
        for _ in 1..<max(1, bounds.readAttempts) {
            do { return try answerOnce(read) } catch is TailMoved {}
        }
        return try answerOnce(read)
    }

    private func answerOnce(_ read: Read) throws -> ReadResult {
        try lock.withConnection {
            time = read.time
            let head = Position(tail.published)
            var result =
                switch read.question {
                case .page(let request): try page(request, ticket: read.ticket)
                case .history(let request): try history(request, ticket: read.ticket)
                case .latest(let request): try latest(request, ticket: read.ticket)
                case .feed(let request): try feed(request, ticket: read.ticket)
                case .settings(let request): try settings(request, ticket: read.ticket)
                case .receipts(let request): try receipts(request, ticket: read.ticket)
                }
            result.head = head
            return result
        }
    }

    /// Runs `body` on one state of the database.
    func transact<Value>(_ body: () throws -> Value) throws -> Value {
        floor = tail.floor
        try statements.begin.run()
        do {
            let value = try body()
            try statements.end.run()
            return value
        } catch {
            database.rollBack()
            throw error
        }
    }

    /// Throws `TailMoved` if a missing row may have moved from the tail to the index since the transaction began.
    func checkTailStayed() throws {
        guard tail.floor == floor else { throw TailMoved() }
    }

    func close() {
        isClosed = true
        database.close()
    }
}

/// A row moved from the tail to the index after the read transaction began, which can't see it there.
struct TailMoved: Error {}

/// The reader's prepared statements.
struct ReaderStatements {
    let begin: Statement
    let end: Statement
    let exists: Statement
    let reactions: Statement
    let mine: Statement
    let setting: Statement
    let settings: Statement
    let settingAt: Statement
    let missedSettings: Statement
    let givers: Statement
    let withheld: Statement
    let changes: Statement

    static let existsSQL = "SELECT 1 FROM conversation WHERE number = ?1"
    static let reactionsSQL = """
        SELECT reaction, count FROM reaction_count WHERE conversation = ?1 AND sequence = ?2
        ORDER BY count DESC, reaction LIMIT ?3
        """
    static let mineSQL = "SELECT reaction FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3"
    static let withheldSQL = """
        SELECT reaction FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND withheld <> 0 AND user <> ?3
        """
    static let changesSQL = """
        SELECT position, sequence FROM log INDEXED BY log_changes
        WHERE kind = 5 AND conversation = ?1 AND sequence BETWEEN ?2 AND ?3
        ORDER BY sequence DESC, position DESC LIMIT ?4
        """
    static let giversSQL = "SELECT user, reaction FROM reaction WHERE conversation = ?1 AND sequence = ?2"

    init(_ database: Database) throws {
        begin = try database.prepare("BEGIN")
        // After SQLite has found a damaged page, which costs only what is on it, COMMIT would fail
        // (`SQLITE_CorruptRdOnly` in SQLite's vdbe.c).
        end = try database.prepare("ROLLBACK")
        exists = try database.prepare(ReaderStatements.existsSQL)
        reactions = try database.prepare(ReaderStatements.reactionsSQL)
        mine = try database.prepare(ReaderStatements.mineSQL)
        setting = try database.prepare(ReaderStatements.settingSQL)
        settings = try database.prepare(ReaderStatements.settingsSQL)
        settingAt = try database.prepare(ReaderStatements.settingAtSQL)
        missedSettings = try database.prepare(ReaderStatements.missedSettingsSQL)
        givers = try database.prepare(ReaderStatements.giversSQL)
        withheld = try database.prepare(ReaderStatements.withheldSQL)
        changes = try database.prepare(ReaderStatements.changesSQL)
    }
}
