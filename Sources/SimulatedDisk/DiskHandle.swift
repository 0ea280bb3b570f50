import CSQLite

/// An open file, as SQLite holds it. After the end of its process every operation fails.
final class DiskHandle {
    let name: String
    let file: DiskFile
    let disk: SimulatedDisk
    private let process: Int
    private let isDeletedOnClose: Bool

    init(_ name: String, _ file: DiskFile, on disk: SimulatedDisk, isDeletedOnClose: Bool) {
        self.name = name
        self.file = file
        self.disk = disk
        self.isDeletedOnClose = isDeletedOnClose
        process = disk.process
    }

    /// Whether the process that opened the file is still running.
    private var isAlive: Bool { process == disk.process && disk.failure != .stop }

    func close() {
        file.locks.unlock(ObjectIdentifier(self), to: SQLITE_LOCK_NONE)
        file.sharedMemory.unlock(0..<Int(SQLITE_SHM_NLOCK), for: ObjectIdentifier(self))
        if isDeletedOnClose, isAlive { disk.delete(name, isSynced: false) }
    }

    func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
        guard isAlive else { return DiskCode.read }
        let count = max(0, min(target.count, file.bytes.count - offset))
        if count > 0 { target.copyBytes(from: file.bytes[offset..<(offset + count)]) }
        guard count < target.count else { return SQLITE_OK }
        // SQLite relies on zeros after the end of the file (sqlite3.h, xRead).
        UnsafeMutableRawBufferPointer(rebasing: target[count...]).initializeMemory(as: UInt8.self, repeating: 0)
        return DiskCode.shortRead
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        guard isAlive, disk.takesChange() else { return DiskCode.write }
        let count = disk.fitting(source.count, at: offset, of: file)
        if count > 0 { file.write(UnsafeRawBufferPointer(rebasing: source[..<count]), at: offset) }
        return count < source.count ? SQLITE_FULL : SQLITE_OK
    }

    func truncate(to size: Int) -> Int32 {
        guard isAlive, disk.takesChange() else { return DiskCode.truncate }
        file.truncate(to: size)
        return SQLITE_OK
    }

    func sync() -> Int32 {
        guard isAlive, disk.takesChange() else { return DiskCode.sync }
        disk.sync(file, name)
        return SQLITE_OK
    }

    func lock(_ level: Int32) -> Int32 {
        file.locks.lock(ObjectIdentifier(self), to: level) ? SQLITE_OK : SQLITE_BUSY
    }

    func unlock(_ level: Int32) { file.locks.unlock(ObjectIdentifier(self), to: level) }

    func lockMemory(_ range: Range<Int>, _ flags: Int32) -> Int32 {
        if flags & SQLITE_SHM_UNLOCK != 0 {
            file.sharedMemory.unlock(range, for: ObjectIdentifier(self))
            return SQLITE_OK
        }
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        return file.sharedMemory.lock(range, for: ObjectIdentifier(self), isExclusive: isExclusive)
            ? SQLITE_OK : SQLITE_BUSY
    }

    /// Releases the locks on the shared memory. The memory itself stays as long as the file.
    func unmapMemory() {
        file.sharedMemory.unlock(0..<Int(SQLITE_SHM_NLOCK), for: ObjectIdentifier(self))
    }
}
