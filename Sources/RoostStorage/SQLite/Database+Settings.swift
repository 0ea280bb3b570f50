import CSQLite
import RoostWire

extension Database {
    /// Bytes of a page. SQLite's default; it is also what most file systems and disks write as one.
    static let pageBytes = 4_096

    /// Brings the connection that writes to the wanted durability, and reads every setting back: SQLite answers a
    /// refused PRAGMA with the old value, not with an error (sqlite.org/pragma.html).
    func configureForWriting(_ durability: Durability, walFramesMax: Int) throws {
        // Only counts for a new file.
        try execute("PRAGMA page_size = \(Database.pageBytes)")
        // Erased bodies are overwritten with zeros, freed overflow pages included: the protocol promises it. Appends
        // free nothing, so they don't pay for it.
        try set("secure_delete", "1")
        try set("journal_mode", durability == .memory ? "memory" : "wal")
        try setSynchronous(durability)
        // What the WAL file is cut to when it starts anew: the size that it has at most, unless a reader is in the way.
        try set("journal_size_limit", Database.walBytes(frames: walFramesMax).description)
        // For the directory and the ends of the conversations. More costs more: below 1 GiB, SQLite looks through all
        // of the cache at the end of a transaction that divides a page of an index.
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
