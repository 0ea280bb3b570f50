import RoostStore

/// How much there is in the database, for the metrics. Counting reads an index from its beginning to its end, so it is
/// done at most once in a while, however often it is asked for.
actor Census {
    /// What was counted.
    struct Figures: Sendable {
        var accounts = 0
        var sessions = 0
        /// Revocations that the relay hasn't been told yet, and when the oldest was made.
        var revocations = 0
        var oldestRevocation: Int64?
        /// Grants that their providers haven't been told the end of yet.
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

    /// What there is now, or was a short while ago.
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
