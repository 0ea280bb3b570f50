import RoostCore
import RoostWire

extension SQLiteWriter {
    /// The blocks from the one that holds a position on.
    static let blocksSQL = """
        SELECT position, rows FROM log WHERE position >= (SELECT ifnull(max(position), 0) FROM log WHERE position <= ?1)
        ORDER BY position
        """

    /// A writer on an opened store: reads the directory of conversations, and again the part of the log that the
    /// indexes don't hold.
    static func opened(
        _ database: Database, checkpointer: Checkpointer?, turn: Turn, gauges: Gauges, hash: SQLiteLog.Hash?,
        bounds: StorageBounds, reactionsPerUser: Int
    ) throws -> SQLiteWriter {
        func meta(_ name: String) throws -> Int64 {
            guard let value = try database.value("SELECT value FROM meta WHERE name = '\(name)'"),
                let number = Int64(value)
            else { throw StorageFailure.inconsistent("\(name) is missing") }
            return number
        }
        let floor = try meta("indexed_to")
        let eventFloor = try meta("events_to")
        let last = try LogTable(database).block(around: .max) { rows in rows.reduce(0) { $1.position } } ?? 0
        let head = max(last, try meta("head_floor"), floor)
        let keyed = KeyHash(
            key0: UInt64(bitPattern: try meta("hash_key_0")), key1: UInt64(bitPattern: try meta("hash_key_1")))
        let writer = try SQLiteWriter(
            database: database, checkpointer: checkpointer, tail: Tail(floor: eventFloor, published: head),
            turn: turn, gauges: gauges, head: head, hash: hash ?? { keyed($0, $1) }, bounds: bounds,
            reactionsPerUser: reactionsPerUser)
        try writer.transact {
            try writer.index.dropUnfinished()
            try writer.dropUnfinishedStage(above: floor)
        }
        try writer.readConversations()
        try writer.readStages()
        try writer.readTail(above: floor)
        try writer.purgeAll()
        writer.measure()
        return writer
    }

    private func readConversations() throws {
        let query = try database.prepare("SELECT number, last_sequence, last_position, last_time FROM conversation")
        while try query.step() {
            let conversation = Conversation()
            conversation.lastSequence = query.int64(1)
            conversation.lastPosition = query.int64(2)
            conversation.lastTime = query.int64(3)
            conversations[query.int32(0)] = conversation
        }
        let pending = try database.prepare("SELECT conversation, up_to FROM erasure ORDER BY up_to")
        while try pending.step() { erasures.append(Erasure(conversation: pending.int32(0), upTo: pending.int64(1))) }
    }

    private func readTail(above floor: Int64) throws {
        let query = try database.prepare(SQLiteWriter.blocksSQL)
        query.bind(1, floor)
        while try query.step() {
            for row in LogRows(block: query.int64(0), bytes: query.bytes(1)) where row.position > floor {
                read(row)
            }
        }
    }

    private func read(_ row: LogRow) {
        let number = row.header.conversation
        let sequence = row.header.sequence
        let isMessage = row.kind == .message
        tail.add([(number, Tail.Entry(position: row.position, sequence: sequence, isMessage: isMessage))])
        if !row.key.isEmpty { keys.add(hash(row.header.sender, row.key), row.position) }
        // Rows of an erased conversation have none.
        guard let conversation = conversations[number] else { return }
        conversation.lastSequence = sequence
        conversation.lastPosition = row.position
        conversation.lastTime = row.header.time
    }
}
