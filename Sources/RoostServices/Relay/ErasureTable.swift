import RoostStore

/// The users whose messages are to be erased, and how far that is.
enum ErasureTable {
    struct Erasure: Sendable, Equatable {
        let user: String
        /// Everything up to this position of the relay's log is done.
        let after: String?
    }

    static func put(_ user: String, after: String?, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "INSERT INTO erasure(user, after) VALUES (?, ?) ON CONFLICT(user) DO UPDATE SET after = excluded.after",
            [.text(user), value(after)])
    }

    /// The next one of a user whose sockets the relay has closed, if they were to be closed: what is written before
    /// that would be left.
    static func next(_ database: LocalDatabase) throws(LocalFailure) -> Erasure? {
        try database.rows(
            """
            SELECT user, after FROM erasure
            WHERE NOT EXISTS (SELECT 1 FROM revocation WHERE revocation.user = erasure.user) ORDER BY user LIMIT 1
            """
        ) { row in
            Erasure(user: row.text(0), after: row.isNull(1) ? nil : row.text(1))
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
            "UPDATE erasure SET after = ? WHERE user = ? AND after IS ?",
            [value(after), .text(erasure.user), value(erasure.after)])
    }

    /// It is done, unless it was begun anew meanwhile.
    static func delete(_ erasure: Erasure, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "DELETE FROM erasure WHERE user = ? AND after IS ?", [.text(erasure.user), value(erasure.after)])
    }

    private static func value(_ after: String?) -> LocalValue { after.map { .text($0) } ?? .null }
}
