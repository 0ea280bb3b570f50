/// The grammar of RFC 8259, rule by rule, as simple as possible. The reader is compared with it. It reads one object,
/// builds all of it, and leaves UTF-8, scalars and whole numbers to the standard library.
struct ReferenceJSON {
    enum Value {
        case null, bool(Bool), number, string(String)
        case array([Node])
        case object([(name: String, node: Node)])
    }

    /// A value, with the bytes that it was read from.
    final class Node {
        let value: Value
        let raw: [UInt8]

        init(value: Value, raw: [UInt8]) {
            self.value = value
            self.raw = raw
        }
    }

    private struct Wrong: Error {}
    /// The document is nested deeper than it may be.
    struct TooDeep: Error {}

    private let bytes: [UInt8]
    private let depthMax: Int
    private var at = 0

    /// The object that the document is; nil if it isn't one.
    static func read(_ bytes: [UInt8], depthMax: Int) throws(TooDeep) -> Node? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = ReferenceJSON(bytes: bytes, depthMax: depthMax)
        do {
            reader.space()
            guard reader.peek == UInt8(ascii: "{") else { return nil }
            let node = try reader.node(depth: 1)
            reader.space()
            return reader.at == bytes.count ? node : nil
        } catch let error as TooDeep {
            throw error
        } catch {
            return nil
        }
    }

    private init(bytes: [UInt8], depthMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func take(_ byte: UInt8) throws {
        guard peek == byte else { throw Wrong() }
        at += 1
    }

    private mutating func take(_ text: String) throws {
        for byte in text.utf8 { try take(byte) }
    }

    // ws = *( %x20 / %x09 / %x0A / %x0D )
    private mutating func space() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
    }

    // value = false / null / true / object / array / number / string
    private mutating func node(depth: Int) throws -> Node {
        let start = at
        let value: Value
        switch peek {
        case UInt8(ascii: "{"): value = .object(try object(depth: depth))
        case UInt8(ascii: "["): value = .array(try array(depth: depth))
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"):
            try take("true")
            value = .bool(true)
        case UInt8(ascii: "f"):
            try take("false")
            value = .bool(false)
        case UInt8(ascii: "n"):
            try take("null")
            value = .null
        default:
            try number()
            value = .number
        }
        return Node(value: value, raw: Array(bytes[start..<at]))
    }

    // object = "{" [ member *( "," member ) ] "}"
    private mutating func object(depth: Int) throws -> [(name: String, node: Node)] {
        guard depth <= depthMax else { throw TooDeep() }
        try take(UInt8(ascii: "{"))
        space()
        var members: [(name: String, node: Node)] = []
        if peek == UInt8(ascii: "}") {
            at += 1
            return members
        }
        while true {
            space()
            let name = try string()
            space()
            try take(UInt8(ascii: ":"))
            space()
            members.append((name, try node(depth: depth + 1)))
            space()
            guard peek == UInt8(ascii: ",") else { break }
            at += 1
        }
        try take(UInt8(ascii: "}"))
        return members
    }

    // array = "[" [ value *( "," value ) ] "]"
    private mutating func array(depth: Int) throws -> [Node] {
        guard depth <= depthMax else { throw TooDeep() }
        try take(UInt8(ascii: "["))
        space()
        var elements: [Node] = []
        if peek == UInt8(ascii: "]") {
            at += 1
            return elements
        }
        while true {
            space()
            elements.append(try node(depth: depth + 1))
            space()
            guard peek == UInt8(ascii: ",") else { break }
            at += 1
        }
        try take(UInt8(ascii: "]"))
        return elements
    }

    // number = [ "-" ] ( "0" / digit1-9 *DIGIT ) [ "." 1*DIGIT ] [ e [ "-" / "+" ] 1*DIGIT ]
    private mutating func number() throws {
        if peek == UInt8(ascii: "-") { at += 1 }
        if peek == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            at += 1
            if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") { at += 1 }
            try digits()
        }
    }

    private mutating func digits() throws {
        let start = at
        while let byte = peek, byte >= 0x30, byte <= 0x39 { at += 1 }
        guard at > start else { throw Wrong() }
    }

    // string = %x22 *char %x22
    private mutating func string() throws -> String {
        try take(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Wrong() }
            at += 1
            if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(byte) }
        }
        try take(UInt8(ascii: "\""))
        guard let string = String(validating: text, as: UTF8.self) else { throw Wrong() }
        return string
    }

    private mutating func escape() throws -> [UInt8] {
        guard let byte = peek else { throw Wrong() }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let first = try unit()
            var units = [first]
            if UTF16.isLeadSurrogate(first) {
                try take(#"\u"#)
                units.append(try unit())
            }
            // A single half of a surrogate pair has no form in UTF-8.
            guard let text = String(validating: units, as: UTF16.self) else { throw Wrong() }
            return Array(text.utf8)
        default: throw Wrong()
        }
    }

    private mutating func unit() throws -> UInt16 {
        guard at + 4 <= bytes.count else { throw Wrong() }
        let digits = String(decoding: bytes[at..<at + 4], as: UTF8.self)
        guard digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }), let unit = UInt16(digits, radix: 16)
        else { throw Wrong() }
        at += 4
        return unit
    }
}
