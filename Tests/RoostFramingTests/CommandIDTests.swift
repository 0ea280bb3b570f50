import RoostWire
import Testing

@testable import RoostFraming

@Suite struct CommandIDTests {
    let decode = Decoding()

    @Test(
        "whole numbers from 0 to 2^53 and strings of 1 to 64 bytes are ids",
        arguments: [
            ("0", CommandID.number(0)), ("-0", .number(0)), ("9007199254740992", .number(9_007_199_254_740_992)),
            (#""a""#, .text("a")), (#""é \"x\"""#, .text("é \"x\"")), (#""\u0000""#, .text("\0")),
            ("\"" + String(repeating: "é", count: 32) + "\"", .text(String(repeating: "é", count: 32))),
        ]
    )
    func good(id: String, expected: CommandID) {
        #expect(decode(#"{"type":"ping","id":\#(id)}"#) == .command(expected, "ping"))
    }

    @Test(
        "anything else is refused without an id, before anything else of the command is looked at",
        arguments: [
            "-1", "1.0", "1e3", "9007199254740993", "18446744073709551616", "true", "false", "[]", "{}", #""""#,
            "\"" + String(repeating: "a", count: 65) + "\"", "\"" + String(repeating: "é", count: 32) + "a\"",
        ]
    )
    func bad(id: String) {
        for type in ["ping", "typing", "nothing"] {
            let outcome = decode(#"{"type":"\#(type)","id":\#(id)}"#)
            #expect(outcome.code == .badRequest)
            #expect(outcome.id == nil)
            #expect(outcome.reason.hasPrefix("id must be"))
        }
    }

    @Test("the commands that are always answered need one", arguments: CommandType.allCases)
    func needed(type: CommandType) {
        let without = decode(#"{"type":"\#(type.word)"}"#)
        let free: Set<CommandType> = [.signal, .typing, .ack, .read, .bye]
        #expect((without == .refused(nil, .badRequest, "id is missing")) == !free.contains(type))
    }

    @Test("a refusal repeats the id, wherever it stands and also if it is text")
    func carried() {
        #expect(decode(#"{"users":[],"type":"watch","id":"x-1"}"#).id == .text("x-1"))
        #expect(
            decode(#"{"type":"nothing","id":7}"#) == .refused(.number(7), .unknownType, "unknown command type")
        )
        #expect(decode(#"{"id":7}"#) == .refused(.number(7), .badRequest, "type is missing"))
        #expect(decode(#"{"type":null,"id":7}"#) == .refused(.number(7), .badRequest, "type is missing"))
        #expect(decode(#"{"type":1,"id":7}"#) == .refused(.number(7), .badRequest, "type must be a string"))
    }

    @Test(
        "words that are almost commands are none",
        arguments: [
            "", "Send", "sen", "send ", "send\\u0000", "conversation", "conversation.creatf", "conversation.xxxxxx",
            "conversbtion.create", "conversation.members.", "conversation.createconversation.create",
        ]
    )
    func almost(type: String) {
        #expect(decode(#"{"type":"\#(type)","id":1}"#).code == .unknownType)
    }
}
