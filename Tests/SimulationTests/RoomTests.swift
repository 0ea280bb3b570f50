import RoostCore
import RoostStorage
import RoostWire
import Synchronization
import Testing

@testable import SimulatedDisk

/// The real store on a disk that fills up and is emptied again.
@Suite struct RoomTests {
    /// A copy of the write-ahead log finds no room while the floor keeps everything else from being stored. Its failure
    /// is of the time before there was room, and mustn't count as a full disk afterwards.
    @Test func aCopyThatFoundNoRoomIsNoReasonToRefuseOnceThereIsSome() throws {
        let disk = SimulatedDisk()
        let free = Mutex(Int64(1_000_000))
        let log = try SQLiteLog(
            simulatedAt: "/roost.db", vfs: disk.name, durability: .full, reactionsPerUser: 1, freeFloor: 100_000,
            free: { free.withLock { $0 } })
        defer { log.close() }
        var last: Int32 = 0
        func store(users: Int32) throws {
            let names = (last + 1...last + users).map { ($0, String(repeating: "u", count: 1_000) + "\($0)") }
            last += users
            _ = try log.storeWriter.commit([.lease(.user)] + names.map { .user(UserNumber($0.0), name: $0.1) })
        }
        try store(users: 100)
        // The copy makes the database grow, and finds no room.
        disk.leaveFree(0)
        _ = try log.storeWriter.maintain()
        free.withLock { $0 = 0 }
        #expect(throws: NoRoom.self) { try store(users: 1) }
        disk.leaveFree(nil)
        free.withLock { $0 = 1_000_000 }
        // Some commits later the writer asks what became of the copy.
        for _ in 0..<4 { try store(users: 1) }
        #expect(log.storeWriter.hasRoom && log.statistics.notices[.fullDisk] == 1)
        let users = try log.load().users.count
        #expect(users == 104)
    }
}
