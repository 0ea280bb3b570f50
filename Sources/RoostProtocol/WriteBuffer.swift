/// Frames copied one behind the other, so that one system call writes them. One buffer serves all connections of a
/// loop, on its thread. It remembers what it holds: the many connections of a group that wait for the same frames are
/// written from one copy. It must be told to `forget` at the end of a turn, because it keeps those frames alive.
public struct WriteBuffer: ~Copyable {
    private var bytes: UnsafeMutableRawBufferPointer
    private let room: Int
    private var frames: [Unmanaged<Frame>] = []
    private var filled = 0
    /// Outboxes that were written from this copy after the first, and have left it their places.
    private var reuses = 0
    /// The frame after the last one did not fit.
    private var isFull = false

    /// - Parameter room: bytes of one write, at most; only a single frame may have more.
    public init(room: Int) {
        self.room = room
        bytes = .allocate(byteCount: room, alignment: 16)
    }

    deinit {
        for frame in frames { frame.letGo(times: 1 + reuses) }
        bytes.deallocate()
    }

    /// Moves whole frames out of `outbox`, oldest first, as many as fit, at least one if there is one. Between two
    /// frames a close frame may always follow.
    /// - Returns: their bytes, which are valid until the next call.
    public mutating func fill(from outbox: inout Outbox) -> UnsafeRawBufferPointer {
        if !frames.isEmpty, isFull || frames.count == outbox.count, outbox.begins(with: frames) {
            outbox.drop(frames.count, bytes: filled)
            reuses += 1
        } else {
            copy(from: &outbox)
        }
        return UnsafeRawBufferPointer(rebasing: bytes[..<filled])
    }

    /// Lets go of the frames.
    public mutating func forget() {
        for frame in frames { frame.letGo(times: 1 + reuses) }
        frames.removeAll(keepingCapacity: true)
        filled = 0
        reuses = 0
        isFull = false
    }

    private mutating func copy(from outbox: inout Outbox) {
        forget()
        while let count = outbox.bytesOfFirst {
            if filled + count > room, !frames.isEmpty {
                isFull = true
                return
            }
            if count > bytes.count { grow(to: count) }
            guard let frame = outbox.popHeld() else { return }
            frames.append(frame)
            guard let target = bytes.baseAddress else { return }
            frame._withUnsafeGuaranteedRef { (target + filled).copyMemory(from: $0.start, byteCount: count) }
            filled += count
        }
    }

    // Only for a frame that comes first: nothing has to be kept.
    private mutating func grow(to needed: Int) {
        bytes.deallocate()
        bytes = .allocate(byteCount: needed, alignment: 16)
    }
}
