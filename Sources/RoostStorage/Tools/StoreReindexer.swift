import RoostWire

/// Makes anew whatever is derived from the log, for a store that no relay has open.
public struct StoreReindexer {
    /// Does the work; returns how many rows the log has.
    public static func run(
        _ path: String, durability: Durability, progress: @escaping ToolProgress.Report
    ) throws -> Int64 {
        try StoreFile.checkExists(path)
        progress(ToolProgress("indexing", 0, of: 0))
        let reporter = StorageReporter { notice in
            // The store reports its progress in notices of its own.
            if notice.kind == .progress { progress(ToolProgress(notice.text, 0, of: 0)) }
        }
        try SQLiteLog.reindex(path: path, durability: durability, reporter: reporter)
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        return Int64(try database.value("SELECT count(*) FROM log") ?? "") ?? 0
    }
}
