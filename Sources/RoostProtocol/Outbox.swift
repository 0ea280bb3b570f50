/// The frames that wait for one connection: a ring of shared references with its size in bytes. It belongs to the
/// session on the loop thread; the transport drains it at the end of a turn. It doesn't judge: the limits are the
/// Relay's.
public struct Outbox: ~Copyable {
    // Rings up to this size stay allocated, so that steady traffic never allocates; larger ones go when empty.
    private static let keptCapacity = 8

    private var ring: UnsafeMutablePointer<Unmanaged<Frame>>?
    private var capacity = 0
    private var head = 0
    private var sentOfHead = 0
    /// Frames waiting, the one that is partly written included.
    public private(set) var count = 0
    /// Bytes waiting.
    public private(set) var bytes = 0

    /// Nothing waiting, nothing allocated.
    public init() {}

    deinit {
        for index in 0..<count { ring?[(head + index) & (capacity - 1)].release() }
        ring?.deallocate()
    }

    /// Whether nothing waits.
    public var isEmpty: Bool { count == 0 }

    /// Adds a frame at the end. O(1); allocates only when the ring grows.
    public mutating func push(_ frame: Frame) {
        if count == capacity { grow() }
        ring?[(head + count) & (capacity - 1)] = Unmanaged.passRetained(frame)
        count += 1
        bytes += frame.count
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
            bytes -= part.bytes
            if part.isWhole {
                frame.release()
                head = (head + 1) & (capacity - 1)
                count -= 1
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
        let frame = ring[head].takeRetainedValue()
        head = (head + 1) & (capacity - 1)
        count -= 1
        bytes -= frame.count - sentOfHead
        sentOfHead = 0
        if count == 0 { trim() }
        return frame
    }

    /// Lets go of everything.
    public mutating func removeAll() {
        while pop() != nil {}
    }

    private mutating func grow() {
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
