import RoostStore

/// Numbers of rows in the database, for the metrics. Counting reads an index from its beginning to its end, so it is
/// done at most once in a while, however often it is asked for.
actor Census {
    /// The counts.
    struct Figures: Sendable {
        var accounts = 0
        var sessions = 0
        /// Revocations not yet sent to the relay, and the time of the oldest.
        var revocations = 0
        var oldestRevocation: Int64?
        /// Grants whose end hasn't been sent to their providers yet.
        var grants = 0
    }

    private let database: ServicesDatabase
    private let clock: WallClock
    private let every: Int64
    private var figures = Figures()
    private var countedAt: Int64?

    init(database: ServicesDatabase, clock: WallClock, seconds: Int64) {
        self.database = database
        self.clock = clock
        every = seconds * 1_000
    }

    /// The present counts, or those of a short while ago.
    func take() async throws(ServiceFault) -> Figures {
        let now = clock.now()
        // A clock that was set back mustn't stop it.
        if let countedAt, (countedAt..<countedAt + every).contains(now) { return figures }
        countedAt = now
        figures = try await database.read { database throws(LocalFailure) in
            let (waiting, oldest) = try RevocationTable.backlog(now: now, database)
            return Figures(
                accounts: try Census.rows(of: "account", database), sessions: try Census.rows(of: "session", database),
                revocations: waiting, oldestRevocation: oldest, grants: try Census.rows(of: "ended_grant", database))
        }
        return figures
    }

    private static func rows(of table: String, _ database: LocalDatabase) throws(LocalFailure) -> Int {
        try database.rows("SELECT count(*) FROM \(table)") { Int($0.integer(0)) }.first ?? 0
    }
}
