import CSQLite
import RoostWire

extension Database {
    /// Bytes of a page. Twice SQLite's default: a commit of many rows writes half as many pages, each of which costs
    /// system calls on the way to the log and again to the database. With 16 KiB, commits of single rows cost more.
    static let pageBytes = 8_192

    /// Sets up the writing connection for the wanted durability, and reads every setting back: SQLite answers a refused
    /// PRAGMA with the old value instead of an error (sqlite.org/pragma.html).
    func configureForWriting(_ durability: Durability, walFramesMax: Int) throws {
        // Only has an effect on a new file.
        try execute("PRAGMA page_size = \(Database.pageBytes)")
        // Overwrites erased bodies with zeros, including freed overflow pages, as the protocol promises. Appends free
        // no pages, so this costs them nothing.
        try set("secure_delete", "1")
        try set("journal_mode", durability == .memory ? "memory" : "wal")
        try setSynchronous(durability)
        // The size to which the WAL file is cut when it starts anew: its usual maximum.
        try set("journal_size_limit", Database.walBytes(frames: walFramesMax).description)
        // For the directory and the ends of conversations. A larger cache is slower: below 1 GiB, SQLite searches the
        // whole cache at the end of a transaction that splits a page of an index.
        try set("cache_size", "-16384")
        try set("temp_store", "2")
        try set("trusted_schema", "0")
    }

    /// Settings of the connection that copies the WAL.
    func configureForCopying(_ durability: Durability) throws {
        try setSynchronous(durability)
    }

    /// Settings of the connection that reads.
    func configureForReading() throws {
        try set("query_only", "1")
        try set("cache_size", "-16384")
        try set("trusted_schema", "0")
    }

    private func setSynchronous(_ durability: Durability) throws {
        switch durability {
        case .full: try set("synchronous", "2")
        case .normal: try set("synchronous", "1")
        case .memory: try set("synchronous", "0")
        }
    }

    private func set(_ setting: String, _ wanted: String) throws {
        try execute("PRAGMA \(setting) = \(wanted)")
        let got = try value("PRAGMA \(setting)") ?? "nothing"
        guard got == wanted else {
            throw StorageFailure.settingRefused(path: path, setting: setting, wanted: wanted, got: got)
        }
    }
}
