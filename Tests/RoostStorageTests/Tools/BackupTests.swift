import Foundation
import RoostCore
import RoostWire
import Synchronization
import Testing

@testable import RoostStorage

/// A backup is one consistent state of a store that is being written. A restore puts it in the place of another store
/// without mixing the two.
@Suite struct BackupTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// The relay commits between any two steps of the copy.
    @Test func endsWhileTheStoreIsWritten() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(scratch.path(), .normal, StorageBounds())
        _ = try log.writer.commit(RandomContent.directory)
        _ = try log.commit([group(1)] + (1...30_000).map { _ in message(String(repeating: "x", count: 300)) })
        let head = try log.storedRows()
        nonisolated(unsafe) let written = log
        let commits = Mutex(0)
        let result = try StoreBackup.run(from: scratch.path(), to: scratch.path("copy")) { _ in
            _ = try? written.commit([message("meanwhile")])
            commits.withLock { $0 += 1 }
        }
        #expect(commits.withLock { $0 } > 2)
        #expect(try log.storedRows() > head)
        log.close()
        #expect(result.head == Int64(head))
        #expect(try mode(scratch.path("copy")) == 0o600)
        let report = try StoreVerifier.run(scratch.path("copy"), progress: noProgress)
        #expect(report.isSound && report.rows == Int64(head))
        // A single file, which needs no other beside it.
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path)
        #expect(names.filter { $0.hasPrefix("copy") } == ["copy"])
        let database = try Database(path: scratch.path("copy"))
        #expect(try database.value("PRAGMA journal_mode") == "delete")
        database.close()
    }

    @Test func replacesNothing() throws {
        let scratch = try Scratch()
        try SQLiteLog.random(scratch.path(), seed: 1, batches: 10).close()
        try Data("precious".utf8).write(to: URL(fileURLWithPath: scratch.path("copy")))
        #expect(throws: ToolFailure.exists(path: scratch.path("copy"))) {
            try StoreBackup.run(from: scratch.path(), to: scratch.path("copy"), progress: noProgress)
        }
        // A file that appears during the copy isn't replaced either.
        let late = scratch.path("late")
        #expect(throws: ToolFailure.exists(path: late)) {
            try StoreBackup.run(from: scratch.path(), to: late) { _ in
                try? Data("precious".utf8).write(to: URL(fileURLWithPath: late))
            }
        }
        for name in ["copy", "late"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path(name))) == Data("precious".utf8))
        }
        #expect(!FileManager.default.fileExists(atPath: late + ".partial"))
    }

    /// The draft that a killed backup left is overwritten. The draft of a running one isn't.
    @Test func aDraftIsUsedAgain() throws {
        let scratch = try Scratch()
        try SQLiteLog.random(scratch.path(), seed: 1, batches: 10).close()
        let draft = scratch.path("copy.partial")
        try Data(repeating: 7, count: 1 << 20).write(to: URL(fileURLWithPath: draft))
        let held = try NewFile(at: scratch.path("copy"))
        #expect(throws: ToolFailure.beingWritten(path: draft)) {
            try StoreBackup.run(from: scratch.path(), to: scratch.path("copy"), progress: noProgress)
        }
        withExtendedLifetime(held) {}
    }

    @Test func aCopyOfADraftThatAKillLeft() throws {
        let scratch = try Scratch()
        try SQLiteLog.random(scratch.path(), seed: 1, batches: 10).close()
        let draft = scratch.path("copy.partial")
        try Data(repeating: 7, count: 1 << 20).write(to: URL(fileURLWithPath: draft))
        _ = try StoreBackup.run(from: scratch.path(), to: scratch.path("copy"), progress: noProgress)
        #expect(try mode(scratch.path("copy")) == 0o600)
        #expect(try StoreVerifier.run(scratch.path("copy"), progress: noProgress).isSound)
    }

    // MARK: Restore

    /// A store that was killed after its backup `copy` was made: its write-ahead log has rows that the backup doesn't
    /// have. Returns its path, the content of the backup, and its own content.
    private func makeKilled(_ scratch: Scratch) throws -> (path: String, backup: [String], own: [String]) {
        let (log, backup) = try makeBackup(scratch, seed: 3, batches: 60)
        let lost = try log.load().conversations.first?.number.value ?? 1
        _ = try log.commit((1...400).map { _ in message("lost", in: lost) })
        let own = try log.contents()
        let path = try scratch.crashCopy(of: "live", as: "roost.db")
        log.close()
        return (path, backup, own)
    }

    /// An open store `live`, and its backup `copy` with the same content, which is returned.
    private func makeBackup(
        _ scratch: Scratch, seed: UInt64, batches: Int
    ) throws -> (log: SQLiteLog, content: [String]) {
        let log = try SQLiteLog.random(scratch.path("live"), seed: seed, batches: batches)
        _ = try StoreBackup.run(from: scratch.path("live"), to: scratch.path("copy"), progress: noProgress)
        return (log, try log.contents())
    }

    @Test func restoresOverAStoreThatWasKilled() throws {
        let scratch = try Scratch()
        let (killed, wanted, old) = try makeKilled(scratch)
        let before = try Database(path: scratch.path("copy")).value("SELECT value FROM meta WHERE name = 'epoch'")
        let result = try StoreRestore.run(
            from: scratch.path("copy"), to: killed, stamp: "now", progress: noProgress)
        #expect(result.kept == killed + ".before-now")
        #expect(result.oldEpoch == before && result.newEpoch != before && result.newEpoch.utf8.count == 8)
        for suffix in ["-wal", "-shm", ".restoring", ".restoring.partial"] {
            #expect(!FileManager.default.fileExists(atPath: killed + suffix))
        }
        #expect(try mode(killed) == 0o600)
        #expect(try StoreVerifier.run(killed, progress: noProgress).isSound)
        let restored = try SQLiteLog(killed, .normal, .tiny)
        #expect(try restored.contents() == wanted)
        restored.close()
        let kept = try SQLiteLog(killed + ".before-now", .normal, .tiny)
        #expect(try kept.contents() == old)
        kept.close()
    }

    /// Shows why copying the file isn't enough, as a control for the test above.
    @Test func aCopyOverAStoreThatWasKilledIsAMixture() throws {
        let scratch = try Scratch()
        let (killed, wanted, _) = try makeKilled(scratch)
        try FileManager.default.removeItem(atPath: killed)
        try FileManager.default.copyItem(atPath: scratch.path("copy"), toPath: killed)
        let mixed = try? SQLiteLog(killed, .normal, .tiny).contents()
        #expect(mixed != wanted)
    }

    @Test func refusesWhatIsDamagedAndChangesNothing() throws {
        let scratch = try Scratch()
        try SQLiteLog.random(scratch.path(), seed: 1, batches: 30).close()
        _ = try StoreBackup.run(from: scratch.path(), to: scratch.path("copy"), progress: noProgress)
        let copy = try Database(path: scratch.path("copy"))
        try copy.execute("UPDATE log SET device = device || device WHERE position = (SELECT max(position) FROM log)")
        copy.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.path()))
        let failure = #expect(throws: ToolFailure.self) {
            try StoreRestore.run(
                from: scratch.path("copy"), to: scratch.path(), stamp: "now", progress: noProgress)
        }
        guard case .damagedBackup(_, let finding, 1) = failure else {
            Issue.record("refused for another reason: \(String(describing: failure))")
            return
        }
        #expect(finding.hasPrefix("log, position"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path())) == before)
        #expect(throws: ToolFailure.sameFile(path: scratch.path())) {
            try StoreRestore.run(from: scratch.path(), to: scratch.path(), stamp: "now", progress: noProgress)
        }
        #expect(throws: ToolFailure.noStore(path: scratch.path("none"))) {
            try StoreRestore.run(from: scratch.path("none"), to: scratch.path(), stamp: "now", progress: noProgress)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).sorted()
        #expect(names == ["copy", "roost.db", "roost.db.lock"])
    }

    @Test func restoresWhereThereIsNone() throws {
        let scratch = try Scratch()
        let (log, wanted) = try makeBackup(scratch, seed: 2, batches: 30)
        log.close()
        let result = try StoreRestore.run(
            from: scratch.path("copy"), to: scratch.path(), stamp: "now", progress: noProgress)
        #expect(result.kept == nil)
        let restored = try SQLiteLog(scratch.path(), .normal, .tiny)
        #expect(try restored.contents() == wanted)
        restored.close()
    }

    /// Wherever a power cut ends a restore, either the old store opens, or no store opens until the restore was
    /// repeated.
    @Test func aRestoreThatWasCutShortIsDoneAgain() throws {
        let scratch = try Scratch()
        let (log, wanted) = try makeBackup(scratch, seed: 3, batches: 60)
        log.close()
        for step in ["nothing was moved", "the old one has its second name", "its write-ahead log is gone"] {
            let path = scratch.path(step)
            let old = try SQLiteLog.random(scratch.path("old \(step)"), seed: 4, batches: 60)
            _ = try scratch.crashCopy(of: "old \(step)", as: step)
            old.close()
            try FileManager.default.copyItem(
                atPath: scratch.path("copy"), toPath: StoreRestore.marker(of: path))
            if step != "nothing was moved" {
                for suffix in ["", "-wal"] {
                    try FileManager.default.linkItem(atPath: path + suffix, toPath: path + ".before-first" + suffix)
                }
            }
            if step == "its write-ahead log is gone" { try FileManager.default.removeItem(atPath: path + "-wal") }
            #expect(throws: StorageFailure.restoreUnderWay(marker: StoreRestore.marker(of: path))) {
                try SQLiteLog(path, .normal, .tiny)
            }
            _ = try StoreRestore.run(from: scratch.path("copy"), to: path, stamp: "second", progress: noProgress)
            let restored = try SQLiteLog(path, .normal, .tiny)
            #expect(try restored.contents() == wanted, "\(step)")
            restored.close()
        }
    }
}
