/// Bytes that wait on one connection: to be sent, or for the rest of their frame. It owns its memory and gives it back
/// when it runs empty, for most connections are idle. It sets no bound; the code that appends does.
struct SocketBuffer: ~Copyable {
    // Below it, growing costs more than the bytes are worth.
    private static let capacityMin = 512

    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    private var first = 0
    private(set) var count = 0

    deinit { start?.deallocate() }

    /// The waiting bytes. Valid until the buffer changes.
    var bytes: UnsafeRawBufferPointer {
        guard let start else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start + first, count: count)
    }

    /// Room for `more` bytes behind those that wait; what is written there counts once `add` says so.
    mutating func room(_ more: Int) -> UnsafeMutableRawBufferPointer {
        let needed = count + more
        if first + needed > capacity { move(needed) }
        guard let start else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
        return UnsafeMutableRawBufferPointer(start: start + first + count, count: more)
    }

    /// Takes in that many bytes that were written to the room.
    mutating func add(_ written: Int) { count = min(count + written, capacity - first) }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        guard more.count > 0 else { return }
        room(more.count).copyMemory(from: more)
        count += more.count
    }

    /// Forgets the oldest bytes.
    mutating func removeFirst(_ gone: Int) {
        guard gone < count else { return clear() }
        first += gone
        count -= gone
    }

    /// Forgets all and gives the memory back.
    mutating func clear() {
        start?.deallocate()
        start = nil
        (capacity, first, count) = (0, 0, 0)
    }

    private mutating func move(_ needed: Int) {
        // Only when at least as much is gone as waits, so that each byte is moved once on average.
        if let start, needed <= capacity, first >= count {
            start.copyMemory(from: start + first, byteCount: count)
            first = 0
            return
        }
        var larger = max(capacity, SocketBuffer.capacityMin)
        while larger < needed { larger *= 2 }
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        if let start {
            moved.copyMemory(from: start + first, byteCount: count)
            start.deallocate()
        }
        start = moved
        (capacity, first) = (larger, 0)
    }
}
