import RoostCore
import RoostWire

/// Answers pages, history and latest messages from committed rows, on a connection of its own, on one thread. What the
/// index doesn't hold yet it finds in the tail. It never writes, and never makes the writer wait but for its turn in
/// memory, or at the very bound of the WAL.
///
/// A question looks into the tail first and begins its read transaction afterwards: what the tail says is committed,
/// the transaction sees.
///
/// `@unchecked Sendable`: it is made on one thread and handed to the one that reads; nothing else synchronizes.
public final class SQLiteReader: LogReader, @unchecked Sendable {
    /// Tries of one question. A second is needed only when the writer finished a merge in the middle of the first.
    private static let attempts = 8

    let database: Database
    let tail: Tail
    let turn: Turn
    let events: EventIndex
    let table: LogTable
    let statements: ReaderStatements
    private(set) var isClosed = false

    init(database: Database, tail: Tail, turn: Turn) throws {
        self.database = database
        self.tail = tail
        self.turn = turn
        events = try EventIndex(database)
        table = try LogTable(database)
        statements = try ReaderStatements(database)
    }

    /// Answers from committed rows only. Throws `StorageFailure`; a later question may still succeed.
    public func answer(_ read: Read) throws -> ReadResult {
        guard !isClosed else { throw StorageFailure.closed }
        for _ in 1..<SQLiteReader.attempts {
            do { return try answerOnce(read) } catch is TailMoved {}
        }
        return try answerOnce(read)
    }

    private func answerOnce(_ read: Read) throws -> ReadResult {
        try turn.take {
            switch read.question {
            case .page(let request): try page(request, ticket: read.ticket)
            case .history(let request): try history(request, ticket: read.ticket)
            case .latest(let request): try latest(request, ticket: read.ticket)
            }
        }
    }

    /// Runs what looks at one state of the database.
    func transact<Value>(_ body: () throws -> Value) throws -> Value {
        try statements.begin.run()
        do {
            let value = try body()
            try statements.commit.run()
            return value
        } catch {
            database.rollBack()
            throw error
        }
    }

    func close() {
        isClosed = true
        database.close()
    }
}

/// A row left the tail for the index after the read transaction began, which doesn't see it there.
struct TailMoved: Error {}

/// What the reader asks SQLite, prepared once.
struct ReaderStatements {
    let begin: Statement
    let commit: Statement
    let exists: Statement
    let reactions: Statement
    let mine: Statement

    static let existsSQL = "SELECT 1 FROM conversation WHERE number = ?1"
    static let reactionsSQL = """
        SELECT reaction, count FROM reaction_count WHERE conversation = ?1 AND sequence = ?2
        ORDER BY count DESC, reaction LIMIT ?3
        """
    static let mineSQL = "SELECT reaction FROM reaction WHERE conversation = ?1 AND sequence = ?2 AND user = ?3"

    init(_ database: Database) throws {
        begin = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        exists = try database.prepare(ReaderStatements.existsSQL)
        reactions = try database.prepare(ReaderStatements.reactionsSQL)
        mine = try database.prepare(ReaderStatements.mineSQL)
    }
}
