/// One WebSocket message, framed once and shared by everyone who gets it. Immutable after creation, so a loop may
/// hold it in any number of outboxes; the last one to let go frees it.
public final class Frame {
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
