/// One WebSocket message, or several joined (`JoinedFrames`), framed once and shared by all receivers. Its bytes never
/// change, so it can be in any number of outboxes; it is freed when the last one releases it. It isn't `Sendable`: all
/// holders are on one thread. The bytes follow the object in the same block of memory, so a frame takes one allocation.
public final class Frame: ManagedBuffer<Frame.Header, UInt8> {
    /// The sizes, and a count of the holders.
    public struct Header {
        /// The number of outbox places that hold it. Together they keep one strong reference, taken by the first and
        /// released by the last: counting with plain additions costs a nanosecond in a fan-out, atomic operations cost
        /// ten.
        @usableFromInline var holds = 0
        @usableFromInline let count: Int
        @usableFromInline let headerCount: Int

        @usableFromInline
        init(count: Int, headerCount: Int) {
            self.count = count
            self.headerCount = headerCount
        }
    }

    /// Copies `bytes`, a complete server-to-client frame with a header of `headerCount` bytes.
    public static func make(framed bytes: UnsafeRawBufferPointer, headerCount: Int) -> Frame {
        let made = Frame.create(minimumCapacity: bytes.count) { _ in
            Header(count: bytes.count, headerCount: headerCount)
        }
        // `create` returns an object of the class it is called on.
        let frame = unsafeDowncast(made, to: Frame.self)
        if let source = bytes.baseAddress { frame.start.copyMemory(from: source, byteCount: bytes.count) }
        return frame
    }

    @usableFromInline var start: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    /// Number of bytes of header and payload together.
    @inlinable public var count: Int { header.count }
    /// Bytes of the WebSocket header before the payload; 0 for joined messages, which have a header each.
    @inlinable public var headerCount: Int { header.headerCount }

    /// Header and payload.
    @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// A part of them.
    public func bytes(at range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// The payload alone, for tests and the simulation.
    public var payload: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + headerCount, count: count - headerCount)
    }
}
