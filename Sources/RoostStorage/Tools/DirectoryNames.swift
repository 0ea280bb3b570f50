/// The names behind the numbers of a store, as they are in the transaction of the reading connection. A value.
struct DirectoryNames {
    /// A conversation and the last row that the directory notes for it.
    struct Conversation {
        var id: String
        var kind: Int32
        var name: String
        var photo: String
        var description: String
        var createdAt: Int64
        var lastSequence: Int64
        var lastPosition: Int64
        var lastTime: Int64
        var expiry: Int64
        var slow: Int64
        var joining: Int32
        /// 0 if that isn't known.
        var opener: Int32
        var request: Int32
    }

    private(set) var users: [Int32: String] = [:]
    private(set) var conversations: [Int32: Conversation] = [:]
    /// Conversations that were erased and still have rows, with the position up to which they have them.
    private(set) var erased: [Int32: Int64] = [:]

    init(_ database: Database) throws {
        let userRows = try database.prepare("SELECT number, name FROM user")
        while try userRows.step() { users[userRows.int32(0)] = userRows.text(1) }
        let rows = try database.prepare(
            """
            SELECT number, id, kind, name, last_sequence, last_position, last_time, photo, description, created_at,
                expiry, request, opener, slow, joining
            FROM conversation
            """)
        while try rows.step() {
            conversations[rows.int32(0)] = Conversation(
                id: rows.text(1), kind: rows.int32(2), name: rows.text(3), photo: rows.text(7),
                description: rows.text(8), createdAt: rows.int64(9), lastSequence: rows.int64(4),
                lastPosition: rows.int64(5), lastTime: rows.int64(6), expiry: rows.int64(10),
                slow: rows.int64(13), joining: rows.int32(14),
                opener: rows.int32(12), request: rows.int32(11))
        }
        let erasures = try database.prepare("SELECT conversation, up_to FROM erasure")
        while try erasures.step() {
            erased[erasures.int32(0), default: 0] = max(erased[erasures.int32(0)] ?? 0, erasures.int64(1))
        }
    }

    /// The user of this name.
    func user(named name: String) -> Int32? { users.first { $0.value == name }?.key }

    /// The conversation with this id.
    func conversation(withID id: String) -> Int32? { conversations.first { $0.value.id == id }?.key }

    /// The name of a conversation in a finding.
    func place(_ number: Int32) -> String {
        conversations[number].map { "conversation \($0.id)" } ?? "conversation number \(number)"
    }
}
