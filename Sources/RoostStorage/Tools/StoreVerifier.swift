import CSQLite
import RoostCore

/// Reads all of a store and says what is damaged: pages, rows of the log, holes in it, and whatever is derived from it
/// but doesn't agree with it. Changes nothing, and may run beside a relay: it reads the log in short transactions, so
/// that the write-ahead log can begin anew in between, and compares in one at the end.
public struct StoreVerifier {
    /// Rows that are read in one transaction: some 20 ms.
    private static let rowsPerTransaction = 20_000
    /// Rows that may be left for the last transaction, and how often the log is read on until they are so few: a relay
    /// writes on.
    private static let rowsLeftMax = 100_000
    private static let roundsMax = 8
    /// Findings of SQLite's own check.
    private static let pageFindingsMax = 100

    private let database: Database
    private let progress: ToolProgress.Report
    private let log: LogVerifier
    private var report = VerifyReport()

    /// Verifies the store at `path`.
    /// - Throws: `ToolFailure` or `StorageFailure` if it can't be read at all, or is no store.
    public static func run(_ path: String, progress: @escaping ToolProgress.Report) throws -> VerifyReport {
        // A relay that writes on moves the note after the log.
        let note = StoreFile.note(beside: path)
        let database = try StoreFile.openForReading(path)
        defer { database.close() }
        var verifier = try StoreVerifier(database, progress)
        return try verifier.verify(note)
    }

    private init(_ database: Database, _ progress: @escaping ToolProgress.Report) throws {
        self.database = database
        self.progress = progress
        log = try LogVerifier(database)
    }

    private mutating func verify(_ note: LogNote.Content?) throws -> VerifyReport {
        try checkPages()
        // An indexed row doesn't become unindexed, so it can be read without holding on to one state of the store.
        var floor = try StoreFile.summary(of: database).keysTo
        for _ in 0..<StoreVerifier.roundsMax {
            try read(upTo: floor)
            let next = try StoreFile.summary(of: database).keysTo
            if next - floor <= StoreVerifier.rowsLeftMax { break }
            floor = next
        }
        try database.execute("BEGIN")
        let summary = try StoreFile.summary(of: database)
        let names = try DirectoryNames(database)
        log.update(names)
        try read(upTo: summary.keysTo)
        let keyed = log.audit
        try read(upTo: summary.indexedTo)
        let indexed = log.audit
        try read(upTo: summary.head)
        log.finish(&report)
        progress(ToolProgress("comparing", 0, of: 0))
        let derived = DerivedVerifier(
            database: database, names: names, summary: summary, keyed: keyed, indexed: indexed, now: log.audit,
            damaged: log.damagedPositions)
        try derived.verify(&report)
        if let note, note.epoch == summary.epoch, note.position > summary.head {
            report.add(
                "log", "position \(summary.head)",
                "is the last one, and the note beside the store has position \(note.position): what was stored last is "
                    + "lost", .restore)
        }
        database.rollBack()
        report.rows = log.audit.rows
        report.users = names.users.count
        report.conversations = names.conversations.count
        report.head = summary.head
        return report
    }

    /// Reads on, in slices.
    private mutating func read(upTo last: Int64) throws {
        while log.position < last {
            progress(ToolProgress("reading", log.position, of: last))
            if try log.read(upTo: last, rows: StoreVerifier.rowsPerTransaction, &report) { break }
        }
    }

    /// Runs SQLite's own check of pages, tables and indexes.
    private mutating func checkPages() throws {
        progress(ToolProgress("checking pages", 0, of: 0))
        let check = try database.prepare("PRAGMA integrity_check(\(StoreVerifier.pageFindingsMax))")
        do {
            while try check.step() {
                let text = check.text(0)
                if text != "ok" { add(text) }
            }
        } catch let failure as StorageFailure where failure.isDamage {
            add("\(failure)")
        }
    }

    private mutating func add(_ text: String) {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        report.add("database", "", "SQLite finds its pages damaged: \(line)", .restore)
    }
}
