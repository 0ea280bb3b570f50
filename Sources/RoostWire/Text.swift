/// UTF-8 bytes borrowed from the frame that is being handled.
///
/// Decoding a command copies nothing. Its members are `Text`, valid until the handler returns. To keep one, turn it
/// into a `String` or an array. A `Text` must never be stored.
public struct Text {
    /// The borrowed bytes.
    public let bytes: UnsafeRawBufferPointer

    /// Borrows `bytes`, which hold valid UTF-8.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether the bytes are valid UTF-8 (RFC 3629), so that they may become a `Text`.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        UTF8Form.isValid(bytes)
    }

    /// The number of bytes.
    @inlinable public var count: Int { bytes.count }

    /// Whether it is empty.
    @inlinable public var isEmpty: Bool { bytes.isEmpty }

    /// An owned copy.
    @inlinable public var string: String { String(decoding: bytes, as: UTF8.self) }

    /// An owned copy of the bytes.
    @inlinable public var array: [UInt8] { [UInt8](bytes) }

    /// Compares with text that is known at compile time.
    @inlinable
    public static func == (text: Text, literal: StaticString) -> Bool {
        guard text.count == literal.utf8CodeUnitCount else { return false }
        return text.bytes.elementsEqual(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}
