import CSQLite

/// One file of a simulated disk: its content as processes see it, the durable part of it, and SQLite's locks. It
/// belongs to one process at a time; after the end of a process the disk creates another object with the same content.
final class DiskFile {
    /// A change that no sync has made durable yet.
    enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(to: Int)
    }

    /// The content that processes see.
    private(set) var bytes: [UInt8]
    /// The content that survives every power cut.
    private(set) var durable: [UInt8]
    /// The changes since the last sync, oldest first.
    private(set) var unsynced: [Change] = []
    let locks = FileLocks()
    let sharedMemory = SharedMemory()

    init(_ bytes: [UInt8] = [], durable: [UInt8] = [], unsynced: [Change] = []) {
        self.bytes = bytes
        self.durable = durable
        self.unsynced = unsynced
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        unsynced.append(.write(offset: offset, bytes: [UInt8](source)))
        DiskFile.write(source, at: offset, to: &bytes)
    }

    func truncate(to size: Int) {
        guard size < bytes.count else { return }
        unsynced.append(.truncate(to: size))
        bytes.removeSubrange(size...)
    }

    func sync() {
        durable = bytes
        unsynced.removeAll()
    }

    /// Applies one change to the content of a file.
    static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes):
            bytes.withUnsafeBytes { write($0, at: offset, to: &content) }
        case .truncate(let size):
            if size < content.count { content.removeSubrange(size...) }
        }
    }

    private static func write(_ source: UnsafeRawBufferPointer, at offset: Int, to content: inout [UInt8]) {
        let end = offset + source.count
        // If a file is written beyond its end, the bytes in between are zeros (POSIX, lseek).
        if content.count < end { content.append(contentsOf: repeatElement(0, count: end - content.count)) }
        content.withUnsafeMutableBytes { $0[offset..<end].copyBytes(from: source) }
    }
}

/// SQLite's locks on a file (sqlite.org/lockingv3.html), for connections of one process that all run on one thread: a
/// lock that is taken is refused at once.
final class FileLocks {
    private var levels: [ObjectIdentifier: Int32] = [:]

    /// Raises the lock of a connection. Returns false if another connection is in the way.
    func lock(_ owner: ObjectIdentifier, to level: Int32) -> Bool {
        let own = levels[owner] ?? SQLITE_LOCK_NONE
        guard own < level else { return true }
        let others = levels.reduce(SQLITE_LOCK_NONE) { $1.key == owner ? $0 : max($0, $1.value) }
        switch level {
        case SQLITE_LOCK_SHARED: guard others < SQLITE_LOCK_PENDING else { return false }
        case SQLITE_LOCK_RESERVED: guard others < SQLITE_LOCK_RESERVED else { return false }
        default:
            guard others < SQLITE_LOCK_RESERVED else { return false }
            // Readers may finish, but no new ones may begin.
            levels[owner] = SQLITE_LOCK_PENDING
            guard others < SQLITE_LOCK_SHARED else { return false }
        }
        levels[owner] = level
        return true
    }

    /// Lowers the lock of a connection.
    func unlock(_ owner: ObjectIdentifier, to level: Int32) {
        guard let own = levels[owner], own > level else { return }
        levels[owner] = level == SQLITE_LOCK_NONE ? nil : level
    }

    /// Whether a connection is about to write.
    var isReserved: Bool { levels.values.contains { $0 >= SQLITE_LOCK_RESERVED } }
}

/// The memory shared by the connections to a database in WAL mode, and its eight locks (sqlite.org/walformat.html,
/// section 2).
final class SharedMemory {
    private struct Lock {
        var readers: Set<ObjectIdentifier> = []
        var writer: ObjectIdentifier?
    }

    private var regions: [UnsafeMutableRawBufferPointer] = []
    private var locks = Array(repeating: Lock(), count: Int(SQLITE_SHM_NLOCK))

    deinit {
        for region in regions { region.deallocate() }
    }

    /// A region; nil if it doesn't exist and must not be created.
    func region(_ index: Int, bytes: Int, isMade: Bool) -> UnsafeMutableRawPointer? {
        guard index < regions.count || isMade else { return nil }
        while regions.count <= index {
            let region = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0)
            regions.append(region)
        }
        return regions[index].baseAddress
    }

    /// Takes all of these locks or none. Returns false if another connection is in the way.
    func lock(_ range: Range<Int>, for owner: ObjectIdentifier, isExclusive: Bool) -> Bool {
        let isFree = locks[range].allSatisfy { lock in
            (lock.writer == nil || lock.writer == owner) && (!isExclusive || lock.readers.isSubset(of: [owner]))
        }
        guard isFree else { return false }
        for index in range {
            if isExclusive { locks[index].writer = owner } else { locks[index].readers.insert(owner) }
        }
        return true
    }

    /// Releases locks.
    func unlock(_ range: Range<Int>, for owner: ObjectIdentifier) {
        for index in range {
            locks[index].readers.remove(owner)
            if locks[index].writer == owner { locks[index].writer = nil }
        }
    }
}
