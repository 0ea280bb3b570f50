import CSQLite

/// Registers a simulated disk with SQLite: C structures whose functions lead back to the disk and to open files. It
/// stays registered as long as the object exists; no connection may outlive it.
final class DiskRegistration {
    /// The memory that SQLite allocates for an open file. SQLite's own part comes first.
    private struct Record {
        var base: sqlite3_file
        var handle: Unmanaged<DiskHandle>?
    }

    /// SQLite's own names are shorter.
    private static let pathBytesMax: Int32 = 512

    let name: String
    weak var disk: SimulatedDisk?
    private let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    private let nameBytes: UnsafeMutablePointer<CChar>

    init() {
        name = "simulated-disk-\(UInt(bitPattern: vfs))"
        let text = name.utf8CString
        nameBytes = .allocate(capacity: text.count)
        for (index, byte) in text.enumerated() { (nameBytes + index).initialize(to: byte) }
        vfs.initialize(to: DiskRegistration.functions)
        vfs.pointee.zName = UnsafePointer(nameBytes)
        vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        let code = sqlite3_vfs_register(vfs, 0)
        precondition(code == SQLITE_OK, "SQLite refuses a file layer: \(code)")
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        vfs.deallocate()
        nameBytes.deallocate()
    }

    private static func disk(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedDisk? {
        guard let data = vfs?.pointee.pAppData else { return nil }
        return Unmanaged<DiskRegistration>.fromOpaque(data).takeUnretainedValue().disk
    }

    private static func record(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<Record> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: Record.self)
    }

    private static func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DiskHandle? {
        file.flatMap { record($0).pointee.handle?.takeUnretainedValue() }
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32
    ) -> Int32 {
        guard let disk = disk(vfs), let file else { return SQLITE_CANTOPEN }
        // Without methods, because SQLite won't close a file that couldn't be opened.
        file.pointee.pMethods = nil
        // A temporary file has no name.
        let name = path.map { String(cString: $0) } ?? "temporary-\(disk.operations)"
        let known = disk.file(name)
        guard known != nil || flags & SQLITE_OPEN_CREATE != 0 else { return SQLITE_CANTOPEN }
        guard disk.failure == nil else { return SQLITE_CANTOPEN }
        let handle = DiskHandle(
            name, known ?? disk.makeFile(name), on: disk,
            isDeletedOnClose: flags & SQLITE_OPEN_DELETEONCLOSE != 0)
        record(file).pointee.handle = Unmanaged.passRetained(handle)
        file.pointee.pMethods = UnsafePointer(methods)
        return SQLITE_OK
    }

    // Never written after it was created.
    nonisolated(unsafe) private static let functions: sqlite3_vfs = {
        var functions = sqlite3_vfs()
        functions.iVersion = 2
        functions.szOsFile = Int32(MemoryLayout<Record>.size)
        functions.mxPathname = pathBytesMax
        functions.xOpen = { vfs, path, file, flags, outFlags in
            outFlags?.pointee = flags
            return DiskRegistration.open(vfs, path, file, flags)
        }
        functions.xDelete = { vfs, path, isSynced in
            guard let disk = DiskRegistration.disk(vfs), let path else { return DiskCode.delete }
            let name = String(cString: path)
            guard disk.file(name) != nil else { return DiskCode.deleteMissing }
            guard disk.takesChange() else { return DiskCode.delete }
            disk.delete(name, isSynced: isSynced != 0)
            return SQLITE_OK
        }
        functions.xAccess = { vfs, path, _, out in
            guard let disk = DiskRegistration.disk(vfs), let path else { return DiskCode.access }
            out?.pointee = disk.file(String(cString: path)) == nil ? 0 : 1
            return SQLITE_OK
        }
        functions.xFullPathname = { _, path, count, out in
            guard let path, let out else { return SQLITE_CANTOPEN }
            var index = 0
            while index < Int(count) {
                out[index] = path[index]
                if path[index] == 0 { return SQLITE_OK }
                index += 1
            }
            return SQLITE_CANTOPEN
        }
        functions.xRandomness = { _, count, out in
            for index in 0..<Int(count) { out?[index] = CChar(truncatingIfNeeded: index) }
            return count
        }
        // A wait would be in vain: all connections are on this thread.
        functions.xSleep = { _, microseconds in microseconds }
        functions.xCurrentTime = { _, out in
            out?.pointee = julianDay
            return SQLITE_OK
        }
        functions.xGetLastError = { _, _, _ in 0 }
        functions.xCurrentTimeInt64 = { _, out in
            out?.pointee = Int64(julianDay * 86_400_000)
            return SQLITE_OK
        }
        return functions
    }()

    /// The clock always shows the beginning of 2024.
    private static let julianDay = 2_460_310.5

    // MARK: Open files

    // Never written after it was created. SQLite keeps it.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        // With shared memory, without mapped files.
        methods.iVersion = 2
        methods.xClose = { file in
            guard let file else { return SQLITE_OK }
            let record = DiskRegistration.record(file)
            record.pointee.handle?.takeRetainedValue().close()
            record.pointee.handle = nil
            return SQLITE_OK
        }
        methods.xRead = { file, target, count, offset in
            guard let handle = DiskRegistration.handle(file), let target else { return DiskCode.read }
            return handle.read(UnsafeMutableRawBufferPointer(start: target, count: Int(count)), at: Int(offset))
        }
        methods.xWrite = { file, source, count, offset in
            guard let handle = DiskRegistration.handle(file), let source else { return DiskCode.write }
            return handle.write(UnsafeRawBufferPointer(start: source, count: Int(count)), at: Int(offset))
        }
        methods.xTruncate = { file, size in
            DiskRegistration.handle(file)?.truncate(to: Int(size)) ?? DiskCode.truncate
        }
        methods.xSync = { file, _ in DiskRegistration.handle(file)?.sync() ?? DiskCode.sync }
        methods.xFileSize = { file, out in
            out?.pointee = Int64(DiskRegistration.handle(file)?.file.bytes.count ?? 0)
            return SQLITE_OK
        }
        methods.xLock = { file, level in DiskRegistration.handle(file)?.lock(level) ?? DiskCode.lock }
        methods.xUnlock = { file, level in
            DiskRegistration.handle(file)?.unlock(level)
            return SQLITE_OK
        }
        methods.xCheckReservedLock = { file, out in
            out?.pointee = DiskRegistration.handle(file)?.file.locks.isReserved == true ? 1 : 0
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        // SQLite's assumptions about an unknown disk on POSIX systems (os_unix.c).
        methods.xSectorSize = { _ in 4_096 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        methods.xShmMap = { file, region, bytes, isMade, out in
            guard let handle = DiskRegistration.handle(file), let out else { return DiskCode.mapMemory }
            out.pointee = handle.file.sharedMemory.region(Int(region), bytes: Int(bytes), isMade: isMade != 0)
            return SQLITE_OK
        }
        methods.xShmLock = { file, first, count, flags in
            DiskRegistration.handle(file)?.lockMemory(Int(first)..<Int(first + count), flags) ?? DiskCode.lockMemory
        }
        methods.xShmBarrier = { _ in }
        methods.xShmUnmap = { file, _ in
            DiskRegistration.handle(file)?.unmapMemory()
            return SQLITE_OK
        }
        let kept = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        kept.initialize(to: methods)
        return kept
    }()
}
