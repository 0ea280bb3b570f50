/// The parts of a message that came in more than one read or frame. It holds memory only from the first part to the
/// last, and grows with what has arrived rather than with what a header announces.
struct SplitMessage: ~Copyable {
    private var bytes: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    /// Frames that were complete, the last one included.
    private(set) var fragments = 0
    /// Whether a message has begun and not ended.
    private(set) var isPending = false

    deinit { bytes?.deallocate() }

    /// What has arrived.
    var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

    /// Adds a part; `endsFrame` if it completes a frame.
    mutating func append(_ part: UnsafeRawBufferPointer, endsFrame: Bool) {
        isPending = true
        if endsFrame { fragments += 1 }
        guard let source = part.baseAddress, part.count > 0 else { return }
        reserve(count + part.count)
        bytes?.advanced(by: count).copyMemory(from: source, byteCount: part.count)
        count += part.count
    }

    /// Gives the memory back.
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
        // Asked to align to 16 bytes, Swift goes past malloc's quick lists; malloc aligns so anyway.
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
        if let bytes {
            moved.copyMemory(from: bytes, byteCount: count)
            bytes.deallocate()
        }
        bytes = moved
        capacity = larger
    }
}
