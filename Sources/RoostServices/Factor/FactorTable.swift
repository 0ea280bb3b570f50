import RoostStore

/// The second factor of an account, as it is kept.
struct Factor: Sendable, Equatable {
    /// The secret, which only `FactorSeal` opens.
    var sealed: [UInt8]
    /// When it was turned on; 0 if its owner hasn't shown a code yet.
    var since: Int64
    /// The last step whose code was taken. No code is taken twice, and none that is older.
    var step: Int64
    /// When its secret was made.
    var created: Int64
}

/// The statements about second factors and their recovery codes.
enum FactorTable {
    static func find(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> Factor? {
        try database.rows("SELECT sealed, since, step, created FROM factor WHERE user = ?", [.text(user)]) {
            Factor(sealed: $0.bytes(0), since: $0.integer(1), step: $0.integer(2), created: $0.integer(3))
        }.first
    }

    /// Whether it is asked for.
    static func isOn(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try (find(user, database)?.since ?? 0) > 0
    }

    /// Keeps a secret until its owner has shown a code, in place of one that wasn't finished. Returns false if there is
    /// one that is on.
    static func begin(_ user: String, _ sealed: [UInt8], now: Int64, _ database: LocalDatabase) throws(LocalFailure)
        -> Bool
    {
        guard try !isOn(user, database) else { return false }
        try database.run(
            "REPLACE INTO factor(user, sealed, since, step, created) VALUES (?, ?, 0, 0, ?)",
            [.text(user), .bytes(sealed), .integer(now)])
        return true
    }

    static func turnOn(_ user: String, step: Int64, now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "UPDATE factor SET since = ?, step = ? WHERE user = ?", [.integer(now), .integer(step), .text(user)])
    }

    static func setStep(_ user: String, _ step: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE factor SET step = ? WHERE user = ?", [.integer(step), .text(user)])
    }

    /// Recovery codes go with it, and tickets for its step.
    static func delete(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM factor WHERE user = ?", [.text(user)])
        try deleteCodes(user, database)
        try LinkTable.deleteAll(user, .factor, database)
    }

    /// Deletes secrets that no code has confirmed.
    static func deleteOld(before time: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM factor WHERE since = 0 AND created < ?", [.integer(time)])
    }

    // MARK: Recovery codes

    /// Keeps new ones, in place of those that are left.
    static func setCodes(_ user: String, _ digests: [[UInt8]], _ database: LocalDatabase) throws(LocalFailure) {
        try deleteCodes(user, database)
        for digest in digests {
            try database.run("INSERT INTO recovery_code(digest, user) VALUES (?, ?)", [.bytes(digest), .text(user)])
        }
    }

    /// Uses one up. Returns whether it was there.
    static func takeCode(_ user: String, _ digest: [UInt8], _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.run("DELETE FROM recovery_code WHERE digest = ? AND user = ?", [.bytes(digest), .text(user)])
        return database.changes == 1
    }

    static func codes(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> Int {
        try database.rows("SELECT count(*) FROM recovery_code WHERE user = ?", [.text(user)]) {
            Int($0.integer(0))
        }.first ?? 0
    }

    private static func deleteCodes(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM recovery_code WHERE user = ?", [.text(user)])
    }
}
