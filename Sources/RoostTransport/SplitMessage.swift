/// The parts of a message that arrived in several reads or frames. It holds memory only between the first part and the
/// last, and grows with the bytes that arrived, not with those that a header announces.
struct SplitMessage: ~Copyable {
    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    /// Number of complete frames so far.
    private(set) var fragments = 0
    /// Whether a message has begun but not ended.
    private(set) var isPending = false

    deinit { bytes?.deallocate() }

    /// The bytes that have arrived.
    var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

    /// Adds a part. `endsFrame` says whether it completes a frame.
    mutating func append(_ part: UnsafeRawBufferPointer, endsFrame: Bool) {
        isPending = true
        if endsFrame { fragments += 1 }
        guard let source = part.baseAddress, part.count > 0 else { return }
        reserve(count + part.count)
        bytes?.advanced(by: count).copyMemory(from: source, byteCount: part.count)
        count += part.count
    }

    /// Frees the memory.
    mutating func clear() {
        bytes?.deallocate()
        bytes = nil
        capacity = 0
        count = 0
        fragments = 0
        isPending = false
    }

    private mutating func reserve(_ needed: Int) {
        guard needed > capacity else { return }
        var larger = max(capacity, 2_048)
        while larger < needed { larger *= 2 }
        // With an alignment of 16, Swift would bypass malloc's fast path, although malloc aligns to 16 anyway.
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
        if let bytes {
            moved.copyMemory(from: bytes, byteCount: count)
            bytes.deallocate()
        }
        bytes = moved
        capacity = larger
    }
}
