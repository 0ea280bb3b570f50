import RoostStore

/// The statements about accounts.
enum AccountTable {
    private static let columns =
        "user, email, name, role, tier, language, hash, verified, suspended, operator, created"

    private static func account(_ row: LocalStatement) -> Account {
        Account(
            user: row.text(0), email: row.isNull(1) ? nil : row.text(1), name: row.text(2),
            role: row.isNull(3) ? nil : row.text(3), tier: row.isNull(4) ? nil : row.text(4), language: row.text(5),
            hash: row.isNull(6) ? nil : row.text(6), isVerified: row.integer(7) != 0,
            isSuspended: row.integer(8) != 0, isOperator: row.integer(9) != 0, created: row.integer(10))
    }

    /// Returns false if the address is taken.
    static func insert(_ account: Account, _ database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.run(
            "INSERT INTO account(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(email) DO NOTHING",
            [
                .text(account.user), optional(account.email), .text(account.name), optional(account.role),
                optional(account.tier), .text(account.language), optional(account.hash), bit(account.isVerified),
                bit(account.isSuspended), bit(account.isOperator), .integer(account.created),
            ])
        return database.changes == 1
    }

    private static func optional(_ text: String?) -> LocalValue { text.map { .text($0) } ?? .null }

    private static func bit(_ value: Bool) -> LocalValue { .integer(value ? 1 : 0) }

    static func find(user: String, _ database: LocalDatabase) throws(LocalFailure) -> Account? {
        try database.rows("SELECT \(columns) FROM account WHERE user = ?", [.text(user)], account).first
    }

    static func find(email: String, _ database: LocalDatabase) throws(LocalFailure) -> Account? {
        try database.rows("SELECT \(columns) FROM account WHERE email = ?", [.text(email)], account).first
    }

    static func rename(_ user: String, _ name: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET name = ? WHERE user = ?", [.text(name), .text(user)])
    }

    static func setLanguage(_ user: String, _ tag: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET language = ? WHERE user = ?", [.text(tag), .text(user)])
    }

    static func verify(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET verified = 1 WHERE user = ?", [.text(user)])
    }

    static func setHash(_ user: String, _ hash: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE account SET hash = ? WHERE user = ?", [.text(hash), .text(user)])
    }

    /// Sessions and links go with it.
    static func delete(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM account WHERE user = ?", [.text(user)])
    }
}
