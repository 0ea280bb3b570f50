import RoostStore

/// Users whose profiles are to be sent to the relay, and the changed parts. Triggers on `account` write it, so that
/// every change of an account does, in the same transaction.
enum ProfileTable {
    /// The parts that have changed since they were sent last. The numbers are those of the triggers.
    struct Parts: OptionSet, Sendable {
        let rawValue: Int64
        static let name = Parts(rawValue: 1)
        static let role = Parts(rawValue: 2)
        static let tier = Parts(rawValue: 4)
        /// The account is new.
        static let all: Parts = [.name, .role, .tier]
    }

    /// A profile to send.
    struct Due: Sendable {
        let user: String
        let parts: Parts
        /// Another one after each change.
        let serial: Int64
        /// Nil if the account was deleted.
        let account: Account?
    }

    /// The next of a user who isn't among those passed over: the one that waits longest.
    static func next(after serial: Int64, _ database: LocalDatabase) throws(LocalFailure) -> Due? {
        let due = try database.rows(
            "SELECT user, parts, serial FROM profile_due WHERE serial > ? ORDER BY serial LIMIT 1", [.integer(serial)]
        ) { row in (row.text(0), Parts(rawValue: row.integer(1)), row.integer(2)) }.first
        guard let (user, parts, serial) = due else { return nil }
        return Due(user: user, parts: parts, serial: serial, account: try AccountTable.find(user: user, database))
    }

    /// Deletes a sent row, unless the profile has changed since.
    static func delete(_ due: Due, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run(
            "DELETE FROM profile_due WHERE user = ? AND serial = ?", [.text(due.user), .integer(due.serial)])
    }

    /// Counts those that wait.
    static func count(_ database: LocalDatabase) throws(LocalFailure) -> Int {
        try database.rows("SELECT count(*) FROM profile_due") { Int($0.integer(0)) }.first ?? 0
    }
}
