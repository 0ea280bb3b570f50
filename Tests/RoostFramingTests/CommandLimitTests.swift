import RoostWire
import Testing

@testable import RoostFraming

/// Every limit of a command: a value exactly at it, and one above it.
@Suite struct CommandLimitTests {
    let limits = Limits()
    let decode = Decoding()

    private func send(_ body: String, kind: String = "text") -> Decoding.Outcome {
        decode(#"{"type":"send","id":1,"to":"c","key":"k","kind":"\#(kind)","body":\#(body)}"#)
    }

    private func quoted(_ count: Int, _ unit: String = "a") -> String {
        "\"" + String(repeating: unit, count: count) + "\""
    }

    @Test(
        "a text is counted in Unicode scalars, however they are written",
        arguments: ["a", "é", "€", "😀", #"\/"#, #"\u00e9"#, #"\ud83d\ude00"#]
    )
    func textScalars(unit: String) {
        #expect(send(quoted(limits.textScalars, unit)).code == nil)
        #expect(send(quoted(limits.textScalars + 1, unit)).code == .tooLarge)
        let edit =
            #"{"type":"edit","id":1,"conversation":"c","sequence":1,"body":\#(quoted(limits.textScalars, unit))}"#
        #expect(decode(edit).description?.hasSuffix("| text") == true)
    }

    @Test("one visible scalar makes a text; what renderers ignore shows nothing")
    func blank() {
        #expect(send("\" \u{a0}\u{3000}.\"").code == nil)
        #expect(send("\"\u{200b}.\"").code == nil)
        for unseen in ["\u{200b}", "\u{feff}", "\u{3164}", "\u{2800}", "\u{ad}", "\u{180e}", "\u{301}", "\u{fe0f}"] {
            #expect(send("\"\(unseen)\"").code == .badRequest)
            #expect(send("\" \(unseen)\\n\"").code == .badRequest)
        }
        #expect(send(#""\u0000""#).code == .badRequest)
        #expect(send("\"\u{a0}\u{2000}\u{200a}\u{202f}\u{205f}\u{3000}\"").code == .badRequest)
    }

    @Test("other bodies are counted in bytes as they are written, without white space around them")
    func bodyBytes() {
        let most = quoted(limits.bodyBytes - 2)
        #expect(send(most, kind: "x").code == nil)
        #expect(send(" \n" + most + "\t ", kind: "x").code == nil)
        #expect(send(quoted(limits.bodyBytes - 1), kind: "x").code == .tooLarge)
        #expect(send("[" + quoted(limits.bodyBytes - 4) + "]", kind: "x").code == nil)
        #expect(send("[ " + quoted(limits.bodyBytes - 4) + "]", kind: "x").code == .tooLarge)
        let signal = #"{"type":"signal","to":"c","body":"#
        #expect(decode(signal + most + "}").code == nil)
        #expect(decode(signal + quoted(limits.bodyBytes - 1) + "}").code == .tooLarge)
    }

    @Test("an edit may be as long as a text, or as another body")
    func edit() {
        let edit = #"{"type":"edit","id":1,"conversation":"c","sequence":1,"body":"#
        #expect(decode(edit + quoted(limits.textScalars + 1) + "}").description?.hasSuffix("| long") == true)
        #expect(decode(edit + quoted(limits.bodyBytes - 1) + "}").code == .tooLarge)
    }

    @Test("names, kinds, reactions and group names")
    func bytes() {
        let name = String(repeating: "~", count: limits.nameBytes)
        #expect(decode(#"{"type":"typing","to":"\#(name)"}"#).code == nil)
        #expect(decode(#"{"type":"typing","to":"@\#(name)"}"#).code == nil)
        #expect(decode(#"{"type":"typing","to":"@\#(name)~"}"#).code == .badRequest)
        #expect(decode(#"{"type":"watch","id":1,"users":["\#(name)"]}"#).code == nil)
        #expect(decode(#"{"type":"watch","id":1,"users":["\#(name)~"]}"#).code == .badRequest)
        #expect(decode(#"{"type":"typing","to":"!"}"#).code == nil)
        let kind = String(repeating: "z", count: limits.kindBytes)
        #expect(send("1", kind: kind).code == nil)
        #expect(send("1", kind: kind + "z").code == .badRequest)
        let react = #"{"type":"react","id":1,"conversation":"c","sequence":1,"reaction":"#
        #expect(decode(react + quoted(8, "👍") + "}").code == nil)
        #expect(decode(react + quoted(8, "👍").dropLast() + "x\"}").code == .badRequest)
        let rename = #"{"type":"conversation.rename","id":1,"conversation":"c","name":"#
        #expect(decode(rename + quoted(limits.groupNameBytes) + "}").code == nil)
        #expect(decode(rename + quoted(limits.groupNameBytes + 1) + "}").code == .tooLarge)
        let key = String(repeating: "~", count: limits.stateKeyBytes)
        let most = quoted(limits.stateBytes - 2)
        #expect(decode(#"{"type":"state.set","id":1,"key":"\#(key)","value": \#(most) }"#).code == nil)
        #expect(decode(#"{"type":"state.set","id":1,"key":"\#(key)~","value":1}"#).code == .badRequest)
        let status = #"{"type":"status","id":1,"text":"#
        #expect(decode(status + quoted(limits.statusScalars, "👍") + "}").code == nil)
        #expect(decode(status + quoted(limits.statusScalars + 1) + "}").code == .tooLarge)
    }

    @Test("lists of names; watch has its own limit")
    func lists() {
        func names(_ count: Int) -> String { "[" + (0..<count).map { #""u\#($0)""# }.joined(separator: ",") + "]" }
        let add = #"{"type":"conversation.add","id":1,"conversation":"c","users":"#
        let create = #"{"type":"conversation.create","id":1,"kind":"group","name":"n","members":"#
        for command in [add, create] {
            #expect(decode(command + names(limits.listNames) + "}").code == nil)
            #expect(decode(command + names(limits.listNames + 1) + "}").code == .tooLarge)
        }
        let watch = #"{"type":"watch","id":1,"users":"#
        #expect(decode(watch + names(limits.watchNames) + "}").code == nil)
        #expect(decode(watch + names(limits.watchNames + 1) + "}").code == .tooLarge)
        let except = #"{"type":"except","id":1,"as":"never","users":"#
        #expect(decode(except + names(limits.exceptNames) + "}").code == nil)
        #expect(decode(except + names(limits.exceptNames + 1) + "}").code == .tooLarge)
        let counts = #"{"type":"watch","id":1,"conversations":"#
        #expect(decode(counts + names(limits.countsPerSession) + "}").code == nil)
        #expect(decode(counts + names(limits.countsPerSession + 1) + "}").code == .tooLarge)
        for wrong in ["[]", "[1]", #""c""#, #"[""]"#] { #expect(decode(counts + wrong + "}").code == .badRequest) }
        var few = Limits()
        few.watchedPerSession = 3
        let decodeFew = Decoding(few)
        for type in ["watch", "unwatch"] {
            #expect(decodeFew(#"{"type":"\#(type)","id":1,"users":\#(names(3))}"#).code == nil)
            let refused = decodeFew(#"{"type":"\#(type)","id":1,"users":\#(names(4))}"#)
            #expect(refused == .refused(.number(1), .tooLarge, "users must be a list of at most 3 user names"))
        }
    }

    @Test("pages and sequences")
    func numbers() {
        let history = #"{"type":"history","id":1,"conversation":"c","#
        for limit in [1, limits.historyMax] { #expect(decode(history + #""limit":\#(limit)}"#).code == nil) }
        for limit in [0, limits.historyMax + 1] {
            #expect(decode(history + #""limit":\#(limit)}"#).code == .badRequest)
        }
        #expect(decode(history + #""before":9223372036854775807}"#).code == nil)
        #expect(decode(history + #""before":9223372036854775808}"#).code == .badRequest)
    }

    @Test("nesting of a body")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels - 1) + "{}" + String(repeating: "]", count: levels - 1)
        }
        #expect(send(nested(limits.jsonDepth), kind: "x").code == nil)
        let refused = send(nested(limits.jsonDepth + 1), kind: "x")
        #expect(refused == .refused(.number(1), .tooLarge, "body is nested deeper than 64 levels"))
        let hidden = #"{"x":\#(nested(20_000)),"type":"ping","id":"last"}"#
        #expect(decode(hidden) == .refused(.text("last"), .tooLarge, "a member is nested deeper than 64 levels"))
        let attack = #"{"a":"# + String(repeating: "[", count: 100_000)
        #expect(decode(attack).code == .badJSON)
        let objects = String(repeating: #"{"a":"#, count: 20_000)
        #expect(decode(objects).code == .badJSON)
    }

    @Test("bytes of a message, and members of it")
    func message() {
        let ping = #"{"type":"ping","id":1}"#
        let most = ping + String(repeating: " ", count: limits.frameBytes - ping.utf8.count)
        #expect(decode(most).code == nil)
        #expect(decode(most + " ") == .refused(nil, .tooLarge, "the message has more than 262144 bytes"))
        func members(_ count: Int) -> String {
            #"{"type":"ping","id":1"# + (2..<count).map { #","m\#($0)":0"# }.joined() + "}"
        }
        #expect(decode(members(64)).code == nil)
        #expect(decode(members(65)) == .refused(.number(1), .tooLarge, "the message has more than 64 members"))
        let last = String(members(65).dropLast()) + #","id":2}"#
        #expect(decode(last) == .refused(.number(2), .tooLarge, "the message has more than 64 members"))
        #expect(decode(members(65).dropLast() + ",}").code == .badJSON)
    }

    @Test("impossible limits refuse commands and don't trap")
    func senseless() {
        var none = Limits()
        none.nameBytes = 0
        none.kindBytes = -1
        none.reactionBytes = 0
        none.groupNameBytes = -1
        none.listNames = -1
        none.historyMax = 0
        none.bodyBytes = -1
        none.textScalars = -1
        none.jsonDepth = -5
        let decode = Decoding(none)
        for shape in CommandRefusalTests.shapes { _ = decode(shape.json(changing: "", to: nil)) }
        none.frameBytes = -1
        #expect(Decoding(none)(#"{"type":"ping","id":1}"#).code == .tooLarge)
    }
}
