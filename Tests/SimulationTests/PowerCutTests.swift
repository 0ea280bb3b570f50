import CSQLite
import SeededRandom
import Testing

@testable import SimulatedDisk

/// The simulated disk loses what real disks lose, and nothing else.
@Suite struct PowerCutTests {
    private func file(synced: [UInt8], then changes: (DiskFile) -> Void) -> DiskFile {
        let file = DiskFile()
        synced.withUnsafeBytes { file.write($0, at: 0) }
        file.sync()
        changes(file)
        return file
    }

    private func write(_ byte: UInt8, count: Int, at offset: Int, to file: DiskFile) {
        [UInt8](repeating: byte, count: count).withUnsafeBytes { file.write($0, at: offset) }
    }

    @Test(arguments: UInt64(1)...50)
    func keepsWhatWasSynced(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let file = file(synced: [1, 2, 3]) { _ in }
        #expect(PowerCut(&random).content(of: file, &random) == [1, 2, 3])
    }

    /// After a torn write of eight sectors, each sector is completely old or completely new.
    @Test(arguments: UInt64(1)...50)
    func tearsBetweenSectors(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let file = file(synced: [UInt8](repeating: 1, count: 4_096)) { write(2, count: 4_096, at: 0, to: $0) }
        let content = PowerCut(&random).content(of: file, &random)
        for sector in stride(from: 0, to: 4_096, by: PowerCut.sectorBytes) {
            #expect(Set(content[sector..<(sector + PowerCut.sectorBytes)]).count == 1)
        }
    }

    /// Many power cuts show every outcome: all writes are lost, all are kept, one is torn, and a later one is kept
    /// without an earlier one.
    @Test func losesTearsAndReorders() {
        var found: Set<String> = []
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            let file = file(synced: [UInt8](repeating: 0, count: 2_048)) { file in
                write(1, count: 1_024, at: 0, to: file)
                write(2, count: 1_024, at: 1_024, to: file)
            }
            let content = PowerCut(&random).content(of: file, &random)
            switch (content[0], content[512], content[1_024], content[1_536]) {
            case (0, 0, 0, 0): found.insert("lost")
            case (1, 1, 2, 2): found.insert("kept")
            case (0, 0, 2, 2): found.insert("reordered")
            case (1, 0, _, _), (0, 1, _, _): found.insert("torn")
            default: break
            }
        }
        #expect(found == ["lost", "kept", "reordered", "torn"])
    }

    @Test func anotherProcessWaitsForNobodyDead() {
        let disk = SimulatedDisk()
        let first = DiskHandle("a", disk.makeFile("a"), on: disk, isDeletedOnClose: false)
        #expect(first.lock(SQLITE_LOCK_SHARED) == SQLITE_OK)
        #expect(first.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
        disk.endProcess()
        disk.beginProcess()
        let file = disk.file("a") ?? disk.makeFile("a")
        let second = DiskHandle("a", file, on: disk, isDeletedOnClose: false)
        #expect(second.lock(SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK)
        #expect(first.sync() != SQLITE_OK)
    }

    @Test func locksKeepEachOtherOut() {
        let locks = FileLocks()
        let (one, other) = (DiskFile(), DiskFile())
        #expect(locks.lock(ObjectIdentifier(one), to: SQLITE_LOCK_SHARED))
        #expect(locks.lock(ObjectIdentifier(other), to: SQLITE_LOCK_SHARED))
        #expect(locks.lock(ObjectIdentifier(one), to: SQLITE_LOCK_RESERVED))
        #expect(!locks.lock(ObjectIdentifier(other), to: SQLITE_LOCK_RESERVED))
        #expect(!locks.lock(ObjectIdentifier(one), to: SQLITE_LOCK_EXCLUSIVE))
        locks.unlock(ObjectIdentifier(other), to: SQLITE_LOCK_NONE)
        #expect(locks.lock(ObjectIdentifier(one), to: SQLITE_LOCK_EXCLUSIVE))
        #expect(!locks.lock(ObjectIdentifier(other), to: SQLITE_LOCK_SHARED))
    }

    @Test func writingBeyondTheEndLeavesZeros() {
        let file = DiskFile()
        write(7, count: 1, at: 3, to: file)
        #expect(file.bytes == [0, 0, 0, 7])
        file.truncate(to: 2)
        #expect(file.bytes == [0, 0])
        #expect(file.durable.isEmpty)
    }
}
