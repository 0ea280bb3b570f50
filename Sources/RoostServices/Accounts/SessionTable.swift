import RoostStore

/// A sign-in on one device: a family of refresh tokens, of which only the newest is valid.
package struct Session: Sendable, Equatable {
    package var sid: String
    package var user: String
    package var device: String
    /// SHA-256 of the newest refresh token.
    package var current: [UInt8]
    /// SHA-256 of the key under which the one before it was exchanged.
    package var exchange: [UInt8]?
    /// When the newest exchanges were made, the newest first.
    package var renewals: [Int64] = []
    package var created: Int64
    package var used: Int64
    /// When the newest refresh token ends.
    package var expires: Int64
    /// When the last access token ends that the session was given.
    package var accessUntil: Int64
}

/// The statements about sessions. A statement that ends one also queues a revocation for the relay, in the same
/// transaction: a process that is killed between the two would leave its sockets open.
enum SessionTable {
    private static let columns =
        "sid, user, device, current, exchange, renewals, created, used, expires, access_until"

    private static func session(_ row: LocalStatement) -> Session {
        Session(
            sid: row.text(0), user: row.text(1), device: row.text(2), current: row.bytes(3),
            exchange: row.isNull(4) ? nil : row.bytes(4),
            renewals: row.text(5).split(separator: " ").compactMap { Int64($0) },
            created: row.integer(6), used: row.integer(7), expires: row.integer(8), accessUntil: row.integer(9))
    }

    /// Begins a session. If the user has `keep` already, the one that was used longest ago ends.
    static func insert(_ session: Session, keep: Int, _ database: LocalDatabase) throws(LocalFailure) {
        let old = try database.rows(
            "SELECT \(columns) FROM session WHERE user = ? ORDER BY used DESC, sid LIMIT -1 OFFSET ?",
            [.text(session.user), .integer(Int64(keep) - 1)], SessionTable.session)
        for one in old { try end(one, now: session.created, database) }
        try database.run(
            "INSERT INTO session(\(columns)) VALUES (?, ?, ?, ?, NULL, '', ?, ?, ?, ?)",
            [
                .text(session.sid), .text(session.user), .text(session.device), .bytes(session.current),
                .integer(session.created), .integer(session.used), .integer(session.expires),
                .integer(session.accessUntil),
            ])
    }

    static func find(_ sid: String, _ database: LocalDatabase) throws(LocalFailure) -> Session? {
        try database.rows("SELECT \(columns) FROM session WHERE sid = ?", [.text(sid)], session).first
    }

    static func all(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> [Session] {
        try database.rows(
            "SELECT \(columns) FROM session WHERE user = ? ORDER BY used DESC, sid", [.text(user)], session)
    }

    /// Stores what `RefreshFamily.take` made of it.
    static func update(_ session: Session, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            """
            UPDATE session SET current = ?, exchange = ?, renewals = ?, used = ?, expires = ?, access_until = ?
                WHERE sid = ?
            """,
            [
                .bytes(session.current), session.exchange.map { .bytes($0) } ?? .null,
                .text(session.renewals.map { String($0) }.joined(separator: " ")), .integer(session.used),
                .integer(session.expires), .integer(session.accessUntil), .text(session.sid),
            ])
    }

    /// Ends a session, and its sockets as long as there is a token for them.
    static func end(_ session: Session, now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM session WHERE sid = ?", [.text(session.sid)])
        guard session.accessUntil > now else { return }
        try RevocationTable.insert(
            Revocation(user: session.user, sid: session.sid, until: session.accessUntil), now: now, database)
    }

    /// Ends all sessions of a user but one. Returns how many.
    static func endAll(
        _ user: String, except kept: String? = nil, now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> Int {
        let sessions = try all(user, database).filter { $0.sid != kept }
        for session in sessions { try end(session, now: now, database) }
        return sessions.count
    }

    /// Has the relay refuse the tokens of all sessions of a user. The sessions stay, so that their refresh tokens can
    /// be distinguished from invented ones; the caller keeps them from being used.
    static func silenceAll(_ user: String, now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        for session in try all(user, database) where session.accessUntil > now {
            try RevocationTable.insert(
                Revocation(user: session.user, sid: session.sid, until: session.accessUntil), now: now, database)
        }
    }

    /// Sessions whose refresh token has ended. Their access tokens ended long before.
    static func deleteOld(now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM session WHERE expires <= ?", [.integer(now)])
    }
}
