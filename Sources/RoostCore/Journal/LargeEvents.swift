import RoostWire

/// Bytes of large events that wait for the writer, by user, so that a few users who store much can't make all others
/// wait: beyond a bound, each of them may only have a small share waiting. Small events aren't counted: costs bound
/// them, and counting takes longer than storing one. Loop thread only.
struct LargeEvents {
    /// The limits of this part.
    struct Bounds {
        /// Events with more bytes count.
        let above: Int
        /// Bytes of all users together up to which no share is asked for, and the share of a user beyond it.
        let free, share: Int

        init(_ limits: Limits) {
            (above, free, share) = (limits.storedBytesPerCommand, limits.largeBytesFree, limits.largeBytesShare)
        }
    }

    private let bounds: Bounds
    private var bytes = 0
    private var byUser: [UserNumber: Int] = [:]

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// Whether the user may add an event of this size. One of any size may always wait.
    @inline(__always)
    func mayAdd(_ count: Int, by user: UserNumber) -> Bool {
        guard count > bounds.above, bytes + count > bounds.free, let own = byUser[user] else { return true }
        return own + count <= bounds.share
    }

    /// An event begins to wait.
    @inline(__always)
    mutating func add(_ next: borrowing PendingAppend) {
        guard next.bytes > bounds.above else { return }
        bytes += next.bytes
        byUser[next.event.sender, default: 0] += next.bytes
    }

    /// It waits no longer.
    @inline(__always)
    mutating func remove(_ next: borrowing PendingAppend) {
        guard next.bytes > bounds.above else { return }
        bytes -= next.bytes
        let left = (byUser[next.event.sender] ?? 0) - next.bytes
        byUser[next.event.sender] = left > 0 ? left : nil
    }

    /// Nothing waits any more.
    mutating func removeAll() {
        bytes = 0
        byUser.removeAll()
    }
}
