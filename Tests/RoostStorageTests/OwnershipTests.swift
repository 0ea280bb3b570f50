import Foundation
import RoostCore
import RoostWire
import Testing

@testable import RoostStorage

/// The owner of a store's files, and an operator's messages about it.
@Suite struct OwnershipTests {
    private func owner(_ path: String) throws -> UInt32 {
        var found = stat()
        try #require(stat(path, &found) == 0, "\(path)")
        return found.st_uid
    }

    /// On a new machine root restores into the empty folder of the relay's user, or imports into it.
    @Test(.enabled(if: geteuid() == 0)) func whatRootMakesBelongsToTheOwnerOfTheFolder() throws {
        let (source, scratch) = (try Scratch(), try Scratch())
        try SQLiteLog.random(source.path(), seed: 7).close()
        _ = try source.export("roost.db", to: "lines")
        #expect(chown(scratch.directory.path, 65_534, 65_534) == 0)
        _ = try StoreRestore.run(from: source.path(), to: scratch.path(), stamp: "1", progress: noProgress)
        _ = try StoreImporter.run(
            source.path("lines"), into: scratch.path("new.db"), durability: .full, progress: noProgress)
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path) {
            #expect(try owner(scratch.path(name)) == 65_534, "\(name)")
        }
        // A lock that an earlier command of root has left is given away, too.
        #expect(chown(scratch.path() + ".lock", 0, 0) == 0)
        _ = try StoreReindexer.run(scratch.path(), durability: .full, progress: noProgress)
        #expect(try owner(scratch.path() + ".lock") == 65_534)
    }

    @Test func aLockThatIsHeldIsAnotherRelay() throws {
        let scratch = try Scratch()
        let log = try SQLiteLog(path: scratch.path(), durability: .full)
        defer { log.close() }
        #expect(throws: StorageFailure.inUse(path: scratch.path())) {
            try SQLiteLog(path: scratch.path(), durability: .full)
        }
        #expect(FileLock.isHeld(for: scratch.path()))
    }

    @Test func modesThatLetOthersInAreNamed() throws {
        let scratch = try Scratch()
        let path = scratch.path()
        #expect(chmod(scratch.directory.path, 0o700) == 0)
        func warnings() throws -> [StorageNotice] {
            let notices = Notices()
            let log = try SQLiteLog(path: path, durability: .full, reporter: StorageReporter { notices.add($0) })
            log.close()
            return notices.all.filter { $0.kind == .permissions }
        }
        let before = umask(0o077)
        defer { umask(before) }
        #expect(try warnings().isEmpty)
        #expect(chmod(path, 0o644) == 0)
        #expect(try warnings().map(\.text).filter { $0.contains("mode 644") }.count >= 1)
        #expect(chmod(path, 0o640) == 0 && chmod(scratch.directory.path, 0o777) == 0)
        let found = try warnings()
        #expect(found.count == 1 && found[0].text.contains("mode 777 lets other users"), "\(found)")
        #expect(chmod(scratch.directory.path, 0o755) == 0)
        #expect(try warnings().isEmpty)
    }

    @Test func adviceFitsWhatFailed() {
        let failure = StorageFailure.failed(operation: "COMMIT", code: 778, message: "disk I/O error")
        #expect(failure.description.hasSuffix("check the disk, then restart the relay"))
        #expect(failure.commandDescription.hasSuffix("check the disk, then run the command again"))
        let full = StorageFailure.failed(operation: "COMMIT", code: 13, message: "database or disk is full")
        #expect(full.commandDescription.hasSuffix("make room on the disk, then run the command again"))
        let read = StorageFailure.failed(operation: "SELECT", code: 266, message: "disk I/O error")
        #expect(read.description.hasSuffix("check the disk") && read.isReadFailure && !read.isDamage)
    }

    private final class Notices: @unchecked Sendable {
        private let lock = NSLock()
        private var found: [StorageNotice] = []

        var all: [StorageNotice] { lock.withLock { found } }

        func add(_ notice: StorageNotice) { lock.withLock { found.append(notice) } }
    }
}
