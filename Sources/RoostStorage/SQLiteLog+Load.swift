import RoostCore
import RoostWire

extension SQLiteLog {
    /// Loads everything the Relay keeps in memory. Call it before the writer is handed to its thread.
    public func load() throws -> Snapshot {
        let database = writer.database
        try writer.raiseWatermarks()
        var snapshot = Snapshot()
        snapshot.head = Position(writer.head)
        snapshot.epoch = try writer.meta.text("epoch")
        snapshot.aliveAt = Timestamp(milliseconds: try writer.meta.number("alive_at"))
        snapshot.leases = try writer.numbers.leases(database)
        snapshot.users = try users(database)
        snapshot.devices = try devices(database)
        snapshot.conversations = try conversations(database)
        snapshot.members = try members(database)
        return snapshot
    }

    private func users(_ database: Database) throws -> [Snapshot.User] {
        let query = try database.prepare("SELECT number, name, last_seen, is_online FROM user ORDER BY number")
        var users: [Snapshot.User] = []
        while try query.step() {
            users.append(
                Snapshot.User(
                    UserNumber(query.int32(0)), name: query.text(1),
                    lastSeen: Timestamp(milliseconds: query.int64(2)), isOnline: query.int32(3) != 0))
        }
        return users
    }

    private func devices(_ database: Database) throws -> [Snapshot.Device] {
        let query = try database.prepare("SELECT number, user, name, cursor, is_new FROM device ORDER BY number")
        var devices: [Snapshot.Device] = []
        while try query.step() {
            devices.append(
                Snapshot.Device(
                    DeviceNumber(query.int32(0)), user: UserNumber(query.int32(1)), name: query.text(2),
                    cursor: Position(query.int64(3)), isNew: query.int32(4) != 0))
        }
        return devices
    }

    private func conversations(_ database: Database) throws -> [Snapshot.Conversation] {
        let query = try database.prepare("SELECT number, id, kind, name FROM conversation ORDER BY number")
        var conversations: [Snapshot.Conversation] = []
        while try query.step() {
            guard let kind = ConversationKind(rawValue: UInt8(truncatingIfNeeded: query.int32(2))) else {
                throw StorageFailure.inconsistent("conversation \(query.int32(0)) is of no known kind")
            }
            var conversation = Snapshot.Conversation(
                ConversationNumber(query.int32(0)), id: query.text(1), kind: kind, name: query.text(3))
            if let last = writer.directory.conversation(query.int32(0)) {
                conversation.lastSequence = SequenceNumber(last.lastSequence)
                conversation.lastPosition = Position(last.lastPosition)
                conversation.lastTime = Timestamp(milliseconds: last.lastTime)
            }
            conversations.append(conversation)
        }
        return conversations
    }

    private func members(_ database: Database) throws -> [Snapshot.Member] {
        let query = try database.prepare(
            """
            SELECT conversation, user, role, since, joined_at, left_at, delivered, delivered_at, read, read_at,
                joined_after
            FROM member ORDER BY joined_at, ordinal
            """)
        var members: [Snapshot.Member] = []
        while try query.step() {
            let role = query.isNull(2) ? nil : Role(rawValue: UInt8(truncatingIfNeeded: query.int32(2)))
            var member = Snapshot.Member(ConversationNumber(query.int32(0)), UserNumber(query.int32(1)), role: role)
            member.since = SequenceNumber(query.int64(3))
            member.joinedAfter = SequenceNumber(query.int64(10))
            member.joinedAt = Position(query.int64(4))
            member.leftAt = Position(query.int64(5))
            member.watermark.delivered = SequenceNumber(query.int64(6))
            member.watermark.deliveredAt = Timestamp(milliseconds: query.int64(7))
            member.watermark.read = SequenceNumber(query.int64(8))
            member.watermark.readAt = Timestamp(milliseconds: query.int64(9))
            members.append(member)
        }
        return members
    }
}
