import RoostCore
import RoostProtocol

extension SQLiteWriter {
    /// A writer on an opened store: reads the directory of conversations, and again the part of the log that the
    /// indexes don't hold.
    static func opened(
        _ database: Database, turn: Turn, gauges: Gauges, hash: SQLiteLog.Hash?, bounds: StorageBounds,
        reactionsPerUser: Int
    ) throws -> SQLiteWriter {
        func meta(_ name: String) throws -> Int64 {
            guard let value = try database.value("SELECT value FROM meta WHERE name = '\(name)'"),
                let number = Int64(value)
            else { throw StorageFailure.inconsistent("\(name) is missing") }
            return number
        }
        let floor = try meta("indexed_to")
        let last = Int64(try database.value("SELECT max(position) FROM log") ?? "") ?? 0
        let head = max(last, try meta("head_floor"), floor)
        let keyed = KeyHash(
            key0: UInt64(bitPattern: try meta("hash_key_0")), key1: UInt64(bitPattern: try meta("hash_key_1")))
        let writer = try SQLiteWriter(
            database: database, tail: Tail(floor: floor, published: head), turn: turn, gauges: gauges, head: head,
            hash: hash ?? { keyed($0, $1) }, bounds: bounds, reactionsPerUser: reactionsPerUser)
        try writer.transact { try writer.index.dropUnfinished() }
        try writer.readConversations()
        try writer.readTail(above: floor)
        try writer.purgeAll()
        writer.measure()
        return writer
    }

    private func readConversations() throws {
        let query = try database.prepare("SELECT number, last_sequence, last_position, last_time FROM conversation")
        while try query.step() {
            conversations[query.int32(0)] = Conversation(
                lastSequence: query.int64(1), lastPosition: query.int64(2), lastTime: query.int64(3))
        }
        let pending = try database.prepare("SELECT conversation, up_to FROM erasure ORDER BY up_to")
        while try pending.step() { erasures.append(Erasure(conversation: pending.int32(0), upTo: pending.int64(1))) }
    }

    private func readTail(above floor: Int64) throws {
        let query = try database.prepare(
            """
            SELECT position, conversation, sequence, kind, time, sender, key FROM log WHERE position > ?1
            ORDER BY position
            """)
        query.bind(1, floor)
        while try query.step() {
            let position = query.int64(0)
            let number = query.int32(1)
            let sequence = query.int64(2)
            let isMessage = query.int32(3) == Int32(EventKind.message.rawValue)
            tail.add(Tail.Entry(position: position, sequence: sequence, isMessage: isMessage), to: number)
            let key = query.bytes(6)
            if !key.isEmpty { keys.add(hash(query.int32(5), key), position) }
            // Rows of an erased conversation have none.
            guard conversations[number] != nil else { continue }
            conversations[number] = Conversation(
                lastSequence: sequence, lastPosition: position, lastTime: query.int64(4))
        }
    }
}
