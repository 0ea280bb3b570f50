import Glibc

/// Whether the disk has room for what the store is about to write. Below a floor nothing is written any more: what is
/// left is for the checkpoint of what was stored before. On the writer's thread.
final class Room {
    /// Bytes that must be free; 0 if only SQLite's word counts.
    private let floor: Int64
    private let bounds: StorageBounds
    private let clock: () -> Int64
    private let gauges: Gauges
    private let reporter: StorageReporter
    /// Returns the bytes that the store may still take; nil if that is unknown.
    private let measure: () -> Int64?
    /// Until when the disk counts as full, whatever it says of itself. SQLite found no room, perhaps because of a
    /// quota.
    private var fullUntil = Int64.min
    private(set) var isFull = false

    /// `clock`: monotonic milliseconds.
    init(
        floor: Int64, bounds: StorageBounds, clock: @escaping () -> Int64, gauges: Gauges, reporter: StorageReporter,
        measure: @escaping () -> Int64?
    ) {
        self.floor = floor
        self.bounds = bounds
        self.clock = clock
        self.gauges = gauges
        self.reporter = reporter
        self.measure = measure
        look()
    }

    /// Looks how much is free. Returns whether room has come back.
    @discardableResult
    func look() -> Bool {
        let free = measure()
        guard isFull else {
            if let free, free < floor {
                reporter.note(
                    .fullDisk,
                    "the disk is full: less than \(floor >> 20) MiB are free; nothing is stored until there is room")
                isFull = true
            }
            publish(free)
            return false
        }
        // A little more than the floor, so that it isn't crossed again and again.
        let isEnough = free.map { $0 >= floor && $0 - floor >= floor / 4 } ?? true
        if isEnough, clock() >= fullUntil {
            reporter.note(.progress, "there is room on the disk again")
            isFull = false
        }
        publish(free)
        return !isFull
    }

    /// SQLite found no room.
    func noteFull() {
        fullUntil = clock() + bounds.fullMilliseconds
        reporter.note(.fullDisk, "the disk is full: SQLite found no room; nothing is stored until there is some")
        isFull = true
        publish(measure())
    }

    private func publish(_ free: Int64?) {
        gauges.update {
            $0.isFull = isFull
            $0.freeBytes = free
        }
    }

    /// Bytes that a process may still write to the file system of a file.
    static func free(at path: String) -> Int64? {
        var found = statvfs()
        guard statvfs(path, &found) == 0 else { return nil }
        let (bytes, isTooMuch) = Int64(clamping: found.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: found.f_frsize))
        return isTooMuch ? .max : bytes
    }
}
