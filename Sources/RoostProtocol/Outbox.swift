/// The frames that wait for one connection: a ring of shared references with its size in bytes. It belongs to the
/// session on the loop thread; the transport drains it at the end of a turn. It doesn't judge: the limits are the
/// Relay's.
public struct Outbox: ~Copyable {
    // Rings up to this size stay allocated (512 bytes), so that steady traffic never allocates; larger ones go when
    // empty.
    private static let keptCapacity = 64

    @usableFromInline var ring: UnsafeMutablePointer<Unmanaged<Frame>>?
    @usableFromInline var capacity = 0
    @usableFromInline var head = 0
    private var sentOfHead = 0
    @usableFromInline var waitingFrames = 0
    @usableFromInline var waitingBytes = 0

    /// Nothing waiting, nothing allocated.
    public init() {}

    deinit {
        for index in 0..<count { ring?[(head + index) & (capacity - 1)].letGo() }
        ring?.deallocate()
    }

    /// Frames waiting, the one that is partly written included.
    @inlinable public var count: Int { waitingFrames }
    /// Bytes waiting.
    @inlinable public var bytes: Int { waitingBytes }
    /// Whether nothing waits.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Bytes that the frame which is partly written still lacks; 0 between two frames.
    public var restOfHead: Int {
        guard sentOfHead > 0, let ring else { return 0 }
        return ring[head]._withUnsafeGuaranteedRef { $0.count } - sentOfHead
    }

    /// Adds a frame at the end. O(1); allocates only when the ring grows.
    @inlinable
    public mutating func push(_ frame: Frame) {
        if count == capacity { grow() }
        ring?[(head + count) & (capacity - 1)] = Unmanaged.hold(frame)
        waitingFrames += 1
        waitingBytes += frame.count
    }

    /// Moves as many bytes as fit into `scratch`, frames split where need be, and returns how many.
    public mutating func fill(_ scratch: UnsafeMutableRawBufferPointer) -> Int {
        guard let target = scratch.baseAddress, let ring else { return 0 }
        var written = 0
        while count > 0, written < scratch.count {
            let frame = ring[head]
            let part = frame._withUnsafeGuaranteedRef { frame in
                let part = min(frame.count - sentOfHead, scratch.count - written)
                (target + written).copyMemory(from: frame.start + sentOfHead, byteCount: part)
                return (bytes: part, isWhole: sentOfHead + part == frame.count)
            }
            written += part.bytes
            waitingBytes -= part.bytes
            if part.isWhole {
                frame.letGo()
                head = (head + 1) & (capacity - 1)
                waitingFrames -= 1
                sentOfHead = 0
            } else {
                sentOfHead += part.bytes
            }
        }
        if count == 0 { trim() }
        return written
    }

    /// Takes the oldest frame whole. For tests and the simulation, which don't write partial frames.
    public mutating func pop() -> Frame? {
        guard count > 0, let ring else { return nil }
        let frame = ring[head].takeUnretainedValue()
        ring[head].letGo()
        head = (head + 1) & (capacity - 1)
        waitingFrames -= 1
        waitingBytes -= frame.count - sentOfHead
        sentOfHead = 0
        if count == 0 { trim() }
        return frame
    }

    /// Lets go of everything.
    public mutating func removeAll() {
        while pop() != nil {}
    }

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

// An outbox's place for a frame: counted in the frame, without atomics. See `Frame.holds`.
extension Unmanaged<Frame> {
    @inlinable
    static func hold(_ frame: Frame) -> Unmanaged<Frame> {
        let held = Unmanaged.passUnretained(frame)
        if frame.holds == 0 { _ = held.retain() }
        frame.holds += 1
        return held
    }

    @inlinable
    func letGo() {
        let isLast = _withUnsafeGuaranteedRef { frame in
            frame.holds -= 1
            return frame.holds == 0
        }
        if isLast { release() }
    }
}
