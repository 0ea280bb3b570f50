import RoostCore
import RoostWire

/// Gives every durable event its position and sequence, finds repeated keys, applies what an event changes, and commits
/// a batch in one transaction. It owns the writing connection, is used by one thread at a time, and must not be used
/// after a commit has thrown.
///
/// A row that is damaged or can't be found makes it refuse the command about that row, and nothing else.
///
/// `@unchecked Sendable`: it is created on one thread and handed to the thread that commits; nothing else synchronizes.
public final class SQLiteWriter: LogWriter, @unchecked Sendable {
    let database: Database
    let transactions: WriteTransactions
    let checkpoints: Checkpoints
    let newRows: NewRows
    let editor: LogEditor
    let indexer: LogIndexer
    let directory: Directory
    let reactions: Reactions
    let profiles: Profiles
    let meta: Meta
    let bounds: StorageBounds
    let reporter: StorageReporter
    /// Most different reactions of one user to one message.
    let reactionsPerUser: Int
    let log: CommittedLog
    private let lookUps: Database
    private let lock: ConnectionLock
    let gauges: Gauges
    /// nil for a store without a file of the system.
    private let files: OpenFiles?
    /// nil if it isn't compared.
    private let note: LogNote?

    /// The highest position assigned so far.
    var head: Int64
    var erasures: Erasures
    var numbers: NumberLeasing
    var expiry: Expiry
    /// Rows read at start that are so damaged that their place in a conversation isn't known.
    var unplaced = (count: Int64(0), last: Int64(0))
    private var keys = BatchKeys()

    /// The parts that a writer is created from.
    struct Parts {
        var database: Database
        /// A connection for reading; for an in-memory store the same connection.
        var lookUps: Database
        /// nil for an in-memory store.
        var checkpointer: Checkpointer?
        var lock: ConnectionLock
        var gauges: Gauges
        var reporter: StorageReporter
        /// nil if no other process can touch them.
        var files: OpenFiles?
        /// nil for a store without a file of the system.
        var note: LogNote?
        var durability: Durability
        /// Waits for other programs.
        var foreign: ForeignWait
        /// Whether the disk has room to index what was read.
        var hasRoom = true
        /// Monotonic milliseconds.
        var clock: () -> Int64
        /// Milliseconds since 1970.
        var time: () -> Int64
        var retention: Retention
        /// Replaces the store's own hash of sender and key.
        var hash: SQLiteLog.Hash?
        var bounds: StorageBounds
        var reactionsPerUser: Int
    }

    /// Loads the directory and the part of the log that the indexes don't hold, which may have to be merged.
    init(_ parts: Parts) throws {
        database = parts.database
        lookUps = parts.lookUps
        lock = parts.lock
        gauges = parts.gauges
        reporter = parts.reporter
        bounds = parts.bounds
        reactionsPerUser = parts.reactionsPerUser
        database.lockTimeout = bounds.lockMilliseconds
        transactions = try WriteTransactions(database, gauges: gauges, foreign: parts.foreign)
        checkpoints = Checkpoints(
            database, parts.checkpointer, policy: bounds.checkpoints, gauges: gauges, reporter: reporter,
            foreign: parts.foreign, reservedFrames: parts.durability == .full ? bounds.reservedFrames : 0,
            erasedTexts: ErasedTexts(
                clock: parts.clock, bounds: bounds, isSomethingLeft: parts.checkpointer != nil))
        files = parts.files
        note = parts.note
        meta = try Meta(database)
        newRows = try NewRows(database)
        editor = try LogEditor(database, newRows)
        directory = try Directory(database)
        reactions = try Reactions(database, lookUps: lookUps)
        profiles = try Profiles(database)
        erasures = try Erasures(database)
        numbers = try NumberLeasing(database)
        head = max(try LogTable(lookUps).end(), try meta.number("head_floor"), try meta.number("indexed_to"))
        guard (0...Directory.numberMax).contains(head) else {
            throw StorageFailure.inconsistent("position \(head) can't have been given")
        }
        try Schema.checkDerivedTables(of: database)
        let keyed = KeyHash(
            key0: UInt64(bitPattern: try meta.number("hash_key_0")),
            key1: UInt64(bitPattern: try meta.number("hash_key_1")))
        let keys = try KeyIndex(
            database, lookUps: lookUps, bounds: bounds, reporter: reporter, hash: parts.hash ?? { keyed($0, $1) })
        indexer = try LogIndexer(
            database, lookUps: lookUps, keys: keys, directory: directory, meta: meta, bounds: bounds, head: head)
        log = try CommittedLog(database, lookUps: lookUps, newRows: newRows, head: head)
        expiry = try Expiry(
            parts.retention, of: log, meta, time: parts.time, clock: parts.clock, bounds: bounds)
        try readTail(hasRoom: parts.hasRoom)
        measure()
    }

