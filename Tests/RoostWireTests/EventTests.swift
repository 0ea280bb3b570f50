import RoostWire
import Testing

/// The models forgive what a newer server adds, and refuse what lacks a promised member.
@Suite struct EventTests {
    private func event(_ text: String) -> Event? {
        JSONValue(parsing: text).flatMap { Event(reading: JSONMembers($0)) }
    }

    @Test(arguments: [
        "{}", #"{"type":7}"#, #"{"type":"novelty"}"#, #"{"type":"message","sequence":"1"}"#, #"{"type":"typing"}"#,
        #"{"type":"welcome","user":"a"}"#, #"{"type":"pong"}"#, #"{"type":"drain","after":"soon"}"#,
        #"{"type":"conversation","event":"merged","conversation":"c","sequence":1,"position":"1","by":"a","time":1}"#,
        #"{"type":"signal","conversation":"c","from":"a"}"#, #"{"type":"gap","conversation":"c","from":1}"#,
    ])
    func refuses(text: String) { #expect(event(text) == nil) }

    @Test func ignoresUnknownMembersAndWords() {
        #expect(event(#"{"type":"drain","after":5,"novelty":[1]}"#) == .drain(.milliseconds(5)))
        #expect(event(#"{"type":"presence","users":[{"user":"a","state":"dancing"},7]}"#) == .presence([]))
        let text = #"{"type":"welcome","user":"a","device":"d","time":1,"durability":"x"}"#
        guard case .welcome(let welcome) = event(text) else {
            Issue.record("not a welcome")
            return
        }
        #expect(welcome.durability == nil)
        #expect(welcome.limits == ServerLimits(Limits()))
    }

    @Test func keepsBodiesByteForByte() {
        let text = #"{"type":"signal","conversation":"c","from":"a","body": {"x" : [ 1e999 ] } }"#
        guard case .signal(let signal) = event(text) else {
            Issue.record("not a signal")
            return
        }
        #expect(String(decoding: signal.body.json, as: UTF8.self) == #"{"x" : [ 1e999 ] }"#)
        #expect(signal.body.text == nil)
        #expect(signal.kind == "signal")
    }

    /// A hostile server may name any number.
    @Test(arguments: [Int64.min, -1, Int64.max])
    func numbersAtTheEdgesDoNotTrap(number: Int64) {
        let limits = #""frameBytes":\#(number),"typingSeconds":\#(number)"#
        #expect(event(#"{"type":"welcome","user":"a","device":"d","time":\#(number),"limits":{\#(limits)}}"#) != nil)
        #expect(event(#"{"type":"drain","after":\#(number)}"#) != nil)
        #expect(event(#"{"type":"error","re":\#(number),"retryAfter":\#(number)}"#) != nil)
        #expect(event(#"{"type":"gap","conversation":"c","from":\#(number),"to":\#(number)}"#) != nil)
    }

    @Test func repliesNameTheCommandByNumberOrText() {
        func reply(_ text: String) -> CommandID? { JSONValue(parsing: text).flatMap { JSONMembers($0).reply } }
        #expect(reply(#"{"type":"ok","re":7}"#) == .number(7))
        #expect(reply(#"{"type":"ok","re":"a"}"#) == .text("a"))
        #expect(reply(#"{"type":"ok","re":-1}"#) == nil)
    }

    @Test func wordsAreReadAsTheyAreWritten() {
        func check<Word: WireWord & Equatable>(_: Word.Type) {
            for word in Word.allCases { #expect(Word(word: "\(word.word)") == word) }
            #expect(Word(word: "novelty") == nil)
        }
        check(MemberRole.self)
        check(ConversationKind.self)
        check(PresenceActivity.self)
        check(ErrorCode.self)
        check(CommandType.self)
    }
}
