import RoostWire
import Testing

@testable import RoostFraming

/// The rules for a profile's members, and their lengths.
@Suite struct ProfileFormTests {
    let limits = Limits()
    let decode = Decoding()

    private func code(_ member: String, _ value: String, of type: String = "profile.set") -> ErrorCode? {
        decode(#"{"type":"\#(type)","id":1,"user":"ann","\#(member)":\#(value)}"#).code
    }

    private func quoted(_ count: Int, _ unit: String = "a") -> String {
        "\"" + String(repeating: unit, count: count) + "\""
    }

    @Test(arguments: ["profile.set", "admin.profile"])
    func lengths(type: String) {
        let lengths = [
            ("name", limits.profileNameBytes), ("photo", limits.photoBytes), ("bio", limits.bioBytes),
        ]
        for (member, most) in lengths {
            #expect(code(member, quoted(most), of: type) == nil)
            #expect(code(member, quoted(most + 1), of: type) == .tooLarge)
            #expect(code(member, quoted(most / 2, "é"), of: type) == nil)
            #expect(code(member, quoted(most / 2 + 1, "é"), of: type) == .tooLarge)
            for wrong in ["1", "true", "[]", "{}"] { #expect(code(member, wrong, of: type) == .badRequest) }
        }
    }

    @Test("all but the name can be taken away by an empty text")
    func empty() {
        #expect(code("name", #""""#) == .badRequest)
        for member in ["username", "photo", "bio"] { #expect(code(member, #""""#) == nil) }
        for member in ["role", "tier"] { #expect(code(member, #""""#, of: "admin.profile") == nil) }
        #expect(code("name", #"" \u3000""#) == .badRequest)
        #expect(code("bio", #""\n""#) == .badRequest)
        #expect(code("bio", #""a\nb""#) == nil)
    }

    @Test(
        "a name doesn't change how the line looks in which it stands",
        arguments: ["\\u0000", "\\n", "\\u007f", "\\u0085", "\\u2028", "\\u202e", "\\u2066"])
    func controls(escape: String) {
        #expect(code("name", "\"a\(escape)b\"") == .badRequest)
        #expect(code("photo", "\"a\(escape)b\"") == .badRequest)
    }

    @Test(
        "usernames",
        arguments: [
            ("abc", true), ("Ann.B_9", true), ("ab", false), ("9ab", false), (".ab", false), ("_ab", false),
            ("a-b", false), ("a b", false), ("äbc", false), ("@abc", false), ("a[b", false), ("ab`", false),
        ])
    func usernames(text: String, isGood: Bool) {
        #expect((code("username", "\"\(text)\"") == nil) == isGood)
    }

    @Test func longUsernames() {
        #expect(code("username", quoted(limits.usernameBytes)) == nil)
        #expect(code("username", quoted(limits.usernameBytes + 1)) == .badRequest)
    }

    @Test("role and tier are words, which nobody gives to itself")
    func granted() {
        for member in ["role", "tier"] {
            #expect(code(member, #""gold""#, of: "admin.profile") == nil)
            #expect(code(member, #""Gold""#, of: "admin.profile") == .badRequest)
            #expect(code(member, quoted(limits.kindBytes + 1), of: "admin.profile") == .badRequest)
            #expect(code(member, #""gold""#) == .forbidden)
        }
    }

    @Test func somethingChanges() {
        #expect(decode(#"{"type":"profile.set","id":1,"ifVersion":3}"#).code == .badRequest)
        #expect(code("ifVersion", "-1") == .badRequest)
        #expect(code("deleted", "1", of: "admin.profile") == .badRequest)
    }

    @Test func lists() {
        func users(_ count: Int) -> String {
            #"{"type":"user.get","id":1,"users":["# + Array(repeating: #""a""#, count: count).joined(separator: ",")
                + "]}"
        }
        #expect(decode(users(limits.usersNamed)).code == nil)
        #expect(decode(users(limits.usersNamed + 1)).code == .tooLarge)
        #expect(decode(users(0)).code == .badRequest)
    }

    @Test func searches() {
        func find(_ members: String) -> ErrorCode? { decode(#"{"type":"user.find","id":1,\#(members)}"#).code }
        #expect(find(#""prefix":\#(quoted(limits.profileNameBytes))"#) == nil)
        #expect(find(#""prefix":\#(quoted(limits.profileNameBytes + 1))"#) == .tooLarge)
        #expect(find(#""prefix":" ""#) == .badRequest)
        #expect(find(#""limit":1"#) == .badRequest)
        #expect(find(#""prefix":"a","limit":\#(limits.findMax)"#) == nil)
        #expect(find(#""prefix":"a","limit":\#(limits.findMax + 1)"#) == .badRequest)
        #expect(find(#""prefix":"a","after":\#(quoted(4 * limits.profileNameBytes))"#) == .tooLarge)
    }
}
