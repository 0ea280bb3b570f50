import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// Commands that only read leave every file of a store's folder as it is, in whatever state the store was left.
@Suite struct ReadOnlyCommandTests {
    enum Command: String, CaseIterable {
        case verify, export, backup, dryRun, dryUndo
    }

    enum Left: String, CaseIterable {
        case closed, killed, killedWithoutIndex, emptyLog, emptyLogWithIndex, indexAlone, linked, emptied
        case emptiedBesideLog, truncated, zeros, foreign, withJournal
    }

    private static let kind = ContactKind("trainer/client")

    private func run(_ command: Command, on path: String, to other: Scratch) throws {
        switch command {
        case .verify: _ = try StoreVerifier.run(path, progress: noProgress)
        case .export:
            _ = try StoreExporter.run(path, scope: .all, to: other.path(), now: 5, progress: noProgress)
        case .backup: _ = try StoreBackup.run(from: path, to: other.path(), progress: noProgress)
        case .dryRun: _ = try ContactInference.tryOut(path, kind: Self.kind, groups: true, progress: noProgress)
        case .dryUndo: _ = try ContactInference.tryUndo(path, kind: Self.kind)
        }
    }

    /// A store of which commits are in the write-ahead log alone, left in this way. Returns its path.
    private func leave(_ left: Left, in scratch: Scratch) throws -> String {
        let source = try Scratch()
        let log = try SQLiteLog.random(source.path(), seed: 3)
        _ = try log.load()
        for suffix in ["", "-wal", "-shm", ".lock"] {
            try FileManager.default.copyItem(atPath: source.path() + suffix, toPath: scratch.path() + suffix)
        }
        log.close()
        let path = scratch.path()
        func remove(_ suffix: String) throws { try FileManager.default.removeItem(atPath: path + suffix) }
        func write(_ bytes: Data, _ suffix: String) throws {
            try bytes.write(to: URL(fileURLWithPath: path + suffix))
            // As SQLite makes it: it mends the mode of an empty file that has another one than the database.
            chmod(path + suffix, 0o600)
        }
        /// Leaves the files in the state after a clean stop.
        func close() throws {
            for suffix in ["", "-wal", "-shm", ".lock"] { try remove(suffix) }
            for suffix in ["", ".lock"] {
                try FileManager.default.copyItem(atPath: source.path() + suffix, toPath: path + suffix)
            }
        }
        switch left {
        case .killed: break
        case .killedWithoutIndex: try remove("-shm")
        case .linked:
            try FileManager.default.createSymbolicLink(atPath: scratch.path("link.db"), withDestinationPath: path)
            return scratch.path("link.db")
        case .emptiedBesideLog:
            try write(Data(), "")
            try remove(".lock")
        default: try close()
        }
        switch left {
        case .emptyLog: try write(Data(), "-wal")
        case .emptyLogWithIndex:
            try write(Data(), "-wal")
            try write(Data(repeating: 0, count: 32_768), "-shm")
        case .indexAlone: try write(Data(repeating: 0, count: 32_768), "-shm")
        case .emptied: try write(Data(), "")
        case .truncated: try write(Data(contentsOf: URL(fileURLWithPath: path)).prefix(20_000), "")
        case .zeros: try write(Data(repeating: 0, count: 8_192), "")
        case .foreign: try write(Data("another program's".utf8), "")
        case .withJournal: try write(Data(repeating: 7, count: 1_024), "-journal")
        default: break
        }
        return path
    }

    @Test(arguments: Left.allCases, Command.allCases)
    func commandsThatReadChangeNothing(left: Left, command: Command) throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let path = try leave(left, in: scratch)
        let before = try FolderState(scratch)
        let result = Result { try run(command, on: path, to: other) }
        #expect(try FolderState(scratch).differences(from: before) == [])
        switch left {
        case .closed, .killed, .killedWithoutIndex, .emptyLog, .emptyLogWithIndex, .indexAlone, .linked:
            #expect(throws: Never.self) { try result.get() }
        case .emptied, .emptiedBesideLog:
            let failure = #expect(throws: StorageFailure.self) { try result.get() }
            guard case .emptied(path, _)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        case .truncated, .zeros, .foreign, .withJournal: break
        }
    }

    /// Commits that only the write-ahead log has are read, too.
    @Test(arguments: [Left.killed, .killedWithoutIndex, .linked])
    func commitsOfTheLogAreRead(left: Left) throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let path = try leave(left, in: scratch)
        let backup = try StoreBackup.run(from: path, to: other.path(), progress: noProgress)
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        #expect(try log.load().head.value == backup.head && backup.head > 50)
        #expect(try StoreVerifier.run(other.path(), progress: noProgress).rows == Int64(log.storedRows()))
    }

    /// A relay that starts while a command reads isn't kept out, and the command sees one state to its end.
    @Test func aRelayCanStartMeanwhile() throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let path = try leave(.closed, in: scratch)
        nonisolated(unsafe) var log: SQLiteLog?
        let result = try StoreBackup.run(from: path, to: other.path()) { _ in
            if log == nil { log = try? SQLiteLog(path: path, durability: .full) }
            _ = try? log?.writer.commit([.append(creation(9_999))])
        }
        #expect(log?.writer.head ?? 0 > result.head)
        log?.close()
        #expect(try StoreVerifier.run(other.path(), progress: noProgress).isSound)
        #expect(try StoreVerifier.run(path, progress: noProgress).isSound)
    }
}
