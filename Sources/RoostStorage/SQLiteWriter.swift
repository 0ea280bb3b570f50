import RoostCore
import RoostProtocol
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
    /// How many frames the WAL had at the last checkpoint, until it begins anew.
    var copiedFrames = 0
    private(set) var isPoisoned = false
    private(set) var isClosed = false

    init(
        database: Database, tail: Tail, turn: Turn, gauges: Gauges, head: Int64,
        hash: @escaping @Sendable (Int32, UnsafeRawBufferPointer) -> UInt64, bounds: StorageBounds,
        reactionsPerUser: Int
    ) throws {
        self.database = database
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
        database.close()
    }
}

/// Sizes that decide when the indexes catch up. Tests make them small.
struct StorageBounds: Sendable {
    /// Unindexed rows above which commits merge some of them themselves: 56,000 of them take about 10 MB, and are read
    /// again at start in about 0.2 s. The larger, the fewer pages a merged row dirties. So many keys, and four or
    /// sixteen times as many, fill blocks of 219 keys.
    var tailRows = 56_000
    /// Unindexed rows below which an idle writer leaves them: the fewer rows of a conversation are merged at once, the
    /// more a row costs, and a writer that waits for the next batch of a busy relay isn't idle. So many keys fill half
    /// pages.
    var idleRows = 28_000
    /// Index entries that an idle writer merges in one transaction: a batch that arrives meanwhile waits for it.
    var idleEntries = 4_096
    /// Index entries that a commit merges per row of its own. A row has two, and at worst a conversation's: with four
    /// the merge ends before as many rows again have gathered.
    var entriesPerRow = 4
    /// Keys of a block, as it is planned: a page holds 253, and the number varies by fifteen.
    var keysPerBlock = 224
    /// Keys that a commit moves to larger runs per row of its own. Each is moved once a level: four times among ten
    /// million rows, eight times among three thousand million.
    var movedKeysPerRow = 8
    /// Keys that a commit, and an idle turn, reads from the index into the filter after a start: 0.1 and 5 ms.
    var filterKeysPerCommit = 512
    var filterKeysWhenIdle = 32_768
    /// Rows of erased conversations that a commit, and an idle turn, removes.
    var erasedRowsPerCommit = 32
    var erasedRowsWhenIdle = 512
}
