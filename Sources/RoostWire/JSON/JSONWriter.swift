/// Writes JSON messages, one after another, into a reused buffer. There is room before the text for the header of a
/// WebSocket frame, so that a message is framed without being moved. Used by one thread. It doesn't check its input:
/// callers pass valid JSON where a parameter says `raw`, and text that needs no escape where it says `plain`.
///
/// Its stored properties opt out of the run-time exclusivity check, which would cost more than the writing: no method
/// calls other code while it changes them.
public final class JSONWriter {
    /// Free bytes before the text. The longest header of a WebSocket frame takes 14 (RFC 6455, section 5.2).
    public static let headroom = 16
    @usableFromInline static let keptBytes = 1_048_576
    private static let firstBytes = 4_096
    @exclusivity(unchecked) @usableFromInline var buffer: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline var capacity: Int
    @exclusivity(unchecked) @usableFromInline var filled = JSONWriter.headroom
    @exclusivity(unchecked) @usableFromInline var needsComma = false

    /// The epoch of the log that positions belong to.
    public let epoch: String
    // The head of every position, including the quotation mark and the hyphen. Always copied as one piece.
    @usableFromInline let positionHead: SIMD16<UInt8>
    @usableFromInline let positionHeadCount: Int

    /// Creates an empty writer. The buffer grows to the largest message so far; at most 1 MiB is kept.
    /// - Parameter epoch: epoch of the log that positions belong to: 1 to 13 characters of `0-9a-z`. Leave it out if no
    ///   positions are written.
    public init(epoch: String = "") {
        self.epoch = epoch
        let head = Array(epoch.isEmpty ? "\"".utf8 : "\"\(epoch)-".utf8)
        precondition(head.count <= 16, "an epoch has at most 13 characters")
        var padded = SIMD16<UInt8>()
        for (index, byte) in head.enumerated() { padded[index] = byte }
        positionHead = padded
        positionHeadCount = head.count
        capacity = JSONWriter.firstBytes
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    // MARK: Message

    /// Begins `{"type":"…"`.
    @inlinable
    @inline(__always)
    public func begin(_ type: StaticString) {
        begin()
        write("{\"type\":\"")
        write(type)
        write("\"")
        needsComma = true
    }

    /// Begins with text that another message had `written`.
    @inlinable
    public func begin(as head: [UInt8]) {
        begin()
        head.withUnsafeBytes { write($0) }
        needsComma = true
    }

    /// Ends the object. The written bytes stay valid until the next message begins.
    public func end() {
        write("}")
    }

    /// The JSON written since `begin`. Valid until the next write. `headroom` bytes before it may be overwritten.
    public var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: buffer + JSONWriter.headroom, count: filled - JSONWriter.headroom)
    }

    // MARK: Members

    /// `"name":number`.
    @inlinable
    @inline(__always)
    public func member(_ name: StaticString, _ number: Int64) {
        key(name)
        write(number)
    }

    /// `"name":true` or `false`.
    public func member(_ name: StaticString, _ flag: Bool) {
        key(name)
        write(flag ? "true" : "false")
    }

    /// `"name":"text"` for a text that needs no escaping: a name, a key, an id, a kind.
    @inlinable
    @inline(__always)
    public func member(_ name: StaticString, plain text: String) {
        key(name)
        let isContiguous: Void? = text.utf8.withContiguousStorageIfAvailable { utf8 in
            reserve(utf8.count + 2)
            store(0x22)
            if let source = utf8.baseAddress { (buffer + filled).copyMemory(from: source, byteCount: utf8.count) }
            filled += utf8.count
            store(0x22)
        }
        // Only a bridged string isn't contiguous.
        if isContiguous == nil { string(text) }
    }

    /// `"name":"text"`, escaped.
    public func member(_ name: StaticString, _ text: String) {
        key(name)
        string(text)
    }

    /// `"name":"word"`; the word needs no escape.
    @inlinable
    @inline(__always)
    public func member(_ name: StaticString, word: StaticString) {
        key(name)
        write("\"")
        write(word)
        write("\"")
    }

    /// `"name":"epoch-12"`: positions are opaque strings.
    @inlinable
    @inline(__always)
    public func member(_ name: StaticString, _ position: Position) {
        key(name)
        reserve(16)
        buffer.storeBytes(of: positionHead, toByteOffset: filled, as: SIMD16<UInt8>.self)
        filled += positionHeadCount
        write(position.value)
        write("\"")
    }

    /// `"name":` and valid JSON, byte for byte.
    @inlinable
    @inline(__always)
    public func member(_ name: StaticString, raw json: UnsafeRawBufferPointer) {
        key(name)
        write(json)
    }

    /// `"name":` and valid JSON, byte for byte.
    public func member(_ name: StaticString, raw json: [UInt8]) {
        json.withUnsafeBytes { member(name, raw: $0) }
    }

    /// `"re":…`, or nothing.
    public func reply(to id: CommandID?) {
        switch id {
        case .number(let number):
            key("re")
            write(Int64(clamping: number))
        case .text(let text): member("re", text)
        case nil: break
        }
    }

    /// Begins the array of member `name`.
    public func beginArray(_ name: StaticString) {
        key(name)
        write("[")
        needsComma = false
    }

    /// Ends an array.
    public func endArray() {
        write("]")
        needsComma = true
    }

    /// Begins an object as an element of an array.
    public func beginObject() {
        comma()
        write("{")
        needsComma = false
    }

    /// Begins the object of member `name`.
    public func beginObject(_ name: StaticString) {
        key(name)
        write("{")
        needsComma = false
    }

    /// Ends an object.
    public func endObject() {
        write("}")
        needsComma = true
    }

    /// An element of an array.
    public func element(_ text: String) {
        comma()
        string(text)
    }

    /// An element of an array.
    public func element(_ value: Int64) {
        comma()
        write(value)
    }

    /// Begins an object without type, for JSON that is stored and not sent.
    public func beginBare() {
        begin()
        needsComma = false
    }

    /// One object, whose members `write` writes, for JSON that is stored or sent by other means than a frame.
    public static func object(_ write: (JSONWriter) -> Void) -> [UInt8] {
        let writer = JSONWriter()
        writer.beginBare()
        writer.beginObject()
        write(writer)
        writer.endObject()
        return Array(writer.written)
    }

    /// Member `name`: an array with one object for each element, whose members `write` writes.
    public func objects<Elements: Sequence>(
        _ name: StaticString, _ elements: Elements, _ write: (Elements.Element) -> Void
    ) {
        beginArray(name)
        for element in elements {
            beginObject()
            write(element)
            endObject()
        }
        endArray()
    }

    /// `,` and members that were written after `beginBare`, as they were stored.
    public func members(raw json: UnsafeRawBufferPointer) {
        guard !json.isEmpty else { return }
        comma()
        write(json)
    }

    // MARK: Bytes

    @inlinable
    @inline(__always)
    func begin() {
        filled = JSONWriter.headroom
        if capacity > JSONWriter.keptBytes { shrink() }
    }

    @inline(never)
    @usableFromInline
    func shrink() {
        buffer.deallocate()
        capacity = JSONWriter.firstBytes
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    // Inlined, because copying a name that is known at compile time takes two or three instructions.
    @inlinable
    @inline(__always)
    func key(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        reserve(count + 4)
        if needsComma { store(0x2C) }
        needsComma = true
        store(0x22)
        (buffer + filled).copyMemory(from: name.utf8Start, byteCount: count)
        filled += count
        store(0x22)
        store(0x3A)
    }

    private func comma() {
        if needsComma { put(0x2C) }
        needsComma = true
    }

    @inlinable
    @inline(__always)
    func reserve(_ count: Int) {
        if filled + count > capacity { grow(count) }
    }

    @inline(never)
    @usableFromInline
    func grow(_ count: Int) {
        var larger = capacity
        while larger < filled + count { larger *= 2 }
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        moved.copyMemory(from: buffer, byteCount: filled)
        buffer.deallocate()
        buffer = moved
        capacity = larger
    }

    @inlinable
    @inline(__always)
    func write(_ literal: StaticString) {
        let count = literal.utf8CodeUnitCount
        reserve(count)
        (buffer + filled).copyMemory(from: literal.utf8Start, byteCount: count)
        filled += count
    }

    @inlinable
    func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (buffer + filled).copyMemory(from: source, byteCount: bytes.count)
        filled += bytes.count
    }

    // Two digits at a time, because divisions are the most expensive part.
    @usableFromInline
    func write(_ number: Int64) {
        // A sign and 19 digits.
        reserve(20)
        if number < 0 { store(0x2D) }
        var rest = number.magnitude
        let first = filled
        var at = filled + JSONWriter.digits(of: rest)
        filled = at
        while rest >= 10 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            let (tens, ones) = UInt16(truncatingIfNeeded: pair).quotientAndRemainder(dividingBy: 10)
            at -= 2
            // The tens come first in memory.
            buffer.storeBytes(of: (0x3030 | tens | ones << 8).littleEndian, toByteOffset: at, as: UInt16.self)
            rest = quotient
        }
        guard at > first else { return }
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: 0x30 + rest), toByteOffset: first, as: UInt8.self)
    }

    // Estimates by the number of bits: 1233/4096 is the logarithm of 2, so the result is right or one too low.
    private static func digits(of number: UInt64) -> Int {
        let guess = ((64 - (number | 1).leadingZeroBitCount) * 1_233) >> 12
        return number < powers[guess] ? max(guess, 1) : guess + 1
    }

    private static let powers: [UInt64] = [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
        100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
        10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
    ]

    // RFC 8259, section 7: quotation mark, reverse solidus and control characters must be escaped.
    @usableFromInline
    func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            // An escape takes six bytes, the quotes two.
            reserve(utf8.count * 6 + 2)
            store(0x22)
            if let source = utf8.baseAddress {
                if JSONWriter.isPlain(utf8) {
                    (buffer + filled).copyMemory(from: source, byteCount: utf8.count)
                    filled += utf8.count
                } else {
                    for byte in utf8 { storeEscaped(byte) }
                }
            }
            store(0x22)
        }
    }

    // Whether no byte needs escaping, as in names and keys. Without a branch, so that it is vectorised.
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        for byte in utf8 { found |= byte < 0x20 || byte == 0x22 || byte == 0x5C ? 1 : 0 }
        return found == 0
    }

    private func storeEscaped(_ byte: UInt8) {
        switch byte {
        case 0x22, 0x5C:
            store(0x5C)
            store(byte)
        case 0..<0x20:
            store(0x5C)
            store(0x75)
            store(0x30)
            store(0x30)
            store(JSONWriter.hex(byte >> 4))
            store(JSONWriter.hex(byte & 15))
        default: store(byte)
        }
    }

    private func put(_ byte: UInt8) {
        reserve(1)
        store(byte)
    }

    // There must be room for it.
    @inlinable
    @inline(__always)
    func store(_ byte: UInt8) {
        buffer.storeBytes(of: byte, toByteOffset: filled, as: UInt8.self)
        filled += 1
    }

    private static func hex(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 48 + nibble : 87 + nibble }
}
