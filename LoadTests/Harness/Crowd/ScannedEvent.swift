import Glibc

/// The members of one event that the harness looks at, borrowed from its frame. It scans and does not check: the hot
/// path takes some 100 ns that way, and every 64th frame is parsed strictly beside it (`Device+Receive`).
struct ScannedEvent {
    /// Where a member's value lies: a string's without its quotation marks.
    typealias Span = UnsafeRawBufferPointer

    var type = Span(start: nil, count: 0)
    var conversation = Span(start: nil, count: 0)
    var sequence = Span(start: nil, count: 0)
    var position = Span(start: nil, count: 0)
    var from = Span(start: nil, count: 0)
    var user = Span(start: nil, count: 0)
    var body = Span(start: nil, count: 0)
    var reply = Span(start: nil, count: 0)
    var code = Span(start: nil, count: 0)
    var active = Span(start: nil, count: 0)
    var read = Span(start: nil, count: 0)
    var unread = Span(start: nil, count: 0)
    var duplicate = Span(start: nil, count: 0)

    /// nil: not an object that can be followed.
    init?(_ frame: UnsafeRawBufferPointer) {
        var scanner = Scanner(bytes: frame)
        guard scanner.take(UInt8(ascii: "{")) else { return nil }
        if scanner.take(UInt8(ascii: "}")) { return }
        repeat {
            guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")), let value = scanner.value() else {
                return nil
            }
            keep(value, as: name)
        } while scanner.take(UInt8(ascii: ","))
        guard scanner.take(UInt8(ascii: "}")) else { return nil }
    }

    private mutating func keep(_ value: Span, as name: Span) {
        switch name.count {
        case 2 where name.equals("re"): reply = value
        case 4 where name.equals("type"): type = value
        case 4 where name.equals("from"): from = value
        case 4 where name.equals("body"): body = value
        case 4 where name.equals("user"): user = value
        case 4 where name.equals("code"): code = value
        case 4 where name.equals("read"): read = value
        case 6 where name.equals("active"): active = value
        case 6 where name.equals("unread"): unread = value
        case 8 where name.equals("sequence"): sequence = value
        case 8 where name.equals("position"): position = value
        case 9 where name.equals("duplicate"): duplicate = value
        case 12 where name.equals("conversation"): conversation = value
        default: break
        }
    }
}

/// Follows JSON text without checking it more than it must.
private struct Scanner {
    let bytes: UnsafeRawBufferPointer
    var at = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    mutating func string() -> UnsafeRawBufferPointer? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = at
        while let mark = next(UInt8(ascii: "\"")) {
            at = mark + 1
            if !isEscaped(mark, from: start) { return UnsafeRawBufferPointer(rebasing: bytes[start..<mark]) }
        }
        return nil
    }

    mutating func value() -> UnsafeRawBufferPointer? {
        skipSpace()
        guard at < bytes.count else { return nil }
        if bytes[at] == UInt8(ascii: "\"") { return string() }
        let start = at
        var depth = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                guard string() != nil else { return nil }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return trimmed(from: start) }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return trimmed(from: start)
            default: break
            }
            at += 1
        }
        return nil
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 9 && byte <= 13) }

    private mutating func skipSpace() {
        while at < bytes.count, isSpace(bytes[at]) { at += 1 }
    }

    /// What lies from `start` to here, without the space after it.
    private func trimmed(from start: Int) -> UnsafeRawBufferPointer {
        var end = at
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private func next(_ byte: UInt8) -> Int? {
        guard at < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + at, Int32(byte), bytes.count - at)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Whether an odd number of backslashes stands before `mark`.
    private func isEscaped(_ mark: Int, from start: Int) -> Bool {
        var slashes = 0
        while mark - slashes > start, bytes[mark - slashes - 1] == UInt8(ascii: "\\") { slashes += 1 }
        return slashes % 2 == 1
    }
}

extension UnsafeRawBufferPointer {
    func equals(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount, let baseAddress else { return count == literal.utf8CodeUnitCount }
        return memcmp(baseAddress, literal.utf8Start, count) == 0
    }

    /// The digits as a number; nil if they aren't one of at most 18 digits.
    var wholeNumber: Int? {
        guard count > 0, count <= 18 else { return nil }
        var number = 0
        for byte in self {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }
}
