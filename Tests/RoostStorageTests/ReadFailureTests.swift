import CSQLite
import Foundation
import RoostCore
import RoostWire
import Synchronization
import Testing

@testable import RoostStorage

/// The disk fails to read: the command is refused as `unavailable` and can be retried, and nothing is called damaged.
/// The system's own calls fail, as they do with EIO, since SQLite's file layer is part of what is tested.
@Suite(.serialized) struct ReadFailureTests {
    /// Makes reads of one file fail.
    private enum Disk {
        struct Fault {
            var inode: ino_t = 0
            /// Reads that fail, from now on.
            var count = 0
            var failed = 0
        }

        static let fault = Mutex(Fault())

        static func fails(_ descriptor: Int32) -> Bool {
            fault.withLock { fault in
                guard fault.count > 0 else { return false }
                var found = stat()
                guard fstat(descriptor, &found) == 0, found.st_ino == fault.inode else { return false }
                fault.count -= 1
                fault.failed += 1
                errno = EIO
                return true
            }
        }

        /// SQLite uses one or the other, as it was built.
        static func install() {
            typealias Call = @convention(c) () -> Void
            let read: @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int = { descriptor, bytes, count in
                Disk.fails(descriptor) ? -1 : Glibc.read(descriptor, bytes, count)
            }
            let pread: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int = {
                descriptor, bytes, count, offset in
                Disk.fails(descriptor) ? -1 : Glibc.pread(descriptor, bytes, count, offset)
            }
            guard let layer = sqlite3_vfs_find("unix"), let set = layer.pointee.xSetSystemCall else { return }
            _ = set(layer, "read", unsafeBitCast(read, to: Call.self))
            _ = set(layer, "pread", unsafeBitCast(pread, to: Call.self))
            _ = set(layer, "pread64", unsafeBitCast(pread, to: Call.self))
        }

        static func fail(_ path: String, reads: Int) {
            var found = stat()
            guard stat(path, &found) == 0 else { return }
            fault.withLock { $0 = Fault(inode: found.st_ino, count: reads) }
        }

        /// Reads work again. Returns how many have failed.
        static func mend() -> Int {
            fault.withLock { fault in
                defer { fault.count = 0 }
                return fault.failed
            }
        }
    }

    private static let text = String(repeating: "x", count: 900)

    /// A store that was opened a moment ago, so that nothing of its 400 messages is in the memory of a connection.
    private func opened(_ scratch: Scratch) throws -> SQLiteLog {
        do {
            let log = try SQLiteLog(scratch.path(), .full, StorageBounds())
            defer { log.close() }
            _ = try log.load()
            _ = try log.writer.commit([.user(UserNumber(1), name: "u1")])
            _ = try log.commit([creation()])
            _ = try log.commit((1...400).map { message(ReadFailureTests.text, key: "k\($0)") })
            while try log.writer.maintain() {}
            _ = try log.checkpoint()
        }
        let log = try SQLiteLog(scratch.path(), .full, StorageBounds())
        _ = try log.load()
        return log
    }

    @Test func aCommandOnARowThatCannotBeReadIsUnavailable() throws {
        Disk.install()
        let scratch = try Scratch()
        let log = try opened(scratch)
        defer { log.close() }
        Disk.fail(scratch.path(), reads: 1)
        let outcomes = try log.commit([about(.edit, 100), message("beside it")])
        #expect(Disk.mend() == 1)
        #expect(outcomes.first == .refused(.unavailable))
        // The rest of the batch is stored.
        #expect(position(outcomes.last) == 402)
        #expect(log.statistics.notices == [.readFailed: 1])
        // The retry succeeds.
        #expect(position(try log.commit([about(.edit, 100)]).first) == 403)
    }

    @Test func aQuestionThatCannotBeReadFailsAndHasNoGap() throws {
        Disk.install()
        let scratch = try Scratch()
        let log = try opened(scratch)
        defer { log.close() }
        Disk.fail(scratch.path(), reads: .max)
        #expect(throws: StorageFailure.self) { try log.history(1) }
        #expect(throws: StorageFailure.self) { try log.page(1) }
        #expect(Disk.mend() > 0)
        #expect(log.statistics.notices[.damagedRow] == nil && log.statistics.notices[.damagedIndex] == nil)
        #expect(try log.history(1).count == 400)
        #expect(try log.page(1).filter { $0.kind == .message }.count == 400)
    }

    /// A repeated key is looked for in the index: without an answer from the disk, the command isn't stored twice.
    @Test func aRetryIsUnavailableWhileTheIndexCannotBeRead() throws {
        Disk.install()
        let scratch = try Scratch()
        let log = try opened(scratch)
        defer { log.close() }
        Disk.fail(scratch.path(), reads: .max)
        let outcomes = Result { try log.commit([message(ReadFailureTests.text, key: "k7")]) }
        #expect(Disk.mend() > 0)
        #expect(try outcomes.get() == [.refused(.unavailable)])
        #expect(log.statistics.notices[.damagedIndex] == nil && log.statistics.notices[.damagedRow] == nil)
        guard case .duplicate? = try log.commit([message(ReadFailureTests.text, key: "k7")]).first else {
            Issue.record("it was stored twice")
            return
        }
    }

    @Test func verifySaysThatTheDiskFailed() throws {
        Disk.install()
        let scratch = try Scratch()
        try opened(scratch).close()
        Disk.fail(scratch.path(), reads: .max)
        let failure = #expect(throws: StorageFailure.self) {
            _ = try StoreVerifier.run(scratch.path(), progress: noProgress)
        }
        #expect(Disk.mend() > 0)
        #expect(failure?.isReadFailure == true, "\(String(describing: failure))")
        #expect(failure?.commandDescription.contains("restart the relay") == false)
        try scratch.expectSound("roost.db")
    }
}
