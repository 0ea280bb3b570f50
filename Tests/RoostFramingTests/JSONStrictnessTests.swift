import RoostWire
import Testing

@testable import RoostFraming

/// Documents that are JSON (RFC 8259) and documents that aren't, given to the parser of commands.
@Suite struct JSONStrictnessTests {
    private func accepts(_ bytes: [UInt8]) -> Bool { Decoding()(bytes).code != .badJSON }

    private func accepts(_ json: String) -> Bool { accepts(Array(json.utf8)) }

    @Test(
        "what isn't a number, literal or string isn't passed on, at any depth",
        arguments: [
            "tru", "truE", "truee", "true1", "True", "fals", "falsee", "nul", "nulll", "NaN", "Infinity", "-Infinity",
            "1.", ".5", "01", "-01", "-", "+1", "--1", "1e", "1e+", "1.e3", "0x10", "1_000", "1a", "1.5.5", "1e5e5",
            "00",
            "'a'", "a", "\"", "\"a", "\"a\"b", "\"a\"\"b\"", "1\"a\"", "a\"b\"", "\\\"a\"", "\"a\nb\"", "\"a\u{0}b\"",
            "\"\u{1f}\"",
            #""\x""#, #""\u12""#, #""\u12g4""#, #""\""#, #""\u""#, #""\U0041""#, #""\uD83"#, #""\ud83d\u12g4""#,
            "", ",", ":", "[", "]", "{", "}", "[1", "1]", "[1,]", "[,1]", "[1 2]", "[1:2]", "{1:2}", #"{"a"}"#,
            #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{"a":1}}"#, "[1}", #"{"a":1]"#, "{,}", "[[]",
            "/* c */1", "1 // c", "\u{0}", "1\u{0}", "\u{c}1", "1\u{c}", "\u{b}1", "\u{a0}1", "1\u{85}", "\u{feff}1",
        ]
    )
    func invalid(value: String) {
        #expect(!accepts(#"{"body":\#(value)}"#))
        #expect(!accepts(#"{"body":[\#(value)]}"#) || value.isEmpty)
        #expect(!accepts(#"{"body":[1,{"x":\#(value)}],"a":1}"#))
    }

    @Test(
        "half of a surrogate pair is JSON, but can't be passed on: the refusal has the id and names the member",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ude00\ud83d""#,
            #""\ud83d\u0041""#, #""cut \uD83D""#,
        ]
    )
    func halfPair(value: String) {
        func refused(_ name: String, _ id: CommandID? = .number(7)) -> Decoding.Outcome {
            .refused(id, .badRequest, "\(name) has half of a surrogate pair")
        }
        let decode = Decoding()
        let send = #"{"type":"send","to":"@bob","key":"k""#
        #expect(decode(send + #","body":\#(value),"id":7}"#) == refused("body"))
        #expect(decode(send + #","id":7,"kind":"x","body":[1,{"x":[\#(value)]}]}"#) == refused("body"))
        #expect(decode(send + #","id":7,"body":{\#(value):1}}"#) == refused("body"))
        #expect(decode(send + #","id":7,"other":\#(value)}"#) == refused("a member"))
        #expect(decode(send + #","id":7,\#(value):1,"to":\#(value)}"#) == refused("a member"))
        #expect(decode(send + #","id":\#(value),"body":"b"}"#) == refused("id", nil))
        #expect(decode(send + #","id":1.5,"body":\#(value)}"#) == refused("body", nil))
        // The last of several counts.
        #expect(decode(send + #","id":6,"body":\#(value),"id":7}"#) == refused("body"))
        for end in ["", "]", "}}", "} x", ",}"] {
            #expect(decode(send + #","id":7,"body":\#(value)\#(end)"#).code == .badJSON, "\(end)")
        }
    }

    @Test(
        "what is valid passes byte for byte, whatever its size",
        arguments: [
            "true", "false", "null", "0", "-0", "1", "-1", "1.5", "0.0", "1e5", "1E+5", "1e-5", "1.25e10", "1e999",
            "-1e999",
            "123456789012345678901234567890", "-9223372036854775808", "9223372036854775807", "1e-999", "0e0",
            "0.000000000000000000000000000000000001", #""""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9""#,
            #""\ud83d\ude00""#, #""\uD83D\uDE00""#, #""é€😀""#, "\"\u{7f}\"", "\"\u{85}\u{2028}\"", "[]", "{}", "[ ]",
            "{ }", "[[],{}]", #"{"a":{"b":[1,"]"]}}"#, #"[1 , 2]"#, "[\n1\t]", #"{"a":1,"a":2}"#, #"{"":""}"#,
            "\"\u{10ffff}\u{fffd}\"",
        ]
    )
    func valid(value: String) {
        let json = #"{"type":"signal","to":"c","body": \#(value) ,"a":1}"#
        #expect(Decoding()(json).description == "signal | c | - | \(value)")
        #expect(accepts(#"{"body":[1,{"x":[\#(value)]}],"a":1}"#))
    }

    @Test(
        "only one object, and nothing after it",
        arguments: [
            "", " ", "1", "null", "[]", #""a""#, "[{}]", "{} x", "{}{}", "{},", "{}]", "{}}", "{} {}", "{} 1", "{",
            "}", #"{"a":1} x"#, #"{"a":1}x"#, "{}\u{0}", "\u{0}{}", "\u{feff}{}", "{}\u{feff}", #"{"a":1"#, #"{"a"#,
            "{]",
        ]
    )
    func notOneObject(json: String) {
        #expect(!accepts(json))
    }

    @Test("an empty object is JSON, but no command")
    func empty() {
        #expect(Decoding()("{}") == .refused(nil, .badRequest, "type is missing"))
        #expect(Decoding()(" {\n} ") == .refused(nil, .badRequest, "type is missing"))
    }

    @Test(
        "bytes that aren't UTF-8 (RFC 3629): truncated, overlong, surrogates, beyond U+10FFFF",
        arguments: [
            [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE2, 0x82], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3, 0x28],
        ] as [[UInt8]]
    )
    func notUTF8(bytes: [UInt8]) {
        for pad in [0, 50, 61, 62, 63, 64, 120] {
            let start = Array(#"{"body":""#.utf8) + [UInt8](repeating: 0x61, count: pad)
            #expect(!accepts(start + bytes + Array(#""}"#.utf8)))
            #expect(accepts(start + Array(#"é"}"#.utf8)))
        }
    }

    @Test("every prefix of a valid command is refused")
    func prefixes() {
        let json = Array(#"{"type":"send","id":12,"to":"c","key":"k","kind":"x","body":{"a":[1,true,"\u00e9é"]}}"#.utf8)
        #expect(accepts(json))
        for count in 0..<json.count { #expect(!accepts(Array(json[..<count]))) }
    }

    @Test("strings and escapes across every offset of the parser's blocks of 64 bytes")
    func offsets() {
        for pad in 0..<140 {
            let spaces = String(repeating: " ", count: pad)
            let json = #"{\#(spaces)"type":"watch","id":"\\\"é","users":["a","\u0062"]}"#
            #expect(Decoding()(json) == .command(.text("\\\"é"), "watch | a,b"))
            #expect(!accepts(#"{\#(spaces)"type":"watch\","id":1}"#))
        }
    }
}
