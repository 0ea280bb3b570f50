import RoostCore
import RoostWire

/// The writer as the thread that commits sees it. It takes nothing while the disk is full. A commit or a piece of
/// maintenance that finds the disk full is undone by SQLite, so nothing of it is stored; but what the writer keeps in
/// memory has gone on without it. So the writer begins anew, as at a start.
///
/// This is safe for SQLITE_FULL only: SQLite answers it before a transaction counts as committed, and before a
/// checkpoint counts as done. After a failed sync nothing can be relied on.
///
/// `@unchecked Sendable`: it is created on one thread and handed to the thread that commits; nothing else synchronizes.
public final class StoreWriter: IdleLogWriter, @unchecked Sendable {
    private(set) var writer: SQLiteWriter
    private let room: Room
    private let opening: WriterOpening
    /// nil if no other process can touch them.
    private let files: OpenFiles?

    /// Opens the writer on a connection that is ready.
    init(_ opening: WriterOpening, on database: Database, room: Room, files: OpenFiles?) throws {
        self.opening = opening
        self.room = room
        self.files = files
        writer = try opening.writer(on: database, files: files, room: room)
    }

    /// Whether there is room for a batch, as far as is known.
    public var hasRoom: Bool { !room.isFull }

    /// Applies the batch in one transaction, and returns when it is durable. Throws `NoRoom` if nothing of it is
    /// stored, because the disk is full. Throws `StorageFailure` for anything else; after that every call throws.
    public func commit(_ batch: [Mutation]) throws -> [Outcome] {
        try unlessFull { try writer.commit(batch) }
    }

    /// Does one piece of work that can wait. Returns whether there may be more. Throws as `commit` does, but not
    /// because the disk is full.
    public func maintain() throws -> Bool {
        do { return try unlessFull { try writer.maintain() } } catch is NoRoom { return false }
    }

    /// Writes something, or throws `NoRoom` if the disk is full; then nothing is written.
    func unlessFull<Value>(_ body: () throws -> Value) throws -> Value {
        let isBack = room.look()
        guard hasRoom else { throw NoRoom() }
        do {
            if isBack {
                try writer.checkpoints.forgetFull()
                // A full disk may have taken the write-ahead log its length.
                try writer.transactions.run { try writer.checkpoints.reserve() }
            }
            return try body()
        } catch let failure as StorageFailure where failure.isFull {
            room.noteFull()
            try beginAnew()
            throw NoRoom()
        }
    }

    /// Notes that all watermarks are stored, so that the next start need not raise any.
    func noteMarked() throws {
        guard try writer.meta.number("marked_to") != writer.head else { return }
        try unlessFull { try writer.transactions.run { try writer.meta.set("marked_to", to: writer.head) } }
    }

    private func beginAnew() throws {
        let (tail, erasedTexts) = (writer.indexer.tail, writer.checkpoints.erasedTexts)
        writer.close()
        writer = try opening.reopen(files: files, room: room)
        writer.indexer.hand(over: tail)
        writer.checkpoints.erasedTexts = erasedTexts
    }
}
