/// Removes the rows that an erased conversation has in a table, a bounded number in each transaction. On the writer's
/// thread.
struct ErasedRows {
    private let delete: Statement
    private let database: Database

    /// - Parameter key: the columns of the table's primary key, of which `conversation` is the first.
    init(of table: String, key: String, _ database: Database) throws {
        self.database = database
        delete = try database.prepare(
            """
            DELETE FROM \(table) WHERE (\(key)) IN (
                SELECT \(key) FROM \(table) WHERE conversation = ?1 LIMIT ?2)
            """)
    }

    /// Removes up to `limit` rows of the conversation. Returns whether there were any.
    func remove(of conversation: Int32, limit: Int) throws -> Bool {
        delete.bind(1, conversation)
        delete.bind(2, Int64(limit))
        try delete.run()
        return database.changes > 0
    }
}