    /// Applies the batch in one transaction, and returns when it is durable. Throws `StorageFailure`; after that every
    /// call throws `poisoned`.
    public func commit(_ batch: [Mutation]) throws -> [Outcome] {
        try lock.withConnection {
            try transactions.checkUsable()
            let piece = expiry.piece(beside: batch)
            try transactions.poisoning {
                try checkpoints.beforeCommit()
                _ = try expiry.count(piece)
            }
            var outcomes: [Outcome] = []
            outcomes.reserveCapacity(batch.count)
            let first = head
            keys.load(batch, from: indexer.keys)
            let isMerged = try transactions.run {
                var others: [Outcome] = []
                for mutation in batch {
                    if mutation.mayEraseText { checkpoints.erasedTexts.note() }
                    switch mutation {
                    case .lease(let kind): others.append(.leased(kind, numbers.lease(kind)))
                    case .expire(let time): others.append(try Disappearance(self).outcome(upTo: time))
                    default: try apply(mutation, to: &outcomes)
                    }
                }
                try newRows.store()
                outcomes += others
                // In one transaction, only one of them may change old rows.
                if try !purge(rows: bounds.erasedRowsPerCommit), try !expire(piece) {
                    _ = try DepartedRows(self).clean(bounds.departedRowsPerCommit)
                }
                return try indexer.mergeShare(rows: Int(head - first), upTo: head)
            }
            // Commits to a file that is no longer there mustn't be acked.
            try transactions.poisoning { try files?.check() }
            noteHead()
            log.publish(head)
            indexer.publish(head)
            directory.departures.begin()
            if isMerged { indexer.finishMerge() }
            measure()
            return outcomes
        }
    }

    /// Does one piece of work that can wait: merges a slice of the tail, removes rows of an erased conversation, erases
    /// old messages, or has the WAL copied. Returns whether there may be more. A piece takes a few milliseconds, unless
    /// the WAL has to be copied before it. Throws as `commit` does.
    public func maintain() throws -> Bool {
        guard transactions.isUsable else { return false }
        return try lock.withConnection {
            defer { measure() }
            try transactions.poisoning { try files?.check() }
            // A batch may come meanwhile: it is the one to wait for other programs.
            transactions.isPatient = false
            defer { transactions.isPatient = true }
            do {
                return try work()
            } catch let failure as StorageFailure where failure.isBusy && transactions.isUsable {
                return false
            }
        }
    }

    private func work() throws -> Bool {
        if checkpoints.hasRoomForIdleWork {
            if try mergeSlice() { return true }
            if erasures.count > 0 {
                if try change({ try purge(rows: bounds.erasedRowsWhenIdle) }) { return true }
                // Erasing waits for the index.
                if try mergeSlice(isForced: true) { return true }
            }
            if expiry.isDue, try change({ try expire(expiry.idlePiece) }) {
                log.publish(head)
                return true
            }
            if try transactions.poisoning({ try expiry.count(expiry.idlePiece) }) { return true }
            if !directory.departures.isEmpty,
                try change({ try DepartedRows(self).clean(bounds.departedRowsWhenIdle) })
            {
                log.publish(head)
                directory.departures.begin()
                return true
            }
        }
        try transactions.poisoning { try checkpoints.whenIdle() }
        return false
    }

