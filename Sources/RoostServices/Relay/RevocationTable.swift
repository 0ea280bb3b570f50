import RoostStore

/// Revocations not yet sent to the relay.
enum RevocationTable {
    static func insert(_ revocation: Revocation, now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "INSERT INTO revocation(user, device, sid, until, created) VALUES (?, ?, ?, ?, ?)",
            [
                .text(revocation.user), revocation.device.map { .text($0) } ?? .null,
                revocation.sid.map { .text($0) } ?? .null, .integer(revocation.until),
                .integer(now),
            ])
    }

    /// The oldest ones that still matter.
    static func next(
        _ count: Int, now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> [(id: Int64, revocation: Revocation)] {
        try database.rows(
            "SELECT id, user, device, sid, until FROM revocation WHERE until > ? ORDER BY id LIMIT ?",
            [.integer(now), .integer(Int64(count))]
        ) { row in
            (
                row.integer(0),
                Revocation(
                    user: row.text(1), device: row.isNull(2) ? nil : row.text(2),
                    sid: row.isNull(3) ? nil : row.text(3),
                    until: row.integer(4))
            )
        }
    }

    /// Number of revocations that still matter, and the time of the oldest; nil if there are none.
    static func backlog(
        now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> (count: Int, oldest: Int64?) {
        try database.rows("SELECT count(*), min(created) FROM revocation WHERE until > ?", [.integer(now)]) { row in
            (Int(row.integer(0)), row.isNull(1) ? nil : row.integer(1))
        }.first ?? (0, nil)
    }

    static func delete(_ id: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM revocation WHERE id = ?", [.integer(id)])
    }

    /// Those of single devices.
    static func deleteDevices(of user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM revocation WHERE user = ? AND device IS NOT NULL", [.text(user)])
    }

    /// Those of all of a user's tokens at once.
    static func deleteWhole(of user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "DELETE FROM revocation WHERE user = ? AND device IS NULL AND sid IS NULL", [.text(user)])
    }

    /// Those whose tokens have ended anyway.
    static func deleteOld(now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM revocation WHERE until <= ?", [.integer(now)])
    }
}
