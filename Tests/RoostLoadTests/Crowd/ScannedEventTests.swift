import Testing

@testable import RoostLoad

/// The scanner finds the members in any order, and never reads past the end.
@Suite struct ScannedEventTests {
    private func scan<Value>(_ text: String, _ body: (ScannedEvent?) -> Value) -> Value {
        Array(text.utf8).withUnsafeBytes { body(ScannedEvent($0)) }
    }

    private func word(_ span: UnsafeRawBufferPointer?) -> String {
        span.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test func findsMembersInAnyOrder() {
        let text = #" { "sequence" : 17 , "x":[1,{"type":"no"}], "body":"a\"b\\" ,"type":"message","from":"bob"} "#
        scan(text) { event in
            #expect(word(event?.type) == "message")
            #expect(event?.sequence.wholeNumber == 17)
            #expect(word(event?.body) == #"a\"b\\"#)
            #expect(word(event?.from) == "bob")
        }
    }

    @Test func ignoresNestedMembers() {
        scan(#"{"type":"ok","conversation":{"conversation":"c1","sequence":3},"re":4}"#) { event in
            #expect(event?.reply.wholeNumber == 4)
            #expect(event?.sequence.isEmpty == true)
            let conversation = word(event?.conversation)
            #expect(conversation.first == "{")
        }
    }

    @Test func truncatedTextIsRefusedOrHarmless() {
        let text = Array(#"{"type":"message","body":"a\\","sequence":1,"x":[{"y":"]"}]}"#.utf8)
        for count in 0..<text.count {
            let isNone = text[..<count].withUnsafeBytes { ScannedEvent($0) == nil }
            #expect(isNone, "\(count) bytes")
        }
    }

    @Test(arguments: ["", "[]", "null", "{", "{}x{", #"{"a"}"#, #"{"a":}"#])
    func oddTextsDoNotTrap(text: String) { scan(text) { _ in } }

    @Test func numbersHaveBounds() {
        func number(_ text: String) -> Int? { Array(text.utf8).withUnsafeBytes(\.wholeNumber) }
        #expect(number("0") == 0)
        #expect(number("999999999999999999") == 999_999_999_999_999_999)
        for wrong in ["", "-1", "1.0", "1e3", "1234567890123456789", " 1", "x"] { #expect(number(wrong) == nil) }
    }
}
