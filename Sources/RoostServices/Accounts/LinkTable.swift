import RoostStore

/// The purpose of a one-time link.
package enum LinkPurpose: String, Sendable {
    /// To confirm an address, and to choose a new password. They are their account's.
    case verify, reset
    /// To sign in as the owner of this server, and to get an account. They belong to no account yet.
    case owner, friend
    /// A link of no account and no use: written for an address without an account.
    case decoy
    /// To sign in as the account's owner, who has no other way in.
    case entry
    /// No link, but a ticket for the second step of a sign-in.
    case factor

    /// Those of an account by which one gets into it. They end when its password is changed.
    static let waysIn: [LinkPurpose] = [.reset, .entry, .factor]
}

/// The statements about one-time links. Each is valid once: reading it for use deletes it.
enum LinkTable {
    /// A link as its owner may see it.
    struct Row: Sendable {
        var purpose: String
        var expires: Int64
    }

    static func insert(
        _ hash: [UInt8], user: String?, purpose: LinkPurpose, expires: Int64, keep: Int, _ database: LocalDatabase
    ) throws(LocalFailure) {
        let user: LocalValue = user.map { .text($0) } ?? .null
        try database.run(
            "INSERT INTO link(hash, user, purpose, expires) VALUES (?, ?, ?, ?)",
            [.bytes(hash), user, .text(purpose.rawValue), .integer(expires)])
        // The new one stays, also if others end at the same time.
        try database.run(
            """
            DELETE FROM link WHERE hash IN (
                SELECT hash FROM link WHERE user IS ? AND purpose = ? AND hash <> ?
                ORDER BY expires DESC, hash LIMIT -1 OFFSET ?)
            """,
            [user, .text(purpose.rawValue), .bytes(hash), .integer(Int64(keep - 1))])
    }

    static func isGood(
        _ hash: [UInt8], _ purpose: LinkPurpose, now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> Bool {
        try !database.rows(
            "SELECT 1 FROM link WHERE hash = ? AND purpose = ? AND expires > ?",
            [.bytes(hash), .text(purpose.rawValue), .integer(now)]
        ) { _ in }.isEmpty
    }

    /// The account of a link, if the link is valid.
    static func user(
        _ hash: [UInt8], _ purpose: LinkPurpose, now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> String? {
        try database.rows(
            "SELECT user FROM link WHERE hash = ? AND purpose = ? AND user IS NOT NULL AND expires > ?",
            [.bytes(hash), .text(purpose.rawValue), .integer(now)]
        ) { $0.text(0) }.first
    }

    /// The account of a link, and the link's end, if it is valid. It stays valid.
    static func find(
        _ hash: [UInt8], _ purpose: LinkPurpose, now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> (user: String, expires: Int64)? {
        try database.rows(
            "SELECT user, expires FROM link WHERE hash = ? AND purpose = ? AND expires > ? AND user IS NOT NULL",
            [.bytes(hash), .text(purpose.rawValue), .integer(now)]
        ) { (user: $0.text(0), expires: $0.integer(1)) }.first
    }

    /// Uses up a link of no account. Returns whether it was valid.
    static func take(
        _ hash: [UInt8], _ purpose: LinkPurpose, ofNobody now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> Bool {
        try !database.rows(
            "DELETE FROM link WHERE hash = ? AND purpose = ? AND user IS NULL AND expires > ? RETURNING 1",
            [.bytes(hash), .text(purpose.rawValue), .integer(now)]
        ) { _ in }.isEmpty
    }

    /// Uses a link up. Returns whose it was.
    static func take(
        _ hash: [UInt8], _ purpose: LinkPurpose, now: Int64, _ database: LocalDatabase
    ) throws(LocalFailure) -> String? {
        try database.rows(
            "DELETE FROM link WHERE hash = ? AND purpose = ? AND expires > ? RETURNING user",
            [.bytes(hash), .text(purpose.rawValue), .integer(now)]
        ) { $0.text(0) }.first
    }

    /// Links that were mailed or handed over. Tickets aren't.
    static func all(_ user: String, _ database: LocalDatabase) throws(LocalFailure) -> [Row] {
        try database.rows(
            "SELECT purpose, expires FROM link WHERE user = ? AND purpose <> ? ORDER BY expires",
            [.text(user), .text(LinkPurpose.factor.rawValue)]
        ) { Row(purpose: $0.text(0), expires: $0.integer(1)) }
    }

    static func deleteAll(_ user: String, _ purpose: LinkPurpose, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM link WHERE user = ? AND purpose = ?", [.text(user), .text(purpose.rawValue)])
    }

    static func deleteOld(now: Int64, _ database: LocalDatabase) throws(LocalFailure) {
        try database.run("DELETE FROM link WHERE expires <= ?", [.integer(now)])
    }
}