    /// Runs a transaction that isn't a commit. Many of them, one after another, must not let the write-ahead log grow.
    func change<Value>(_ body: () throws -> Value) throws -> Value {
        try transactions.poisoning { try checkpoints.beforeCommit() }
        return try transactions.run(body)
    }

    private func noteHead() {
        if let note, !note.move(to: head) { reporter.noteUnwritten() }
    }

    /// Merges a slice in a transaction of its own. Returns whether there was anything to do. `upTo` is the last row
    /// read at start, if not all were read.
    func mergeSlice(isForced: Bool = false, upTo last: Int64? = nil) throws -> Bool {
        guard indexer.hasWork(isForced: isForced) else { return false }
        if try change({ try indexer.mergeSlice(upTo: last ?? head) }) { indexer.finishMerge() }
        return true
    }

    /// Returns whether everything that was committed is in the database: nothing has failed.
    @discardableResult
    func close() -> Bool {
        defer { transactions.close() }
        checkpoints.stop()
        lookUps.close()
        database.close()
        return transactions.isUsable
    }

    private func apply(_ mutation: Mutation, to outcomes: inout [Outcome]) throws {
        switch mutation {
        case .append(let event): outcomes.append(try appendIfReadable(event, keys[outcomes.count]))
        case .user(let number, let name): try directory.add(user: number, name: name)
        case .forgetUser(let number): try directory.remove(user: number)
        case .device(let number, let user, let name, let cursor):
            try directory.add(device: number, of: user, name: name, cursor: cursor)
        case .forgetDevice(let number): try directory.remove(device: number)
        case .cursor(let device, let position): try directory.setCursor(of: device, to: position)
        case .watermark(let conversation, let user, let mark):
            try directory.setWatermark(of: user, in: conversation, to: mark)
        case .steps(let conversation, let user, let steps):
            try directory.receipts.add(steps, of: user, in: conversation)
        case .answered(let conversation, let user): try directory.setAnswered(user, in: conversation)
        case .dropRequest(let conversation): try directory.dropRequest(conversation)
        case .presence(let user, let presence):
            try directory.setPresence(of: user, to: presence)
        case .lease, .expire: return
        case .end(let device, let end): try directory.setEnd(of: device, to: end)
        case .status(let user, let status):
            try directory.setStatus(of: user, to: status)
        case .privacy(let user, let settings):
            try directory.setPrivacy(of: user, to: settings)
        case .profile(let user, let profile):
            try profiles.set(profile, of: user)
            try directory.note(user, hasLeft: profile.isDeleted)
        case .revoke(let user, let device, let time):
            try directory.setRevocation(of: user, device, to: time)
        case .endSignIn(let name, let until): try directory.endSignIn(name, until: until)
        case .forgetSignIns(let time): try directory.forgetSignIns(upTo: time)
        case .feedCursor(let consumer, let position): try directory.setFeedCursor(of: consumer, to: position)
        case .exception(let user, let other, let exception):
            try directory.setException(of: user, for: other, to: exception)
        case .contact(let pair, let contact): try directory.contacts.set(pair, to: contact)
        case .prospect(let user, let id, let prospect): try directory.contacts.setProspect(id, of: user, to: prospect)
        case .invite(let user, let id, let invite): try directory.invites.set(id, of: user, to: invite)
        case .report(let report): try directory.reports.set(report)
        case .forgetReport(let number): try directory.reports.forget(number)
        case .alive(let time): try meta.set("alive_at", to: time.milliseconds)
        }
    }

    private func measure() {
        // Erasures that a failure has undone aren't reported.
        let erased = expiry.erased
        expiry.erased = 0
        gauges.update {
            $0.expiredMessages += transactions.isUsable ? erased : 0
            $0.fileBytes = database.fileBytes
            $0.walBytes = database.framesInWAL * Database.frameBytes
            $0.unindexedRows = indexer.unindexedRows
            $0.keyFilterBytes = indexer.keys.filterBytes
            $0.head = Position(head)
            $0.erasuresPending = erasures.count
            $0.isPoisoned = transactions.isPoisoned
        }
    }
}
