/// Deadlines of connections that all get the same time, so the oldest is due first. It stores numbers, not connections.
/// An entry that is no longer needed stays until it reaches the front, where the loop removes it.
struct DeadlineQueue {
    struct Entry {
        let key: SocketKey
        let at: UInt64
    }

    let seconds: Double
    private var entries: [Entry] = []
    private var head = 0

    init(seconds: Double) { self.seconds = max(seconds, 0) }

    /// The oldest entry.
    var first: Entry? { head < entries.count ? entries[head] : nil }

    mutating func add(_ key: SocketKey, now: UInt64) {
        entries.append(Entry(key: key, at: now &+ UInt64(seconds * 1e9)))
    }

    mutating func removeFirst() {
        guard head < entries.count else { return }
        head += 1
        // At least half of the entries are done, so each entry is moved once on average.
        guard head * 2 > entries.count else { return }
        entries.removeFirst(head)
        head = 0
    }
}

/// Identifies a connection of a loop for ever. The kernel reuses a descriptor as soon as it is closed.
struct SocketKey: Equatable {
    let descriptor: Int32
    let generation: UInt32

    /// The key in the form that epoll carries.
    var packed: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    init(descriptor: Int32, generation: UInt32) {
        self.descriptor = descriptor
        self.generation = generation
    }

    init(packed: UInt64) {
        descriptor = Int32(truncatingIfNeeded: packed)
        generation = UInt32(truncatingIfNeeded: packed >> 32)
    }
}
