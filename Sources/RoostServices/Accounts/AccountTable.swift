import RoostStore

/// The statements about accounts.
enum AccountTable {
    private static let stored =
        "user, email, name, role, tier, language, hash, verified, suspended, operator, created"
    private static let columns =
        stored + ", EXISTS(SELECT 1 FROM factor WHERE factor.user = account.user AND since > 0)"

    private static func account(_ row: LocalStatement) -> Account {
        Account(
            user: row.text(0), email: row.isNull(1) ? nil : row.text(1), name: row.text(2),
            role: row.isNull(3) ? nil : row.text(3), tier: row.isNull(4) ? nil : row.text(4), language: row.text(5),
            hash: row.isNull(6) ? nil : row.text(6), isVerified: row.integer(7) != 0,
            isProven: row.integer(7) == proven,
            isSuspended: row.integer(8) != 0, isOperator: row.integer(9) != 0, hasFactor: row.integer(11) != 0,
            created: row.integer(10))
    }

    /// Returns false if the address is taken.
    static func insert(_ account: Account, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.run(
            "INSERT INTO account(\(stored)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(email) DO NOTHING",
            [
                .text(account.user), optional(account.email), .text(account.name), optional(account.role),
                optional(account.tier), .text(account.language), optional(account.hash), level(account),
                bit(account.isSuspended), .integer(account.isOperator ? account.created : 0), .integer(account.created),
            ])
        return database.changes == 1
    }

    private static func optional(_ text: String?) -> LocalValue { text.map { .text($0) } ?? .null }

    // Of `verified`.
    private static let (confirmed, proven): (Int64, Int64) = (1, 2)

    private static func level(_ account: Account) -> LocalValue {
        .integer(account.isProven ? proven : account.isVerified ? confirmed : 0)
    }

    private static func bit(_ value: Bool) -> LocalValue { .integer(value ? 1 : 0) }

    static func find(user: String, _ database: LocalDatabase) throws(LocalFailure) -> Account? {
        try database.rows("SELECT \(columns) FROM account WHERE user = ?", [.text(user)], account).first
    }

    static func find(email: String, _ database: LocalDatabase) throws(LocalFailure) -> Account? {
        try database.rows("SELECT \(columns) FROM account WHERE email = ?", [.text(email)], account).first
    }

    static func count(_ database: LocalDatabase) throws(LocalFailure) -> Int {
        try database.rows("SELECT count(*) FROM account") { Int($0.integer(0)) }.first ?? 0
    }

    /// The owner of this server: the first operator.
    static func owner(_ database: LocalDatabase) throws(LocalFailure) -> Account? {
        try database.rows(
            "SELECT \(columns) FROM account WHERE operator > 0 ORDER BY operator, user LIMIT 1", [], account
        ).first
    }

    /// Accounts in the order of their addresses, from the first that begins with `prefix` and comes after `after`.
    static func list(
        address prefix: String, after: String?, limit: Int, _ database: LocalDatabase
    ) throws(LocalFailure) -> [Account] {
        try database.rows(
            "SELECT \(columns) FROM account WHERE email >= ? AND email < ? AND email > ? ORDER BY email LIMIT ?",
            [.text(prefix), .text(prefix + last), .text(after ?? ""), .integer(Int64(limit))], account)
    }

    /// Accounts in the order of their names and ids, from the first whose name begins with `prefix` and that comes
    /// after `after`.
    static func list(
        name prefix: String, after: (name: String, user: String)?, limit: Int, _ database: LocalDatabase
    ) throws(LocalFailure) -> [Account] {
        try database.rows(
            """
            SELECT \(columns) FROM account WHERE name >= ? AND name < ? AND (name, user) > (?, ?)
                ORDER BY name, user LIMIT ?
            """,
            [
                .text(prefix), .text(prefix + last), .text(after?.name ?? ""), .text(after?.user ?? ""),
                .integer(Int64(limit)),
            ], account)
    }

