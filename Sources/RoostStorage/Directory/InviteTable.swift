import RoostCore
import RoostWire

/// The table `invite`. Confined to the writer's thread, or that of the connection's owner.
struct InviteTable {
    private let setInvite: Statement
    private let deleteInvite: Statement

    init(_ database: Database) throws {
        setInvite = try database.prepare(
            """
            REPLACE INTO invite (user, id, hash, conversation, kind, uses, used, created_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        deleteInvite = try database.prepare("DELETE FROM invite WHERE user = ?1 AND id = ?2")
    }

    func set(_ id: String, of user: UserNumber, to invite: StoredInvite?) throws {
        let statement = invite == nil ? deleteInvite : setInvite
        statement.bind(1, user.value)
        try statement.bind(2, copying: id)
        guard let invite else { return try statement.run() }
        try invite.hash.withUnsafeBytes { hash in
            try statement.bind(3, borrowedBlob: hash)
            if invite.conversation == .none {
                statement.bindNull(4)
            } else {
                statement.bind(4, invite.conversation.value)
            }
            try statement.bind(5, copying: invite.kind)
            statement.bind(6, Int64(invite.uses))
            statement.bind(7, Int64(invite.used))
            statement.bind(8, invite.created.milliseconds)
            statement.bind(9, invite.expires.milliseconds)
            try statement.run()
        }
    }

    /// All invitations, in the order of their makers and ids.
    static func read(_ database: Database) throws -> [Snapshot.Invite] {
        let query = try database.prepare(
            """
            SELECT user, id, hash, conversation, kind, uses, used, created_at, expires_at FROM invite ORDER BY user, id
            """)
        var invites: [Snapshot.Invite] = []
        while try query.step() {
            let stored = StoredInvite(
                hash: [UInt8](query.bytes(2)),
                conversation: query.isNull(3) ? .none : ConversationNumber(query.int32(3)), kind: query.text(4),
                uses: Int(query.int64(5)), used: Int(query.int64(6)),
                created: Timestamp(milliseconds: query.int64(7)), expires: Timestamp(milliseconds: query.int64(8)))
            invites.append(Snapshot.Invite(UserNumber(query.int32(0)), id: query.text(1), stored))
        }
        return invites
    }
}
