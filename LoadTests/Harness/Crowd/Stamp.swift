/// The head of every text of the harness: the message's run and place, its number, and when it was due and sent. Fixed
/// places of hexadecimal digits, so that reading it back takes some 30 ns; the padding after it follows from the
/// number, so that a body that was changed shows.
struct Stamp: Equatable {
    /// `RL`, then the run (8 digits), place (8), number (8), due (16), sent (16) and the length of the text (5).
    static let byteCount = 63

    var run: UInt32
    /// The sender's place: device and conversation.
    var place: Int
    var number: Int
    var due: UInt64
    var sent: UInt64
    var length: Int

    private var padding: UInt8 { UInt8(ascii: "a") + UInt8(truncatingIfNeeded: number % 26) }

    /// Writes the text, `length` bytes; there has to be room for them.
    func write(to text: UnsafeMutableRawBufferPointer) {
        guard text.count >= length, length > Stamp.byteCount else { return }
        text[0] = UInt8(ascii: "R")
        text[1] = UInt8(ascii: "L")
        var at = 2
        Stamp.write(UInt64(run), digits: 8, to: text, &at)
        Stamp.write(UInt64(truncatingIfNeeded: place), digits: 8, to: text, &at)
        Stamp.write(UInt64(truncatingIfNeeded: number), digits: 8, to: text, &at)
        Stamp.write(due, digits: 16, to: text, &at)
        Stamp.write(sent, digits: 16, to: text, &at)
        Stamp.write(UInt64(truncatingIfNeeded: length), digits: 5, to: text, &at)
        for index in at..<length { text[index] = padding }
    }

    /// nil: not a text of a harness, or one that was changed.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count > Stamp.byteCount, text[0] == UInt8(ascii: "R"), text[1] == UInt8(ascii: "L") else {
            return nil
        }
        var at = 2
        guard let run = Stamp.read(8, from: text, &at), let place = Stamp.read(8, from: text, &at),
            let number = Stamp.read(8, from: text, &at), let due = Stamp.read(16, from: text, &at),
            let sent = Stamp.read(16, from: text, &at), let length = Stamp.read(5, from: text, &at)
        else { return nil }
        self.init(
            run: UInt32(truncatingIfNeeded: run), place: Int(place), number: Int(number), due: due, sent: sent,
            length: Int(length))
        guard self.length == text.count, isPadding(UnsafeRawBufferPointer(rebasing: text[at...])) else { return nil }
    }

    /// Eight bytes at a time: all of a text is looked at, and there are many.
    private func isPadding(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let eight = UInt64(padding) &* 0x0101_0101_0101_0101
        var differs: UInt64 = 0
        var at = 0
        while at + 8 <= bytes.count {
            differs |= bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) ^ eight
            at += 8
        }
        while at < bytes.count {
            differs |= UInt64(bytes[at] ^ padding)
            at += 1
        }
        return differs == 0
    }

    init(run: UInt32, place: Int, number: Int, due: UInt64, sent: UInt64, length: Int) {
        self.run = run
        self.place = place
        self.number = number
        self.due = due
        self.sent = sent
        self.length = length
    }

    private static func write(_ value: UInt64, digits: Int, to text: UnsafeMutableRawBufferPointer, _ at: inout Int) {
        for place in stride(from: (digits - 1) * 4, through: 0, by: -4) {
            let nibble = UInt8(truncatingIfNeeded: (value >> UInt64(place)) & 15)
            text[at] = nibble < 10 ? 48 + nibble : 87 + nibble
            at += 1
        }
    }

    private static func read(_ digits: Int, from text: UnsafeRawBufferPointer, _ at: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in at..<(at + digits) {
            let byte = text[index]
            switch byte {
            case 48...57: value = value << 4 | UInt64(byte - 48)
            case 97...102: value = value << 4 | UInt64(byte - 87)
            default: return nil
            }
        }
        at += digits
        return value
    }
}
