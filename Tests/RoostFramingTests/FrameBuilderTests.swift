import RoostWire
import Testing

@testable import RoostFraming

@Suite struct FrameBuilderTests {
    private func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

    // Copies the bytes, because a frame's pointers are only valid as long as the frame.
    private func payload(_ frame: Frame) -> [UInt8] { withExtendedLifetime(frame) { Array(frame.payload) } }
    private func bytes(_ frame: Frame) -> [UInt8] { withExtendedLifetime(frame) { Array(frame.bytes) } }
    private func text(_ frame: Frame) -> String { String(decoding: payload(frame), as: UTF8.self) }

    @Test("one message with every kind of member")
    func members() {
        let builder = FrameBuilder()
        builder.begin("ok")
        builder.reply(to: .number(7))
        builder.member("sequence", 12)
        builder.member("low", Int64.min)
        builder.member("high", Int64.max)
        builder.member("zero", 0)
        builder.member("duplicate", true)
        builder.member("more", false)
        builder.member("user", "alice")
        builder.member("kind", word: "text")
        builder.member("position", Position(9))
        builder.member("body", raw: Array(#"{"a" : 1}"#.utf8))
        builder.beginArray("users")
        builder.element("a")
        builder.element("b")
        builder.endArray()
        builder.beginArray("none")
        builder.endArray()
        builder.beginArray("messages")
        builder.beginObject()
        builder.member("sequence", 1)
        builder.endObject()
        builder.beginObject()
        builder.endObject()
        builder.endArray()
        builder.beginObject("limits")
        builder.member("n", -1)
        builder.endObject()
        builder.members(raw: UnsafeRawBufferPointer(start: nil, count: 0))
        let json =
            #"{"type":"ok","re":7,"sequence":12,"low":-9223372036854775808,"high":9223372036854775807,"zero":0,"#
            + #""duplicate":true,"more":false,"user":"alice","kind":"text","position":"9","body":{"a" : 1},"#
            + #""users":["a","b"],"none":[],"messages":[{"sequence":1},{}],"limits":{"n":-1}"#
        #expect(text(builder.written) == json)
        let frame = builder.finish()
        #expect(text(frame) == json + "}")
        #expect(JSONValue(parsing: text(frame)) != nil)
    }

    @Test("numbers of any length are written as Swift writes them")
    func numbers() {
        let builder = FrameBuilder()
        var power: Int64 = 1
        for _ in 0..<19 {
            for number in [power - 1, power, power + 1, power / 2 * 7, -power, Int64.max / power] {
                builder.beginBare()
                builder.member("n", number)
                #expect(text(builder.written) == "\"n\":\(number)")
            }
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
    }

    @Test("a plain text is written unchanged, whatever its storage", arguments: [0, 1, 15, 16, 200, 5_000])
    func plain(count: Int) {
        let builder = FrameBuilder()
        let name = String(repeating: "x", count: count)
        builder.begin("ok")
        builder.member("user", plain: name)
        builder.member("part", plain: String(("a" + name + "b").dropFirst().dropLast()))
        #expect(text(builder.finish()) == #"{"type":"ok","user":"\#(name)","part":"\#(name)"}"#)
    }

    @Test("positions carry the epoch of the log", arguments: ["0", "k3v9x0ab", "zzzzzzzzzzzzz"])
    func positions(epoch: String) {
        let builder = FrameBuilder(epoch: epoch)
        builder.begin("ok")
        builder.member("position", Position(0))
        builder.member("head", Position(.max))
        #expect(
            text(builder.finish())
                == #"{"type":"ok","position":"\#(epoch)-0","head":"\#(epoch)-9223372036854775807"}"#)
    }

    @Test("the id of a reply: number, text, none")
    func reply() {
        let builder = FrameBuilder()
        for (id, json) in [
            (CommandID.number(9_007_199_254_740_992), #","re":9007199254740992"#), (.text("a\"b"), #","re":"a\"b""#),
            (nil, ""),
        ] {
            builder.begin("pong")
            builder.reply(to: id)
            #expect(text(builder.finish()) == #"{"type":"pong"\#(json)}"#)
        }
    }

    @Test("a bare object's members can be put into a message")
    func bare() {
        let builder = FrameBuilder()
        builder.beginBare()
        builder.member("event", word: "renamed")
        builder.member("name", "Crew")
        let stored = Array(builder.written)
        #expect(String(decoding: stored, as: UTF8.self) == #""event":"renamed","name":"Crew""#)
        builder.begin("conversation")
        stored.withUnsafeBytes { builder.members(raw: $0) }
        builder.member("time", 1)
        #expect(text(builder.finish()) == #"{"type":"conversation","event":"renamed","name":"Crew","time":1}"#)
    }

    // RFC 6455, section 5.2: 7 bits up to 125, 16 bits up to 65535, 64 bits above.
    @Test(
        "the length of the payload decides the header",
        arguments: [
            (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (65_535, [0x81, 126, 0xFF, 0xFF]),
            (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]), (3_000_000, [0x81, 127, 0, 0, 0, 0, 0, 0x2D, 0xC6, 0xC0]),
        ] as [(Int, [UInt8])]
    )
    func header(count: Int, expected: [UInt8]) {
        let builder = FrameBuilder()
        for _ in 0..<2 {
            builder.begin("x")
            let envelope = builder.written.count + #","b":"#.utf8.count + 1
            let body = [UInt8](repeating: 0x31, count: count - envelope)
            builder.member("b", raw: body)
            let frame = builder.finish()
            #expect(frame.headerCount == expected.count)
            #expect(Array(bytes(frame).prefix(expected.count)) == expected)
            #expect(frame.count == expected.count + count)
            #expect(payload(frame).count == count)
            #expect(payload(frame) == Array(#"{"type":"x","b":"#.utf8) + body + [0x7D])
        }
    }

    @Test("the shortest message takes the short header")
    func short() {
        let builder = FrameBuilder()
        builder.begin("bye")
        #expect(bytes(builder.finish()) == [0x81, 14] + Array(#"{"type":"bye"}"#.utf8))
    }

    @Test("every control character, and everything else, comes back through the parser")
    func escaping() throws {
        let builder = FrameBuilder()
        let every = (0...0xFF).map { String(UnicodeScalar(UInt8($0))) }
        let texts = every + [every.joined(), "\u{2028}\u{2029}\u{feff}", "😀\u{10ffff}", "", "</script>"]
        for text in texts {
            builder.begin("x")
            builder.member("text", text)
            builder.beginArray("list")
            builder.element(text)
            builder.endArray()
            let payload = payload(builder.finish())
            #expect(!payload.contains { $0 < 0x20 })
            let event = try payload.withUnsafeBytes { try #require(JSONValue(parsing: $0)) }
            #expect(event["text"]?.string?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
            #expect(event["list"]?.elements?.first?.string?.utf8.elementsEqual(text.utf8) == true)
        }
    }

    @Test("a string that isn't stored as contiguous UTF-8 is written, too")
    func substring() {
        let builder = FrameBuilder()
        builder.begin("x")
        builder.member("s", String("--a\"b--".dropFirst(2).dropLast(2)))
        #expect(text(builder.finish()) == #"{"type":"x","s":"a\"b"}"#)
    }

    @Test("a ping has a payload, because libwebsockets doesn't report the pong to an empty one")
    func ping() {
        let frame = FrameBuilder.ping()
        #expect(bytes(frame) == [0x89, 1, 0x72])
        #expect(payload(frame).count == 1)
    }
}
