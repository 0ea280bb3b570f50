/// The frames waiting for one connection: a ring of shared references and its size in bytes. It belongs to the session
/// on the loop thread; the transport drains it at the end of a turn. It has no limits; those are the Relay's.
public struct Outbox: ~Copyable {
    // Rings up to this size stay allocated (512 bytes), so that steady traffic never allocates; larger ones are freed
    // when empty.
    private static let keptCapacity = 64

    @usableFromInline var ring: UnsafeMutablePointer<Unmanaged<Frame>>?
    @usableFromInline var capacity = 0
    @usableFromInline var head = 0
    @usableFromInline var waitingFrames = 0
    @usableFromInline var waitingBytes = 0

    /// Creates an empty outbox without memory.
    public init() {}

    deinit {
        for index in 0..<count { ring?[(head + index) & (capacity - 1)].letGo() }
        ring?.deallocate()
    }

    /// Frames waiting.
    @inlinable public var count: Int { waitingFrames }
    /// Bytes waiting.
    @inlinable public var bytes: Int { waitingBytes }
    /// Whether no frame waits.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Adds a frame at the end. O(1); allocates only when the ring grows.
    @inlinable
    public mutating func push(_ frame: Frame) {
        let held = Unmanaged.passUnretained(frame)
        held.hold()
        push(held: held, bytes: frame.count)
    }

    /// Adds a frame of `bytes` bytes. The caller counts the places that hold it: `hold(times:)`.
    @inlinable
    public mutating func push(held frame: Unmanaged<Frame>, bytes: Int) {
        assert(bytes == frame._withUnsafeGuaranteedRef { $0.count }, "a frame is counted with its own size")
        if count == capacity { grow() }
        ring?[(head + count) & (capacity - 1)] = frame
        waitingFrames += 1
        waitingBytes += bytes
    }

    /// Takes the oldest frame.
    public mutating func pop() -> Frame? {
        guard let held = popHeld() else { return nil }
        let frame = held.takeUnretainedValue()
        held.letGo()
        return frame
    }

    /// Releases all frames.
    public mutating func removeAll() {
        while let held = popHeld() { held.letGo() }
    }

    // MARK: For the write buffer

    /// The oldest frame's bytes.
    var bytesOfFirst: Int? {
        guard count > 0, let ring else { return nil }
        return ring[head]._withUnsafeGuaranteedRef { $0.count }
    }

    /// Takes the oldest frame, still held; the caller releases it.
    mutating func popHeld() -> Unmanaged<Frame>? {
        guard count > 0, let ring else { return nil }
        let held = ring[head]
        head = (head + 1) & (capacity - 1)
        waitingFrames -= 1
        waitingBytes -= held._withUnsafeGuaranteedRef { $0.count }
        if waitingFrames == 0 { trim() }
        return held
    }

    /// Whether the oldest frames are these, in this order.
    func begins(with frames: [Unmanaged<Frame>]) -> Bool {
        guard frames.count <= count, let ring, let first = frames.first else { return false }
        guard ring[head].toOpaque() == first.toOpaque() else { return false }
        let upToEnd = min(frames.count, capacity - head)
        return frames.withUnsafeBufferPointer { frames in
            Outbox.isEqual(ring + head, frames[..<upToEnd]) && Outbox.isEqual(ring, frames[upToEnd...])
        }
    }

    // Checks every place without stopping early, so that it is vectorised; usually all are equal.
    private static func isEqual(_ ring: UnsafeMutablePointer<Unmanaged<Frame>>, _ frames: Slice<Frames>) -> Bool {
        var difference: UInt = 0
        var place = ring
        for frame in frames {
            difference |= UInt(bitPattern: frame.toOpaque()) ^ UInt(bitPattern: place.pointee.toOpaque())
            place += 1
        }
        return difference == 0
    }

    private typealias Frames = UnsafeBufferPointer<Unmanaged<Frame>>

    /// Removes the oldest `count` frames, of `bytes` bytes; the caller releases them.
    mutating func drop(_ count: Int, bytes: Int) {
        precondition(count <= waitingFrames, "only frames that wait are dropped")
        head = (head + count) & (capacity - 1)
        waitingFrames -= count
        waitingBytes -= bytes
        if waitingFrames == 0 { trim() }
    }

    // MARK: Ring

    @usableFromInline
    mutating func grow() {
        let larger = max(4, capacity * 2)
        let moved = UnsafeMutablePointer<Unmanaged<Frame>>.allocate(capacity: larger)
        if let ring {
            for index in 0..<count { moved[index] = ring[(head + index) & (capacity - 1)] }
            ring.deallocate()
        }
        ring = moved
        capacity = larger
        head = 0
    }

    private mutating func trim() {
        head = 0
        guard capacity > Outbox.keptCapacity else { return }
        ring?.deallocate()
        ring = nil
        capacity = 0
    }
}

// A place that keeps a frame alive, counted in the frame without atomic operations. See `Frame.Header.holds`.
extension Unmanaged<Frame> {
    /// Counts this many more places.
    @inlinable
    public func hold(times: Int = 1) {
        guard times > 0 else { return }
        let isFirst = _withUnsafeGuaranteedRef { frame in
            frame.header.holds += times
            return frame.header.holds == times
        }
        if isFirst { _ = retain() }
    }

    /// Counts this many fewer places.
    @inlinable
    func letGo(times: Int = 1) {
        let isLast = _withUnsafeGuaranteedRef { frame in
            assert(frame.header.holds >= times, "a frame is let go once for each place that holds it")
            frame.header.holds -= times
            return frame.header.holds == 0
        }
        if isLast { release() }
    }
}
