/// Number of unread messages where nothing is muted, from the relay's last word (Docs/Protocol.md, section 7), kept for
/// starts without a network. This device's own count only subtracts what was read here, or has disappeared, and the
/// relay doesn't know yet. It belongs to the thread of its store.
public final class LocalBadge {
    private let database: LocalDatabase

    static let migrations = [
        LocalMigration(
            name: "7 badge",
            sql: """
                ALTER TABLE identity ADD COLUMN badge INTEGER;
                ALTER TABLE identity ADD COLUMN is_live INTEGER NOT NULL DEFAULT 0;
                """)
    ]

    init(database: LocalDatabase) { self.database = database }

    /// Returns the number to show.
    /// - Parameter own: this device's own count. It is less than the relay's as long as something is missing here, and
    ///   is ignored then; if the relay has sent no number yet, it is all there is.
    public func shown(own: Int) throws(LocalFailure) -> Int {
        let (told, isWhole) = try read()
        guard let told else { return max(0, own) }
        return isWhole ? max(0, min(told, own)) : told
    }

    /// The relay's last number; nil as long as it has sent none to this user here.
    public func told() throws(LocalFailure) -> Int? { try read().told }

    // Nothing is missing if all conversations are here as they are now, and all events had come before the last session
    // ended.
    private func read() throws(LocalFailure) -> (told: Int?, isWhole: Bool) {
        try database.rows(
            """
            SELECT badge, is_live AND is_listed AND NOT EXISTS (SELECT 1 FROM conversation WHERE is_stale)
            FROM identity
            """
        ) { ($0.isNull(0) ? nil : Int(clamping: $0.integer(0)), $0.integer(1) != 0) }.first ?? (nil, false)
    }

    /// Notes that a session has begun, and what this device missed follows. Nil if the relay sends the number later.
    func begin(_ told: Int?) throws(LocalFailure) {
        try database.run(
            "UPDATE identity SET badge = ?, is_live = 0", [told.map { .integer(Int64($0)) } ?? .null])
    }

    /// Everything that was missed has come.
    func noteLive() throws(LocalFailure) { try database.run("UPDATE identity SET is_live = 1 WHERE is_live = 0") }

    /// The number has changed.
    func take(_ told: Int) throws(LocalFailure) {
        try database.run("UPDATE identity SET badge = ?", [.integer(Int64(told))])
    }
}
