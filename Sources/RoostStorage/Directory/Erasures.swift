/// Conversations that were erased and still have rows, oldest first: the directory forgets them at once, their rows go
/// in slices. On the writer's thread, in its transactions.
struct Erasures {
    /// One erased conversation.
    struct Erasure {
        let conversation: Int32
        /// Its last row is at or below this position.
        let upTo: Int64
        /// The last row that was removed. Not stored: after a restart, the rows before are looked for in vain.
        var removedTo: Int64 = 0
    }

    private let insert: Statement
    private let delete: Statement
    private var waiting: [Erasure] = []

    /// Reads those that a stop left.
    init(_ database: Database) throws {
        insert = try database.prepare("INSERT INTO erasure (up_to, conversation) VALUES (?1, ?2)")
        delete = try database.prepare("DELETE FROM erasure WHERE up_to = ?1")
        let query = try database.prepare("SELECT conversation, up_to FROM erasure ORDER BY up_to")
        while try query.step() { waiting.append(Erasure(conversation: query.int32(0), upTo: query.int64(1))) }
    }

    var count: Int { waiting.count }
    /// The one whose rows go first.
    var first: Erasure? { waiting.first }

    func contains(_ conversation: Int32) -> Bool { waiting.contains { $0.conversation == conversation } }

    mutating func add(_ conversation: Int32, upTo position: Int64) throws {
        insert.bind(1, position)
        insert.bind(2, conversation)
        try insert.run()
        waiting.append(Erasure(conversation: conversation, upTo: position))
    }

    /// Rows of the first one are removed up to here.
    mutating func note(removedTo position: Int64) {
        if !waiting.isEmpty { waiting[0].removedTo = position }
    }

    /// Nothing of the first one is left.
    mutating func finishFirst() throws {
        guard let erasure = waiting.first else { return }
        delete.bind(1, erasure.upTo)
        try delete.run()
        waiting.removeFirst()
    }
}
