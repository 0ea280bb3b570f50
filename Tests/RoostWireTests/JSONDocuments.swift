import SeededRandom

/// Documents for comparing readers, from a seed: valid objects with every kind of value and many edge cases, and the
/// same after bytes were changed, cut off, doubled or inserted.
struct JSONDocuments {
    /// Documents of one test.
    static let countOfATest = 5_000

    private var random: SeededGenerator
    private var bytes: [UInt8] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The next document.
    mutating func next() -> [UInt8] {
        bytes = []
        switch random.below(16) {
        case 0: noise()
        case 1: nest()
        default: object(depth: 0)
        }
        space()
        if random.below(2) == 0 { for _ in 0...random.below(3) { damage() } }
        return bytes
    }

    // MARK: Valid parts

    private mutating func object(depth: Int) {
        put("{")
        let count = depth == 0 && random.below(50) == 0 ? random.below(90) : random.below(7)
        for index in 0..<count {
            if index > 0 { put(",") }
            space()
            string(names: true)
            space()
            put(":")
            space()
            value(depth: depth + 1)
            space()
        }
        if count == 0 { space() }
        put("}")
    }

    private mutating func array(depth: Int) {
        put("[")
        for index in 0..<random.below(5) {
            if index > 0 { put(",") }
            space()
            value(depth: depth + 1)
            space()
        }
        put("]")
    }

    private mutating func value(depth: Int) {
        switch random.below(depth > 6 ? 7 : 10) {
        case 0: put("null")
        case 1: put(random.below(2) == 0 ? "true" : "false")
        case 2, 3: number()
        case 4, 5, 6: string(names: false)
        case 7: array(depth: depth)
        default: object(depth: depth)
        }
    }

    private static let numbers = [
        "0", "-0", "1", "-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "99999999999999999999", "1e999", "0.0",
        "1E+5", "1e-5", "-1.25e10", "1000000000000000000", "9999999999999999999", "123456789012345678901234567890",
        "0e0", "9007199254740993",
    ]

    private mutating func number() {
        if random.below(3) == 0 { return put(Self.numbers[random.below(Self.numbers.count)]) }
        if random.below(3) == 0 { put("-") }
        put(String(random.next() >> UInt64(random.below(64))))
        if random.below(3) == 0 { put("." + String(random.below(100_000))) }
        if random.below(4) == 0 { put(["e", "E", "e+", "E-"][random.below(4)] + String(random.below(400))) }
    }

    private static let escapes = [
        #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#, #"\u0000"#, #"\u001f"#, #"\u007F"#, #"\u00e9"#,
        #"\u20AC"#, #"\uFFFF"#, #"\ud83d\ude00"#, #"\uDBFF\uDFFF"#, #"\uD800\uDC00"#, #"\u0022"#, #"\u005c"#,
    ]

    private mutating func string(names: Bool) {
        put("\"")
        let count = random.below(random.below(8) == 0 ? 80 : 9)
        for _ in 0..<count {
            switch random.below(12) {
            case 0: put(Self.escapes[random.below(Self.escapes.count)])
            case 1, 2: scalar()
            default:
                let byte = UInt8(0x20 + random.below(0x60))
                bytes.append(byte == 0x22 || byte == 0x5C ? 0x61 : byte)
            }
        }
        put("\"")
    }

    private static let edges: [UInt32] = [
        0x7F, 0x80, 0xFF, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF, 0x2028, 0x85,
        0xFEFF,
    ]

    private mutating func scalar() {
        let value = random.below(2) == 0 ? Self.edges[random.below(Self.edges.count)] : UInt32(random.below(0x11_0000))
        for _ in 0...random.below(4) { bytes += Array(String(Unicode.Scalar(value) ?? "é").utf8) }
    }

    private mutating func space() {
        guard random.below(4) == 0 else { return }
        for _ in 0...random.below(3) { bytes.append([0x20, 0x09, 0x0A, 0x0D][random.below(4)]) }
        if random.below(20) == 0 { bytes += [UInt8](repeating: 0x20, count: random.below(70)) }
    }

    // MARK: Hostile parts

    private mutating func noise() {
        let all = random.below(2) == 0
        let syntax = Array(#"{}[]:,"\0123456789-+.eEtrufalsn "#.utf8)
        put("{")
        for _ in 0..<random.below(60) {
            bytes.append(all ? UInt8(random.below(256)) : syntax[random.below(syntax.count)])
        }
        put("}")
    }

    // Nested about as deep as readers allow, with brackets that may not match.
    private mutating func nest() {
        put(#"{"a":"#)
        var closing: [UInt8] = []
        for _ in 0..<(random.below(2) == 0 ? 60 + random.below(8) : random.below(80)) {
            if random.below(2) == 0 {
                put("[")
                closing.append(0x5D)
            } else {
                put(#"{"":"#)
                closing.append(0x7D)
            }
        }
        put("1")
        if random.below(8) == 0, !closing.isEmpty { closing[random.below(closing.count)] ^= 0x20 }
        bytes += closing.reversed()
        put("}")
    }

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "\\x", "\\u12", "null", "tru", "nul",
        "-", "+",
        ".", "e", "01", "1e", "1.", "1e999", "NaN", "Infinity", "'", "\u{0}", "\u{1f}", "\u{7f}", "\u{85}", "\u{a0}",
        "\u{feff}", "é", "😀", " ", "\n", "\u{b}", "\u{c}", "//", "[[[[[[[[[[[[[[[[", "]]]]]]]]", "{}", "[]", "\"\"",
    ]

    private mutating func damage() {
        let at = random.below(bytes.count + 1)
        let end = min(bytes.count, at + random.below(9))
        switch random.below(9) {
        case 0 where at < bytes.count: bytes[at] = UInt8(random.below(256))
        case 1 where at < bytes.count: bytes[at] ^= 1 << UInt8(random.below(8))
        case 2: bytes.removeSubrange(at..<end)
        case 3: bytes.insert(contentsOf: bytes[at..<end], at: at)
        case 4: bytes.replaceSubrange(at..<end, with: Self.pieces[random.below(Self.pieces.count)].utf8)
        case 5: bytes.insert(contentsOf: Self.pieces[random.below(Self.pieces.count)].utf8, at: at)
        case 6: bytes.removeSubrange(at...)
        case 7: bytes.insert(UInt8(0x80 + random.below(128)), at: at)
        default: bytes.insert(contentsOf: [UInt8(0xC0 + random.below(64)), UInt8(0x80 + random.below(64))], at: at)
        }
    }

    private mutating func put(_ text: String) { bytes += Array(text.utf8) }
}
