/// Until when connections have to get somewhere; all have the same time for it, so the oldest is due first. It holds
/// numbers, not connections. Who is done with it stays in until found at the front: the loop takes those out.
struct DeadlineQueue {
    struct Entry {
        let key: SocketKey
        let at: UInt64
    }

    let seconds: Double
    private var entries: [Entry] = []
    private var head = 0

    init(seconds: Double) { self.seconds = max(seconds, 0) }

    /// The oldest.
    var first: Entry? { head < entries.count ? entries[head] : nil }

    mutating func add(_ key: SocketKey, now: UInt64) {
        entries.append(Entry(key: key, at: now &+ UInt64(seconds * 1e9)))
    }

    mutating func removeFirst() {
        guard head < entries.count else { return }
        head += 1
        // Half of it gone at least: each entry is moved once on average.
        guard head * 2 > entries.count else { return }
        entries.removeFirst(head)
        head = 0
    }
}

/// Names a connection of a loop for good: the kernel gives a descriptor to somebody else as soon as it is closed.
struct SocketKey: Equatable {
    let descriptor: Int32
    let generation: UInt32

    /// As epoll carries it.
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
