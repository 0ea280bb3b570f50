/// One WebSocket message, or several joined (`JoinedFrames`), framed once and shared by everyone who gets it. Its bytes
/// never change, so a loop may hold it in any number of outboxes; the last one to let go frees it. It isn't `Sendable`,
/// so all of them are on one thread. The bytes lie behind the object in the same piece of memory, so that a frame is
/// allocated once.
public final class Frame: ManagedBuffer<Frame.Header, UInt8> {
    /// What is known of the bytes.
    public struct Header {
        /// Places in outboxes that hold it. They share one strong reference, which the first takes and the last gives
        /// back: counting with plain additions costs a fan-out a nanosecond where atomic ones cost ten.
        @usableFromInline var holds = 0
        @usableFromInline let count: Int
        @usableFromInline let headerCount: Int

        @usableFromInline
        init(count: Int, headerCount: Int) {
            self.count = count
            self.headerCount = headerCount
        }
    }

    /// Copies `bytes`, a complete server-to-client frame whose header takes `headerCount` bytes.
    public static func make(framed bytes: UnsafeRawBufferPointer, headerCount: Int) -> Frame {
        let made = Frame.create(minimumCapacity: bytes.count) { _ in
            Header(count: bytes.count, headerCount: headerCount)
        }
        // `create` makes what it is called on.
        let frame = unsafeDowncast(made, to: Frame.self)
        if let source = bytes.baseAddress { frame.start.copyMemory(from: source, byteCount: bytes.count) }
        return frame
    }

    @usableFromInline var start: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    /// Bytes of header and payload together.
    @inlinable public var count: Int { header.count }
    /// Bytes of the WebSocket header before the payload; 0 for joined messages, which have one each.
    @inlinable public var headerCount: Int { header.headerCount }

    /// Header and payload.
    @inlinable public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// A part of them.
    public func bytes(at range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// The payload alone; tests and the simulation read it.
    public var payload: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start + headerCount, count: count - headerCount)
    }
}
