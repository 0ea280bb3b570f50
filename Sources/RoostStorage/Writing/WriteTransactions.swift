/// The transactions of the writing connection, one after another, until one fails. On the writer's thread.
final class WriteTransactions {
    private let database: Database
    private let beginStatement: Statement
    private let commitStatement: Statement
    private let gauges: Gauges
    let foreign: ForeignWait
    /// Whether a transaction waits while another program has the write lock. Otherwise it throws, and nothing has
    /// happened.
    var isPatient = true
    private(set) var isPoisoned = false
    private(set) var isClosed = false

    init(_ database: Database, gauges: Gauges, foreign: ForeignWait) throws {
        self.database = database
        self.gauges = gauges
        self.foreign = foreign
        beginStatement = try database.prepare("BEGIN IMMEDIATE")
        commitStatement = try database.prepare("COMMIT")
    }

    /// Runs one transaction, or throws and poisons the writer.
    func run<Value>(_ body: () throws -> Value) throws -> Value {
        try checkUsable()
        if !isPatient { try beginStatement.run() }
        return try poisoning {
            if isPatient { try begin() }
            let value = try body()
            try commitStatement.run()
            return value
        }
    }

    /// Runs, outside a transaction, work after whose failure nothing can be relied on.
    func poisoning<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            poison()
            throw error
        }
    }

    /// Throws if the store is closed or poisoned.
    func checkUsable() throws {
        guard !isClosed else { throw StorageFailure.closed }
        guard !isPoisoned else { throw StorageFailure.poisoned }
    }

    var isUsable: Bool { !isClosed && !isPoisoned }

    func close() { isClosed = true }

    /// Another program may have the lock. Nothing has happened yet, so it is tried again.
    private func begin() throws {
        try foreign.until(ForeignWait.lock) { try database.unlessBusy { try beginStatement.run() } }
    }

    /// Accepts nothing from now on.
    private func poison() {
        isPoisoned = true
        gauges.update { $0.isPoisoned = true }
        database.rollBack()
        // Pages whose fsync failed must not be copied from the WAL into the database; the next start reads the WAL
        // anew.
        database.keepWALOnClose()
    }
}
