import RoostWire
import Testing

@testable import RoostFraming

/// Every member of every command, once missing and once for each way in which its form can be wrong.
@Suite struct CommandRefusalTests {
    /// The form of a member, which decides how it can be wrong.
    enum Form: String {
        case token, name, user, conversation, kind, text, body, reaction, groupName, flag, sequence, sequenceOrNone
        case photo, description
        case stateKey, stateKeys, stateValue, stateLimit
        case limit, position, names, mentions, expiry, state, choice, audience, statusText, role, conversationKind
        case reason, timeout, posting, slow, joining
    }

    struct Shape: CustomTestStringConvertible {
        var type: String
        var members: [(name: String, good: String, form: Form, isRequired: Bool)]
        var testDescription: String { type }

        /// The command with one member changed, or left out if `value` is nil.
        func json(changing name: String, to value: String?) -> String {
            var parts = [#""id":"the-id""#, #""type":"\#(type)""#]
            for member in members {
                guard let value = member.name == name ? value : member.good else { continue }
                parts.append(#""\#(member.name)":\#(value)"#)
            }
            return "{" + parts.joined(separator: ",") + "}"
        }
    }

    static let target = [
        (name: "conversation", good: #""c""#, form: Form.conversation, isRequired: true),
        (name: "sequence", good: "1", form: Form.sequence, isRequired: true),
    ]
    static let conversation = [(name: "conversation", good: #""c""#, form: Form.conversation, isRequired: true)]
    static let to = [(name: "to", good: #""@bob""#, form: Form.conversation, isRequired: true)]
    static let key = [(name: "key", good: #""k""#, form: Form.name, isRequired: false)]
    static let users = [(name: "users", good: #"["bob"]"#, form: Form.names, isRequired: true)]

    static let shapes: [Shape] = [
        Shape(
            type: "hello",
            members: [
                ("token", #""t""#, .token, true), ("device", #""d""#, .name, false),
                ("background", "true", .flag, false),
                ("resume", #""e1-4""#, .position, false),
                ("pingSeconds", "25", .sequence, false), ("pongSeconds", "10", .sequence, false),
            ]
        ),
        Shape(type: "refresh", members: [("token", #""t""#, .token, true)]),
        Shape(
            type: "send",
            members: to + [
                ("key", #""k""#, .name, true), ("body", #""b""#, .text, true), ("replyTo", "1", .sequence, false),
                ("thread", "1", .sequence, false), ("mentions", #"["bob","@all"]"#, .mentions, false),
                ("read", "false", .flag, false),
            ]
        ),
        Shape(
            type: "send",
            members: to + [
                ("key", #""k""#, .name, true), ("kind", #""x""#, .kind, false), ("body", #""b""#, .body, true),
            ]
        ),
        Shape(
            type: "edit",
            members: target + [("body", #""b""#, .body, true), ("mentions", #"["bob"]"#, .mentions, false)]),
        Shape(type: "delete", members: target + [("reason", #""spam""#, .reason, false)]),
        Shape(
            type: "react",
            members: target + [("reaction", #""+""#, .reaction, true), ("remove", "true", .flag, false)]
        ),
        Shape(
            type: "history",
            members: conversation + [
                ("thread", "1", .sequence, false), ("before", "1", .sequence, false), ("limit", "1", .limit, false),
            ]
        ),
        Shape(type: "history", members: conversation + [("after", "1", .sequenceOrNone, false)]),
        Shape(type: "signal", members: to + [("kind", #""x""#, .kind, false), ("body", "1", .body, true)]),
        Shape(type: "signal", members: to + [("kind", #""text""#, .kind, false), ("body", #""b""#, .text, true)]),
        Shape(type: "ack", members: [("position", #""e1-4""#, .position, true)]),
        Shape(type: "read", members: target),
        Shape(
            type: "typing", members: to + [("replyTo", "1", .sequence, false), ("active", "true", .flag, false)]),
        Shape(
            type: "state.set",
            members: [
                ("key", #""k""#, .stateKey, true), ("value", "1", .stateValue, false),
                ("ifVersion", "3", .sequenceOrNone, false),
            ]),
        Shape(
            type: "state.get",
            members: [
                ("keys", #"["a"]"#, .stateKeys, false), ("after", #""a""#, .stateKey, false),
                ("limit", "1", .stateLimit, false),
            ]),
        Shape(type: "state.get", members: [("prefix", #""a""#, .stateKey, false)]),
        Shape(
            type: "receipts",
            members: target + [("after", #""bob""#, .user, false), ("limit", "1", .limit, false)]),
        Shape(type: "presence", members: [("state", #""idle""#, .state, true)]),
        Shape(type: "status", members: [("state", #""busy""#, .choice, false), ("text", #""t""#, .statusText, false)]),
        Shape(
            type: "privacy",
            members: [
                ("presence", #""nobody""#, .audience, false), ("lastSeen", #""coarse""#, .audience, false),
                ("read", #""nobody""#, .audience, false),
            ]),
        Shape(type: "except", members: users + [("as", #""never""#, .audience, true)]),
        Shape(type: "watch", members: users),
        Shape(type: "unwatch", members: users),
        Shape(
            type: "conversation.create",
            members: [
                ("kind", #""group""#, .conversationKind, true), ("name", #""n""#, .groupName, true),
                ("key", #""k""#, .name, false),
            ]
        ),
        Shape(
            type: "conversation.create",
            members: [("kind", #""direct""#, .conversationKind, true), ("members", #"["bob"]"#, .names, true)]
        ),
        Shape(
            type: "conversation.list",
            members: [
                ("before", #""x""#, .name, false), ("limit", "1", .limit, false), ("requests", "true", .flag, false),
            ]),
        Shape(type: "request.accept", members: conversation),
        Shape(type: "request.drop", members: conversation),
        Shape(type: "conversation.rename", members: conversation + [("name", #""n""#, .groupName, true)] + key),
        Shape(
            type: "conversation.describe",
            members: conversation + [
                ("photo", #""p""#, .photo, false), ("description", #""d""#, .description, false),
            ] + key),
        Shape(type: "conversation.add", members: conversation + users + key),
        Shape(type: "conversation.expiry", members: conversation + [("after", "604800000", .expiry, true)]),
        Shape(type: "conversation.pin", members: target),
        Shape(type: "conversation.unpin", members: target),
        Shape(
            type: "conversation.pins",
            members: conversation + [("before", #""x""#, .name, false), ("limit", "1", .limit, false)]),
        Shape(
            type: "conversation.ban",
            members: conversation + [("user", #""bob""#, .user, true), ("reason", #""spam""#, .reason, false)]),
        Shape(type: "conversation.unban", members: conversation + [("user", #""bob""#, .user, true)]),
        Shape(
            type: "conversation.timeout",
            members: conversation + [
                ("user", #""bob""#, .user, true), ("after", "60000", .timeout, true),
                ("reason", #""other""#, .reason, false),
            ]),
        Shape(type: "conversation.posting", members: conversation + [("posting", #""all""#, .posting, true)]),
        Shape(type: "conversation.joining", members: conversation + [("joining", #""ask""#, .joining, true)]),
        Shape(type: "conversation.slow", members: conversation + [("after", "30000", .slow, true)]),
        Shape(
            type: "conversation.bans",
            members: conversation + [("after", #""bob""#, .user, false), ("limit", "1", .limit, false)]),
        Shape(type: "conversation.remove", members: conversation + users),
        Shape(
            type: "conversation.role",
            members: conversation + [("user", #""bob""#, .user, true), ("role", #""admin""#, .role, true)] + key
        ),
        Shape(
            type: "conversation.members",
            members: conversation + [
                ("sequence", "1", .sequence, false), ("after", #""bob""#, .user, false), ("limit", "1", .limit, false),
            ]
        ),
        Shape(type: "conversation.leave", members: conversation + key + [("keep", "true", .flag, false)]),
        Shape(
            type: "admin.people", members: [("after", #""bob""#, .user, false), ("limit", "1", .limit, false)]),
        Shape(type: "admin.user", members: [("user", #""bob""#, .user, true)]),
        Shape(
            type: "admin.message",
            members: target + [("after", #""bob""#, .user, false), ("limit", "1", .limit, false)]),
        Shape(
            type: "admin.disconnect",
            members: [("user", #""bob""#, .user, true), ("device", #""phone""#, .name, false)]),
        Shape(
            type: "admin.revoke", members: [("user", #""bob""#, .user, true), ("device", #""phone""#, .name, false)]),
        Shape(type: "admin.statistics", members: [("active", "true", .flag, false), ("limit", "1", .limit, false)]),
    ]

    static let notStrings = ["1", "1.5", "true", "false", "[]", "{}", #"["a"]"#]
    static let notWhole = [#""1""#, "1.0", "1e0", "true", "[]", "{}", "9223372036854775808", "-9223372036854775809"]
    static let notNames =
        [#""""#, #"" ""#, #""a b""#, #""a\"b""#, #""a\\b""#, #""é""#, #""\u0000""#, #""\n""#, #""\u007f""#]
        + [quoted(65)]

    static func quoted(_ count: Int, _ unit: String = "a") -> String {
        "\"" + String(repeating: unit, count: count) + "\""
    }

    static func wrong(_ form: Form) -> [(String, ErrorCode)] {
        let limits = Limits()
        let bad: [String]
        var more: [(String, ErrorCode)] = []
        switch form {
        case .token: bad = notStrings + [#""""#]
        case .name: bad = notStrings + notNames
        case .user: bad = notStrings + notNames + [#""@bob""#, #""@""#]
        case .conversation: bad = notStrings + notNames + [#""@""#, #""@@bob""#, #""@a b""#, quoted(66, "@")]
        case .kind: bad = notStrings + [#""""#, #""X""#, #""a b""#, #""é""#, #""a/b""#, #""a\u0000""#, quoted(33)]
        case .text:
            bad =
                notStrings + [#""""#, #"" \t\n\r""#, #""\u00a0\u2000\u200a\u3000\u2028\u1680""#, "\"\u{3000}\u{85}\""]
            more = [(quoted(limits.textScalars + 1), .tooLarge), (quoted(limits.textScalars + 1, "é"), .tooLarge)]
        case .body:
            bad = []
            more = [(quoted(limits.bodyBytes - 1), .tooLarge), ("[" + quoted(limits.bodyBytes - 3) + "]", .tooLarge)]
        case .reaction: bad = notStrings + [#""""#, quoted(33), quoted(17, "é")]
        case .groupName:
            bad = notStrings + [#""""#, #""  ""#, #""\u3000""#]
            more = [(quoted(257), .tooLarge), (quoted(129, "é"), .tooLarge)]
        case .flag: bad = ["0", "1", #""true""#, "[]", "{}", #""""#]
        case .sequence: bad = notWhole + ["0", "-1", "-9223372036854775808"]
        case .sequenceOrNone: bad = notWhole + ["-1"]
        case .limit: bad = notWhole + ["0", "-1", "\(limits.historyMax + 1)", "9223372036854775807"]
        case .photo:
            bad = notStrings + [#""  ""#]
            more = [(quoted(257), .tooLarge)]
        case .description:
            bad = notStrings + [#""\u3000""#]
            more = [(quoted(1_025), .tooLarge), (quoted(513, "é"), .tooLarge)]
        case .stateKey: bad = notStrings + notNames.dropLast() + [quoted(129)]
        case .stateKeys:
            bad = notStrings.filter { $0 != #"["a"]"# } + [#""a""#, #"[1]"#, #"["a",null]"#, "[" + quoted(129) + "]"]
        case .stateValue:
            bad = []
            more = [(quoted(limits.stateBytes - 1), .tooLarge)]
        case .stateLimit: bad = notWhole + ["0", "-1", "\(limits.statesPerUser + 1)"]
        case .position:
            bad = notStrings
            more = [
                #""""#, #""a""#, #""-1""#, #""+1""#, #"" 1""#, #""1 ""#, #""01""#, #""00""#, #""1.0""#, #""1e3""#,
                #""9223372036854775808""#, #""99999999999999999999""#, #""18446744073709551617""#, #""١""#,
            ].flatMap { [$0, $0.replacing("\"", with: "\"e1-", maxReplacements: 1)] }.map { ($0, .badPosition) }
            more += [#""4""#, #""e-4""#, #""e2-4""#, #""e11-4""#, #""E1-4""#, #""e1-e1-4""#, #""e1""#, #"" e1-4""#]
                .map { ($0, .badPosition) }
        case .expiry: bad = notWhole + ["-1", "1", "86399999", "7776000001"]
        case .mentions:
            bad =
                notStrings.filter { $0 != #"["a"]"# } + [#""bob""#, #"[1]"#, #"["a",null]"#, #"["@bob"]"#, #"["@"]"#]
                + notNames.map { #"["ok",\#($0)]"# }
            more = [("[" + (1...33).map { "\"u\($0)\"" }.joined(separator: ",") + "]", .tooLarge)]
        case .names:
            bad =
                notStrings.filter { $0 != #"["a"]"# } + [#""bob""#, #"[1]"#, #"["a",null]"#, #"[["a"]]"#, #"["@a"]"#]
                + notNames.map { #"["ok",\#($0)]"# }
        case .state: bad = notStrings + [#""""#, #""Active""#, #""online""#, #""idle ""#]
        case .choice: bad = notStrings + [#""""#, #""Busy""#, #""online""#, #""auto ""#]
        case .audience: bad = notStrings + [#""""#, #""Nobody""#, #""online""#, #""never ""#]
        case .statusText:
            bad = notStrings + [#""  ""#, #""\u3000""#]
            more = [(quoted(129), .tooLarge), (quoted(129, "é"), .tooLarge)]
        case .role: bad = notStrings + [#""""#, #""Owner""#, #""guest""#]
        case .reason: bad = notStrings + [#""""#, #""Spam""#, #""because""#]
        case .posting: bad = notStrings + [#""""#, #""All""#, #""owner""#]
        case .joining: bad = notStrings + [#""""#, #""Ask""#, #""all""#]
        case .slow: bad = notWhole + ["-1", "1", "999", "21600001"]
        case .timeout: bad = notWhole + ["-1", "1", "999", "2419200001"]
        case .conversationKind: bad = notStrings + [#""""#, #""Group""#, #""channel""#]
        }
        return bad.map { ($0, .badRequest) } + more
    }

    @Test("every member of every command", arguments: shapes)
    func members(shape: Shape) {
        let decode = Decoding()
        #expect(decode(shape.json(changing: "", to: nil)).description != nil)
        for member in shape.members {
            let missing = decode(shape.json(changing: member.name, to: nil))
            if member.isRequired {
                #expect(missing == .refused(.text("the-id"), .badRequest, "\(member.name) is missing"))
            } else {
                #expect(missing.description != nil)
            }
            for (value, code) in CommandRefusalTests.wrong(member.form) {
                let outcome = decode(shape.json(changing: member.name, to: value))
                #expect(outcome.code == code, "\(member.name) \(value.prefix(80))")
                #expect(outcome.id == .text("the-id"))
                #expect(outcome.reason.hasPrefix("\(member.name) "), "\(outcome.reason)")
            }
        }
    }

    @Test("a status says something")
    func emptyStatus() {
        let outcome = Decoding()(#"{"type":"status","id":1,"state":null}"#)
        #expect(outcome == .refused(.number(1), .badRequest, "state or text is missing"))
    }

    @Test("a required member that is null is missing; the body of a text is then no string")
    func requiredNull() {
        let decode = Decoding()
        for shape in CommandRefusalTests.shapes {
            for member in shape.members where member.isRequired && member.form != .body {
                let outcome = decode(shape.json(changing: member.name, to: "null"))
                let fault =
                    member.form == .text ? "body must be a string when kind is text" : "\(member.name) is missing"
                #expect(outcome == .refused(.text("the-id"), .badRequest, fault))
            }
        }
    }

    @Test("contradictions: both ends of a history, a name or another number of members for a direct conversation")
    func contradictions() {
        let decode = Decoding()
        let history = #"{"type":"history","id":1,"conversation":"c","before":3,"after":1}"#
        #expect(decode(history) == .refused(.number(1), .badRequest, "before and after must not be used together"))
        let named = #"{"type":"conversation.create","id":1,"kind":"direct","name":"n","members":["b"]}"#
        #expect(decode(named) == .refused(.number(1), .badRequest, "name is only allowed for a group"))
        for members in ["[]", #"["b","c"]"#] {
            let create = #"{"type":"conversation.create","id":1,"kind":"direct","members":\#(members)}"#
            #expect(decode(create) == .refused(.number(1), .badRequest, "members must name exactly one user"))
        }
        let neither = #"{"type":"conversation.describe","id":1,"conversation":"c"}"#
        #expect(decode(neither) == .refused(.number(1), .badRequest, "photo or description is missing"))
        let both = #"{"type":"state.get","id":1,"keys":["a"],"prefix":"a"}"#
        #expect(decode(both) == .refused(.number(1), .badRequest, "keys and prefix must not be used together"))
        let nobody = #"{"type":"watch","id":1,"users":[]}"#
        #expect(decode(nobody) == .refused(.number(1), .badRequest, "users must name at least one user"))
    }

    @Test("a reason never repeats what was sent")
    func discreet() {
        let decode = Decoding()
        let secret = "s3cr3t"
        for shape in CommandRefusalTests.shapes {
            for member in shape.members {
                for value in [#""\#(secret) \\ ""#, #"["\#(secret) "]"#, #"{"\#(secret)":1}"#] {
                    #expect(!decode(shape.json(changing: member.name, to: value)).reason.contains(secret))
                }
            }
        }
        #expect(!decode(#"{"type":"\#(secret)","id":1}"#).reason.contains(secret))
        #expect(!decode(#"{"type":"\#(secret)"#).reason.contains(secret))
    }
}
