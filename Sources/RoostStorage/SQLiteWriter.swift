import RoostCore
import RoostWire
import Synchronization

/// The sequencer: gives every durable event its position and sequence, finds repeated keys, applies what an event
/// changes, and commits a batch in one transaction. It owns the writing connection and everything derived that the
/// decisions need, is used on one thread at a time, and must not be used after a commit threw.
///
/// `@unchecked Sendable`: it is made on one thread and handed to the one that commits; nothing else synchronizes.
public final class SQLiteWriter: LogWriter, @unchecked Sendable {
    /// What the writer keeps of a conversation. A class, so that a row looks it up once.
    final class Conversation {
        var lastSequence: Int64 = 0
        var lastPosition: Int64 = 0
        var lastTime: Int64 = 0
    }

    let database: Database
    /// nil in memory.
    let checkpointer: Checkpointer?
    let statements: WriterStatements
    let directory: DirectoryStatements
    let table: LogTable
    let tail: Tail
    let turn: Turn
    let gauges: Gauges
    let hash: @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64
    let bounds: StorageBounds
    /// Different reactions of one user to one message.
    let reactionsPerUser: Int

    var conversations: [Int32: Conversation] = [:]
    var numbers: NumberLeasing
    var keys = KeyTail()
    var index: KeyIndex
    /// What the key index doesn't hold.
    var filter: KeyFilter
    /// The highest position that was given.
    var head: Int64
    /// The part of the tail that is being merged into the indexes.
    var merge: IndexMerge?
    /// Conversations that were erased and still have rows, oldest first.
    var erasures: [Erasure] = []
    var scratch = RowScratch()
    /// Rows of the batch that aren't in the table yet, nor in the tail.
    var newest = LogBlock()
    var newestEntries: [(conversation: Int32, entry: Tail.Entry)] = []
    var purgeStatements: PurgeStatements?
    /// How many frames the WAL had when it was last copied, until it begins anew.
    var copiedFrames = 0
    /// How many it had when a commit last copied all of it, until it begins anew.
    var triedFrames = 0
    private(set) var isPoisoned = false
    private(set) var isClosed = false

    init(
        database: Database, checkpointer: Checkpointer?, tail: Tail, turn: Turn, gauges: Gauges, head: Int64,
        hash: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64, bounds: StorageBounds,
        reactionsPerUser: Int
    ) throws {
        self.database = database
        self.checkpointer = checkpointer
        self.tail = tail
        self.turn = turn
        self.gauges = gauges
        self.head = head
        self.hash = hash
        self.bounds = bounds
        self.reactionsPerUser = reactionsPerUser
        statements = try WriterStatements(database)
        directory = try DirectoryStatements(database)
        table = try LogTable(database)
        index = try KeyIndex(database, keysPerBlock: bounds.keysPerBlock)
        numbers = try NumberLeasing(database)
        filter = KeyFilter(keys: index.keys)
    }

    /// Runs one transaction, or throws and poisons the writer. `body` may be anything that writes.
    func transact<Value>(_ body: () throws -> Value) throws -> Value {
        try checkUsable()
        do {
            try statements.begin.run()
            let value = try body()
            try statements.commit.run()
            return value
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

    /// Nothing is taken from now on.
    func poison() {
        isPoisoned = true
        gauges.update { $0.isPoisoned = true }
        database.rollBack()
        // Pages whose fsync failed must not go from the WAL into the database; the next start reads it anew.
        database.keepWALOnClose()
    }

    func close() {
        isClosed = true
        checkpointer?.stop()
        database.close()
    }
}
