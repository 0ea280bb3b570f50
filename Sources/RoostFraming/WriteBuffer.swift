/// Frames side by side, so that one system call writes them: a single frame where it is, several copied one after
/// another. One buffer serves all connections of a loop, on its thread. It remembers its contents, so the many
/// connections of a group that wait for the same frames are written from one copy. Call `forget` at the end of a turn,
/// because it keeps those frames alive.
public struct WriteBuffer: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer
    private var frames: [Unmanaged<Frame>] = []
    /// The bytes: in `bytes`, or in the only frame.
    private var contents = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Further outboxes that were written from this copy and have handed their places over to it.
    private var reuses = 0
    /// Whether the next frame did not fit.
    private var isFull = false

    /// - Parameter room: the most bytes of one write; only a single frame may be larger.
    public init(room: Int) {
        bytes = .allocate(byteCount: room, alignment: 16)
    }

    deinit {
        for frame in frames { frame.letGo(times: 1 + reuses) }
        bytes.deallocate()
    }

    /// Moves complete frames out of `outbox`, oldest first: as many as fit, and at least one if there is one. A close
    /// frame may follow between any two frames.
    /// - Returns: their bytes, valid until the next call.
    public mutating func fill(from outbox: inout Outbox) -> UnsafeRawBufferPointer {
        if !frames.isEmpty, isFull || frames.count == outbox.count, outbox.begins(with: frames) {
            outbox.drop(frames.count, bytes: contents.count)
            reuses += 1
            return contents
        }
        forget()
        if outbox.count == 1 || (outbox.bytesOfFirst ?? 0) > bytes.count {
            lend(from: &outbox)
        } else {
            copy(from: &outbox)
        }
        return contents
    }

    /// Releases the frames.
    public mutating func forget() {
        for frame in frames { frame.letGo(times: 1 + reuses) }
        frames.removeAll(keepingCapacity: true)
        contents = UnsafeRawBufferPointer(start: nil, count: 0)
        reuses = 0
        isFull = false
    }

    private mutating func lend(from outbox: inout Outbox) {
        guard let frame = outbox.popHeld() else { return }
        frames.append(frame)
        isFull = !outbox.isEmpty
        contents = frame._withUnsafeGuaranteedRef { $0.bytes }
    }

    private mutating func copy(from outbox: inout Outbox) {
        guard let start = bytes.baseAddress else { return }
        var filled = 0
        while let count = outbox.bytesOfFirst {
            isFull = filled + count > bytes.count
            guard !isFull, let frame = outbox.popHeld() else { break }
            frames.append(frame)
            frame._withUnsafeGuaranteedRef { (start + filled).copyMemory(from: $0.bytes) }
            filled += count
        }
        contents = UnsafeRawBufferPointer(start: start, count: filled)
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func copyMemory(from bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { copyMemory(from: source, byteCount: bytes.count) }
    }
}
