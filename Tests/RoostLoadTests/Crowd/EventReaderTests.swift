import Testing

@testable import RoostLoad

/// The reader finds the members in any order, and refuses what isn't JSON.
@Suite struct EventReaderTests {
    private let reader = EventReader()

    private func read<Value>(_ text: String, _ body: (EventView?) -> Value) -> Value {
        Array(text.utf8).withUnsafeBytes { body(reader.read($0)) }
    }

    private func word(_ span: UnsafeRawBufferPointer?) -> String {
        span.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    @Test func findsMembersInAnyOrder() {
        let text = #" { "sequence" : 17 , "x":[1,{"type":"no"}], "body":"a\"b\\" ,"type":"message","from":"bob"} "#
        read(text) { event in
            #expect(word(event?.type) == "message")
            #expect(event?.sequence.wholeNumber == 17)
            #expect(word(event?.body) == #"a"b\"#)
            #expect(word(event?.from) == "bob")
        }
    }

    @Test func ignoresNestedMembers() {
        read(#"{"type":"ok","conversation":{"conversation":"c1","sequence":3},"re":4}"#) { event in
            #expect(event?.reply.wholeNumber == 4)
            #expect(event?.sequence.isEmpty == true)
            let conversation = word(event?.conversation)
            #expect(conversation.first == "{")
        }
    }

    @Test func refusesTruncatedText() {
        let text = #"{"type":"message","body":"a\\","sequence":1,"x":[{"y":"]"}]}"#
        for count in 0..<text.utf8.count {
            let isNone = read(String(text.prefix(count))) { $0 == nil }
            #expect(isNone, "\(count) bytes")
        }
    }

    @Test(arguments: ["", "[]", "null", "{", "{}x{", #"{"a"}"#, #"{"a":}"#])
    func refusesWhatIsNotOneObject(text: String) { read(text) { #expect($0 == nil) } }

    @Test func numbersHaveBounds() {
        func number(_ text: String) -> Int? { Array(text.utf8).withUnsafeBytes(\.wholeNumber) }
        #expect(number("0") == 0)
        #expect(number("999999999999999999") == 999_999_999_999_999_999)
        for wrong in ["", "-1", "1.0", "1e3", "1234567890123456789", " 1", "x"] { #expect(number(wrong) == nil) }
    }
}
