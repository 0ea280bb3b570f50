import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// A file of 0 bytes where a store was, or no file, isn't taken for a new store: not by a relay and not by any command.
@Suite struct EmptiedStoreTests {
    enum Command: String, CaseIterable {
        case serve, reindex, erase, importLines, infer, undo, verify, export, backup
    }

    private func run(_ command: Command, on path: String, in other: Scratch) throws {
        let kind = ContactKind("trainer/client")
        switch command {
        case .serve: try SQLiteLog(path: path, durability: .full).close()
        case .reindex: _ = try StoreReindexer.run(path, durability: .full, progress: noProgress)
        case .erase:
            _ = try UserEraser.run(path, user: "u1", durability: .full, now: 5, progress: noProgress)
        case .importLines:
            _ = try StoreImporter.run(other.path("lines"), into: path, durability: .full, progress: noProgress)
        case .infer: _ = try ContactInference.apply(path, kind: kind, durability: .full, progress: noProgress)
        case .undo: _ = try ContactInference.undo(path, kind: kind, durability: .full)
        case .verify: _ = try StoreVerifier.run(path, progress: noProgress)
        case .export:
            _ = try StoreExporter.run(path, scope: .all, to: other.path("new"), now: 5, progress: noProgress)
        case .backup: _ = try StoreBackup.run(from: path, to: other.path("new"), progress: noProgress)
        }
    }

    private func lines(in other: Scratch) throws {
        try SQLiteLog.random(other.path(), seed: 4, batches: 20).close()
        _ = try other.export("roost.db", to: "lines")
    }

    @Test(arguments: Command.allCases)
    func anEmptiedStoreIsRefusedByItsNote(command: Command) throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        try lines(in: other)
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        _ = try log.load()
        _ = try log.commit([creation(), message()])
        log.close()
        try Data().write(to: URL(fileURLWithPath: scratch.path()))
        let before = try FolderState(scratch)
        let failure = #expect(throws: StorageFailure.self) { try run(command, on: scratch.path(), in: other) }
        #expect(failure == .emptied(path: scratch.path(), trace: .note(position: 2)))
        #expect(try FolderState(scratch).differences(from: before) == [])
        #expect("\(failure ?? .closed)".contains("has 0 bytes") && "\(failure ?? .closed)".contains("position 2"))
    }

    /// After a kill, all commits may be in the write-ahead log alone, which SQLite would delete.
    @Test(arguments: Command.allCases)
    func anEmptiedStoreIsRefusedByItsLog(command: Command) throws {
        let (scratch, other, source) = (try Scratch(), try Scratch(), try Scratch())
        try lines(in: other)
        let log = try SQLiteLog(path: source.path(), durability: .full)
        _ = try log.commit([creation(), message()])
        defer { log.close() }
        try FileManager.default.copyItem(atPath: source.path() + "-wal", toPath: scratch.path() + "-wal")
        try Data().write(to: URL(fileURLWithPath: scratch.path()))
        // Without what is in it, so that only the log shows the loss.
        try Data().write(to: URL(fileURLWithPath: scratch.path() + ".lock"))
        let before = try FolderState(scratch)
        let failure = #expect(throws: StorageFailure.self) { try run(command, on: scratch.path(), in: other) }
        let real = Ownership.realPath(of: scratch.path())
        #expect(failure == .emptied(path: scratch.path(), trace: .log(path: real + "-wal")))
        #expect(try FolderState(scratch).differences(from: before) == [])
    }

    /// No file at all, but a log.
    @Test func aStoreThatIsGoneIsRefusedByItsLog() throws {
        let (scratch, source) = (try Scratch(), try Scratch())
        let log = try SQLiteLog(path: source.path(), durability: .full)
        _ = try log.commit([creation(), message()])
        defer { log.close() }
        let path = scratch.path()
        try FileManager.default.copyItem(atPath: source.path() + "-wal", toPath: path + "-wal")
        #expect(throws: StorageFailure.missing(path: path, trace: .log(path: path + "-wal"))) {
            try SQLiteLog(path: path, durability: .full)
        }
        #expect(StoreFile.byteCount(path + "-wal") > 0)
    }

    @Test func aBackupIsRestoredInPlaceOfIt() throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let log = try SQLiteLog.random(scratch.path(), seed: 5)
        _ = try log.load()
        _ = try StoreBackup.run(from: scratch.path(), to: other.path(), progress: noProgress)
        log.close()
        try Data().write(to: URL(fileURLWithPath: scratch.path()))
        _ = try StoreRestore.run(from: other.path(), to: scratch.path(), stamp: "1", progress: noProgress)
        try scratch.expectSound("roost.db")
    }

    /// A new file without any trace: a relay begins in it, and nothing else takes it for a store.
    @Test func aNewEmptyFileIsNoStoreYet() throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        for command in Command.allCases where command != .serve && command != .importLines {
            try Data().write(to: URL(fileURLWithPath: scratch.path()))
            #expect(throws: ToolFailure.empty(path: scratch.path())) {
                try run(command, on: scratch.path(), in: other)
            }
            #expect(try FolderState(scratch).files.keys.sorted() == ["roost.db"])
        }
        try run(.serve, on: scratch.path(), in: other)
    }
}
