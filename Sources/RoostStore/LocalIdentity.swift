/// The device's user and name, and its position in the log.
public struct LocalIdentity: Sendable, Equatable {
    /// The name of the device, for `hello`.
    public var device: String
    /// The user whose messages these are; nil before the first session and after a sign-out.
    public var user: String?
    /// The log that everything belongs to.
    public var epoch: String?
    /// Everything up to here is in the store. For `hello`, as `resume`.
    public var position: String?
    /// Whether all of the user's conversations are here.
    public var isListed = false
    /// By how many milliseconds the relay's clock was ahead of this device's when the last session began.
    public var clockAhead: Int64 = 0

    /// The newest message that the relay has sent: if the log goes back, this is the first one that is missing.
    public var newest: KnownMessage?

    // After those of all other columns, so that they follow each other alike in every file.
    static let migrations = [
        LocalMigration(
            name: "15 sum of the identity",
            sql: """
                ALTER TABLE identity ADD COLUMN checksum INTEGER;
                UPDATE identity SET checksum = roost_row_sum(device, user, epoch)
                """),
        LocalMigration(
            name: "16 newest message",
            sql: """
                ALTER TABLE identity ADD COLUMN newest_conversation TEXT;
                ALTER TABLE identity ADD COLUMN newest_sequence INTEGER;
                ALTER TABLE identity ADD COLUMN newest_from TEXT;
                ALTER TABLE identity ADD COLUMN newest_time INTEGER;
                ALTER TABLE identity ADD COLUMN newest_key TEXT;
                """),
    ]

    static let insert = "INSERT OR IGNORE INTO identity(id, device, user, epoch) VALUES (?, ?, ?, ?)"

    /// Says that device, user and log are as they were written. Called in the transaction that changes one.
    static func seal(_ database: LocalDatabase) throws(LocalFailure) {
        try database.run("UPDATE identity SET checksum = roost_row_sum(device, user, epoch)")
    }

    static let hasChanged = "SELECT 1 FROM identity WHERE checksum IS NOT roost_row_sum(device, user, epoch)"

    /// Whether these can be the columns of the table's row.
    static func isRow(_ values: [LocalValue]) -> Bool {
        guard (6...16).contains(values.count), case .integer(1) = values[0], case .text(let device) = values[1],
            case .integer = values[5]
        else { return false }
        // The relay's rule for names (Docs/Protocol.md, section 2).
        let isName = (1...64).contains(device.utf8.count) && device.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isName && values[2...4].allSatisfy(\.isTextOrNull)
    }

    /// The number, device, user and log of such a row, and its checksum.
    static func kept(of values: [LocalValue]) -> [LocalValue] {
        Array(values.prefix(4)) + [values.count > 10 ? values[10] : .null]
    }

    /// Whether what `kept` has is as it was written.
    static func isSound(_ kept: [LocalValue], on database: LocalDatabase) throws(LocalFailure) -> Bool {
        try database.rows("SELECT roost_row_sum(?, ?, ?) IS ?", Array(kept.dropFirst())) { $0.integer(0) != 0 }
            .contains(true)
    }

    static func read(_ database: LocalDatabase) throws(LocalFailure) -> LocalIdentity? {
        try database.rows(
            """
            SELECT device, user, epoch, position, is_listed, clock_ahead, \(KnownMessage.columns) FROM identity
            """
        ) { row in
            LocalIdentity(
                device: row.text(0), user: row.isNull(1) ? nil : row.text(1), epoch: row.isNull(2) ? nil : row.text(2),
                position: row.isNull(3) ? nil : row.text(3), isListed: row.integer(4) != 0,
                clockAhead: row.integer(5), newest: KnownMessage.read(row, at: 6))
        }.first
    }
}
