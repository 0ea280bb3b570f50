import RoostStore

/// The users whose messages are to be erased, and how far that is.
enum ErasureTable {
    struct Erasure: Sendable, Equatable {
        let user: String
        /// Everything up to this position of the relay's log is done.
        let after: String?
        /// End of the period to erase, in milliseconds since 1970; nil for everything by a user who has left.
        let until: Int64?
    }

    /// Begins, or begins anew: there may be messages that were passed. Whatever was to go goes still.
    static func put(_ user: String, until: Int64?, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            """
            INSERT INTO erasure(user, until) VALUES (?, ?)
                ON CONFLICT(user) DO UPDATE SET after = NULL, until = max(until, excluded.until)
            """,
            [.text(user), value(until)])
    }

    /// The next one of a user whose sockets the relay has closed, if they were to be closed: what is written before
    /// that would be left.
    static func next(_ database: LocalDatabase) throws(LocalFailure) -> Erasure? {
        try database.rows(
            """
            SELECT user, after, until FROM erasure
            WHERE NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.user = erasure.user) ORDER BY user LIMIT 1
            """
        ) { row in
            Erasure(
                user: row.text(0), after: row.isNull(1) ? nil : row.text(1),
                until: row.isNull(2) ? nil : row.integer(2))
        }.first
    }

    static func count(_ database: LocalDatabase) throws(LocalFailure) -> Int {
        try database.rows("SELECT count(*) FROM erasure") { Int($0.integer(0)) }.first ?? 0
    }

    static func has(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try !database.rows("SELECT 1 FROM erasure WHERE user = ?", [.text(user)], { _ in 0 }).isEmpty
    }

    /// Goes on from here, unless it was begun anew meanwhile.
    static func advance(_ erasure: Erasure, to after: String?, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "UPDATE erasure SET after = ? WHERE user = ? AND after IS ? AND until IS ?",
            [value(after), .text(erasure.user), value(erasure.after), value(erasure.until)])
    }

    /// It is done, unless it was begun anew meanwhile.
    static func delete(_ erasure: Erasure, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "DELETE FROM erasure WHERE user = ? AND after IS ? AND until IS ?",
            [.text(erasure.user), value(erasure.after), value(erasure.until)])
    }

    private static func value(_ after: String?) -> LocalValue { after.map { .text($0) } ?? .null }

    private static func value(_ until: Int64?) -> LocalValue { until.map { .integer($0) } ?? .null }
}
