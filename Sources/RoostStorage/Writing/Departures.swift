/// Users who have left for good, and those of them whose rows in the log may still name a device or have a key in
/// clear: these rows are looked for from the beginning of the log, piece by piece. How far that is isn't stored; after
/// a restart it begins anew. On the writer's thread, in its transactions.
struct Departures {
    private let settle: Statement
    /// Everybody who has left.
    private var gone: Set<Int32> = []
    /// Users whose rows are being looked for, and the position up to which that is done.
    private(set) var leaving: Set<Int32> = []
    private(set) var reached: Int64 = 0
    /// Users who have left since that began.
    private var waiting: Set<Int32> = []

    init(_ database: Database) throws {
        settle = try database.prepare("UPDATE profile SET deleted = 2 WHERE user = ?1 AND deleted = 1")
        let query = try database.prepare("SELECT user, deleted FROM profile WHERE deleted > 0")
        while try query.step() {
            gone.insert(query.int32(0))
            if query.int32(1) == 1 { waiting.insert(query.int32(0)) }
        }
        begin()
    }

    /// Whether nothing has to be looked for.
    var isEmpty: Bool { leaving.isEmpty && waiting.isEmpty }

    /// Whether the user has left for good.
    func contains(_ user: Int32) -> Bool { gone.contains(user) }

    /// The user has left for good, or has come back.
    mutating func note(_ user: Int32, hasLeft: Bool) {
        guard hasLeft else {
            gone.remove(user)
            leaving.remove(user)
            waiting.remove(user)
            return
        }
        gone.insert(user)
        waiting.insert(user)
    }

    /// All that was written before is committed: those who wait may be next.
    mutating func begin() {
        guard leaving.isEmpty, !waiting.isEmpty else { return }
        (leaving, waiting, reached) = (waiting, [], 0)
    }

    /// The log was looked through up to a position.
    mutating func note(reached position: Int64) { reached = position }

    /// Nothing is left of those who were looked for.
    mutating func finish() throws {
        for user in leaving.sorted() {
            settle.bind(1, user)
            try settle.run()
        }
        leaving = []
    }
}
