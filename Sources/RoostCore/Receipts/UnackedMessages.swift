import RoostWire

/// Messages that were sent to one session and not acked yet, oldest first. A ring of plain numbers: adding one counts
/// no references, and allocates only when the ring grows.
struct UnackedMessages: ~Copyable {
    /// The member and sequence of a message, and its position.
    struct Entry {
        var conversation: ConversationNumber
        var sequence: SequenceNumber
        var position: Position
    }

    private var ring: UnsafeMutablePointer<Entry>?
    private var capacity = 0
    private var head = 0
    private(set) var count = 0
    /// Whether some entries were replaced by newer ones. When everything is acked, all conversations must then be
    /// checked.
    var hasForgotten = false

    deinit { ring?.deallocate() }

    var first: Entry? { count > 0 ? ring?[head] : nil }

    /// Adds a message whose ack changes a watermark. Beyond `most`, a new entry replaces an old one of the same
    /// conversation, whose ack it covers.
    @inline(__always)
    mutating func note(_ entry: Entry, atMost most: Int) {
        if count >= most {
            if replaceLast(by: entry) { return }
            removeFirst()
            hasForgotten = true
        }
        append(entry)
    }

    /// Adds several messages of one conversation in the same way.
    @inline(__always)
    mutating func note(_ entries: [Entry], atMost most: Int) {
        guard let last = entries.last else { return }
        if count + entries.count <= most { return append(entries) }
        // Each would replace the one before.
        if count >= most, replaceLast(by: last) { return }
        for entry in entries { note(entry, atMost: most) }
    }

    /// Appends an entry. O(1).
    private mutating func append(_ entry: Entry) {
        if count == capacity { grow() }
        ring?[(head + count) & (capacity - 1)] = entry
        count += 1
    }

    /// Appends all entries.
    private mutating func append(_ entries: [Entry]) {
        while count + entries.count > capacity { grow() }
        guard let ring else { return }
        for (index, entry) in entries.enumerated() { ring[(head + count + index) & (capacity - 1)] = entry }
        count += entries.count
    }

    /// Replaces the newest entry if it is of the same conversation.
    private mutating func replaceLast(by entry: Entry) -> Bool {
        guard count > 0, let ring else { return false }
        let last = (head + count - 1) & (capacity - 1)
        guard ring[last].conversation == entry.conversation else { return false }
        ring[last] = entry
        return true
    }

    mutating func removeFirst() {
        guard count > 0 else { return }
        head = (head + 1) & (capacity - 1)
        count -= 1
    }

    /// Removes all entries and frees the memory.
    mutating func removeAll() {
        ring?.deallocate()
        ring = nil
        capacity = 0
        head = 0
        count = 0
    }

    private mutating func grow() {
        let larger = max(8, capacity * 2)
        let moved = UnsafeMutablePointer<Entry>.allocate(capacity: larger)
        if let ring {
            for index in 0..<count { (moved + index).initialize(to: ring[(head + index) & (capacity - 1)]) }
            ring.deallocate()
        }
        ring = moved
        capacity = larger
        head = 0
    }
}
