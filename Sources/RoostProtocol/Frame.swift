/// One WebSocket message, framed once and shared by everyone who gets it. Its bytes are immutable, so a loop may hold
/// it in any number of outboxes; the last one to let go frees it. It isn't `Sendable`, so all of them are on one
/// thread.
public final class Frame {
    /// Places in outboxes that hold it. They share one strong reference, which the first takes and the last gives back:
    /// counting with plain additions costs a fan-out a nanosecond where atomic ones cost ten.
    @usableFromInline var holds = 0
    @usableFromInline let start: UnsafeMutableRawPointer
    /// Bytes of header and payload together.
    public let count: Int
    /// Bytes of the WebSocket header before the payload.
    public let headerCount: Int

    /// Copies `bytes`, a complete server-to-client frame whose header takes `headerCount` bytes.
    public init(framed bytes: UnsafeRawBufferPointer, headerCount: Int) {
        count = bytes.count
        self.headerCount = headerCount
        start = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
    }

    deinit { start.deallocate() }

    /// Header and payload.
    @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// The payload alone; tests and the simulation read it.
    public var payload: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + headerCount, count: count - headerCount)
    }
}
