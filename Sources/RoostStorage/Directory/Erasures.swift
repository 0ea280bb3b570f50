/// Erased conversations that still have rows, oldest first. The directory forgets a conversation at once; its rows are
/// removed in slices. On the writer's thread, in its transactions.
struct Erasures {
    /// One erased conversation.
    struct Erasure {
        let conversation: Int32
        /// Its last row is at or below this position.
        let upTo: Int64
        /// The last row that was removed. Not stored: after a restart the search begins again at the start.
        var removedTo: Int64 = 0
    }

    private let insert: Statement
    private let delete: Statement
    private var waiting: [Erasure] = []

    /// Loads the erasures that were not finished at the last stop.
    init(_ database: Database) throws {
        insert = try database.prepare("INSERT INTO erasure (up_to, conversation) VALUES (?1, ?2)")
        delete = try database.prepare("DELETE FROM erasure WHERE up_to = ?1")
        let query = try database.prepare("SELECT conversation, up_to FROM erasure ORDER BY up_to")
        while try query.step() { waiting.append(Erasure(conversation: query.int32(0), upTo: query.int64(1))) }
    }

    var count: Int { waiting.count }
    /// The erasure whose rows are removed first.
    var first: Erasure? { waiting.first }

    func contains(_ conversation: Int32) -> Bool { waiting.contains { $0.conversation == conversation } }

    mutating func add(_ conversation: Int32, upTo position: Int64) throws {
        insert.bind(1, position)
        insert.bind(2, conversation)
        try insert.run()
        waiting.append(Erasure(conversation: conversation, upTo: position))
    }

    /// Notes that rows of the first erasure are removed up to this position.
    mutating func note(removedTo position: Int64) {
        if !waiting.isEmpty { waiting[0].removedTo = position }
    }

    /// Ends the first erasure: none of its rows is left.
    mutating func finishFirst() throws {
        guard let erasure = waiting.first else { return }
        delete.bind(1, erasure.upTo)
        try delete.run()
        waiting.removeFirst()
    }
}