    // No address and no name has this: it isn't a character (Unicode, section 23.7).
    private static let last = "\u{10FFFF}"

    static func setRole(_ user: String, _ role: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET role = ? WHERE user = ?", [.text(role), .text(user)])
    }

    /// Gives a role to who has none. Returns whether that was so.
    static func chooseRole(_ user: String, _ role: String, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.run("UPDATE account SET role = ? WHERE user = ? AND role IS NULL", [.text(role), .text(user)])
        return database.changes == 1
    }

    static func setTier(_ user: String, _ tier: String?, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET tier = ? WHERE user = ?", [optional(tier), .text(user)])
    }

    static func setSuspended(_ user: String, _ value: Bool, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET suspended = ? WHERE user = ?", [bit(value), .text(user)])
    }

    /// - Parameter since: nil for no longer. The time of a present operator stays.
    static func setOperator(_ user: String, since: Int64?, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "UPDATE account SET operator = ?2 WHERE user = ?1 AND (operator = 0 OR ?2 = 0)",
            [.text(user), .integer(since ?? 0)])
    }

    static func rename(_ user: String, _ name: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET name = ? WHERE user = ?", [.text(name), .text(user)])
    }

    static func setLanguage(_ user: String, _ tag: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET language = ? WHERE user = ?", [.text(tag), .text(user)])
    }

    static func verify(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "UPDATE account SET verified = max(verified, ?) WHERE user = ?", [.integer(confirmed), .text(user)])
    }

    /// Gives the account to the reader of the address's mail. Earlier ways in are removed: identities, one-time links,
    /// sessions and, without another one, the password.
    static func prove(_ account: Account, hash: String?, now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "UPDATE account SET verified = ?, hash = ? WHERE user = ?",
            [.integer(proven), optional(hash), .text(account.user)])
        if !account.isProven { try IdentityTable.deleteAll(account.user, database) }
        // It was turned on before the address was shown to be its owner's. Later it stays: it guards the account
        // against intruders in the mailbox, too.
        if !account.isVerified { try FactorTable.delete(account.user, database) }
        _ = try SessionTable.endAll(account.user, now: now, database)
        for purpose in LinkPurpose.waysIn + [.verify] { try LinkTable.deleteAll(account.user, purpose, database) }
    }

    static func setHash(_ user: String, _ hash: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET hash = ? WHERE user = ?", [.text(hash), .text(user)])
    }

    /// One of Firebase's hashes, and how many of all are such. They become fewer with each sign-in.
    static func firebaseHashes(
        _ database: LocalDatabase
    ) throws(LocalFailure) -> (example: String?, share: Double) {
        let isFirebase = "substr(hash, 1, \(FirebaseScrypt.mark.count)) = '\(FirebaseScrypt.mark)'"
        let counted = try database.rows("SELECT count(*) FROM account WHERE \(isFirebase)") { $0.integer(0) }.first ?? 0
        guard counted > 0 else { return (nil, 0) }
        let all = try database.rows("SELECT count(*) FROM account WHERE hash IS NOT NULL") { $0.integer(0) }.first ?? 0
        let example = try database.rows("SELECT hash FROM account WHERE \(isFirebase) LIMIT 1") { $0.text(0) }.first
        return (example, Double(counted) / Double(max(1, all)))
    }

    /// Gives an account its first address. Returns false if it has one, or if another account has the address.
    static func setFirst(
        _ email: String, _ hash: String, of user: String, _ database: LocalDatabase
    ) throws(LocalFailure) -> Bool {
        guard try find(email: email, database) == nil else { return false }
        try database.run(
            "UPDATE account SET email = ?, hash = ? WHERE user = ? AND email IS NULL",
            [.text(email), .text(hash), .text(user)])
        return database.changes == 1
    }

    /// Sessions and links go with it.
    static func delete(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM account WHERE user = ?", [.text(user)])
    }
}
