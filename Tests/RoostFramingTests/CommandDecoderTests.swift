import RoostWire
import Testing

@testable import RoostFraming

@Suite struct CommandDecoderTests {
    let decode = Decoding()

    @Test(
        "every command decodes with all its members, and with only those that it needs",
        arguments: [
            (#"{"type":"hello","id":1,"token":"a.b.c"}"#, "hello | a.b.c | - | false | -"),
            (
                #"{"type":"hello","id":1,"token":"t","device":"phone","background":true,"resume":"e1-17"}"#,
                "hello | t | phone | true | 17"
            ),
            (#"{"type":"refresh","id":1,"token":"t"}"#, "refresh | t"),
            (#"{"type":"ping","id":1}"#, "ping"),
            (#"{"type":"devices","id":1}"#, "devices"),
            (#"{"type":"bye"}"#, "bye"),
            (#"{"type":"send","id":1,"to":"@bob","key":"k","body":"hi"}"#, #"send | @bob | k | - | "hi" | -"#),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","kind":"text","body":" hi\n","replyTo":3}"#,
                #"send | c | k | text | " hi\n" | 3"#
            ),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","kind":"x.y_z-0","body": {"a":[1, 2]} }"#,
                #"send | c | k | x.y_z-0 | {"a":[1, 2]} | -"#
            ),
            (#"{"type":"send","id":1,"to":"c","key":"k","kind":"x","body":null}"#, "send | c | k | x | null | -"),
            (
                #"{"type":"edit","id":1,"conversation":"c","sequence":2,"body":"b"}"#,
                #"edit | c 2 | "b" | text"#
            ),
            (#"{"type":"edit","id":1,"conversation":"c","sequence":2,"body":[]}"#, "edit | c 2 | [] | notString"),
            (#"{"type":"edit","id":1,"conversation":"c","sequence":2,"body":null}"#, "edit | c 2 | null | notString"),
            (#"{"type":"edit","id":1,"conversation":"c","sequence":2,"body":" "}"#, #"edit | c 2 | " " | blank"#),
            (#"{"type":"delete","id":1,"conversation":"@bob","sequence":2}"#, "delete | @bob 2"),
            (#"{"type":"delete","id":1,"conversation":"c","sequence":2,"reason":"spam"}"#, "delete | c 2 | spam"),
            (
                #"{"type":"react","id":1,"conversation":"c","sequence":1,"reaction":"👍"}"#,
                "react | c 1 | 👍 | false"
            ),
            (
                #"{"type":"react","id":1,"conversation":"c","sequence":1,"reaction":"+1","remove":true}"#,
                "react | c 1 | +1 | true"
            ),
            (#"{"type":"history","id":1,"conversation":"c"}"#, "history | c | - | - | -"),
            (#"{"type":"history","id":1,"conversation":"c","thread":4}"#, "history | c | - | - | - | thread 4"),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","kind":"x","body":1,"thread":4}"#,
                "send | c | k | x | 1 | - | thread 4"
            ),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","body":"b","read":false}"#,
                #"send | c | k | - | "b" | - | unreading"#
            ),
            (#"{"type":"send","id":1,"to":"c","key":"k","body":"b","read":true}"#, #"send | c | k | - | "b" | -"#),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","read":false,"forward":{"conversation":"d","sequence":4}}"#,
                "send | c | k | - |  | - | forward d 4 | unreading"
            ),
            (#"{"type":"history","id":1,"conversation":"c","before":3,"limit":7}"#, "history | c | 3 | - | 7"),
            (#"{"type":"history","id":1,"conversation":"c","after":0}"#, "history | c | - | 0 | -"),
            (#"{"type":"signal","to":"c","body":{"x":10}}"#, #"signal | c | - | {"x":10}"#),
            (#"{"type":"signal","to":"c","kind":"cursor","body":1e999}"#, "signal | c | cursor | 1e999"),
            (
                #"{"type":"state.set","id":1,"key":"mute/c-1","value": {"until": 7},"ifVersion":3}"#,
                #"setState | mute/c-1 | {"until": 7} | 3"#
            ),
            (#"{"type":"state.set","id":1,"key":"k","value":null}"#, "setState | k | - | -"),
            (#"{"type":"state.set","id":1,"key":"k"}"#, "setState | k | - | -"),
            (#"{"type":"state.get","id":1}"#, "getState | all | - | -"),
            (#"{"type":"state.get","id":1,"keys":["b","a"],"after":"a"}"#, "getState | b,a | a | -"),
            (#"{"type":"state.get","id":1,"prefix":"mute/","limit":1000}"#, "getState | mute/… | - | 1000"),
            (
                #"{"type":"receipts","id":1,"conversation":"c","sequence":4,"after":"bob","limit":9}"#,
                "receipts | c 4 | bob | 9"
            ),
            (#"{"type":"ack","position":"e1-0"}"#, "ack | 0"),
            (#"{"type":"ack","id":1,"position":"e1-9223372036854775807"}"#, "ack | 9223372036854775807"),
            (#"{"type":"read","conversation":"c","sequence":9}"#, "read | c 9"),
            (#"{"type":"typing","to":"c"}"#, "typing | c | - | true"),
            (#"{"type":"typing","to":"c","active":false}"#, "typing | c | - | false"),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","body":"b","mentions":["bob","@all"]}"#,
                #"send | c | k | - | "b" | - | bob @all"#
            ),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","forward":{"conversation":"@b","sequence":3},"#
                    + #""replyTo":2,"thread":1}"#,
                "send | c | k | - |  | 2 | thread 1 | forward @b 3"
            ),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","forward":{"x":[],"sequence":1,"conversation":"d","#
                    + #""sequence":4}}"#,
                "send | c | k | - |  | - | forward d 4"
            ),
            (
                #"{"type":"send","id":1,"to":"c","key":"k","body":"b","forward":null}"#,
                #"send | c | k | - | "b" | -"#
            ),
            (
                #"{"type":"conversation.expiry","id":1,"conversation":"c","after":86400000}"#,
                "expiry | c | 86400000 | -"
            ),
            (#"{"type":"conversation.pin","id":1,"conversation":"c","sequence":3}"#, "pin | c | 3 | -"),
            (#"{"type":"conversation.unpin","id":1,"conversation":"@b","sequence":3}"#, "unpin | @b | 3 | -"),
            (#"{"type":"conversation.pins","id":1,"conversation":"c"}"#, "pins | c | - | -"),
            (
                #"{"type":"conversation.pins","id":1,"conversation":"c","before":"e1-9","limit":7}"#,
                "pins | c | e1-9 | 7"
            ),
            (
                #"{"type":"conversation.ban","id":1,"conversation":"c","user":"b","reason":"spam","key":"k"}"#,
                "ban | c | b | spam"
            ),
            (#"{"type":"conversation.ban","id":1,"conversation":"c","user":"b"}"#, "ban | c | b | -"),
            (#"{"type":"conversation.unban","id":1,"conversation":"c","user":"b"}"#, "unban | c | b"),
            (
                #"{"type":"conversation.timeout","id":1,"conversation":"c","user":"b","after":1000,"reason":"other"}"#,
                "timeout | c | b | 1000 | other"
            ),
            (
                #"{"type":"conversation.timeout","id":1,"conversation":"c","user":"b","after":0}"#,
                "timeout | c | b | 0 | -"
            ),
            (#"{"type":"conversation.posting","id":1,"conversation":"c","posting":"admins"}"#, "posting | c | admins"),
            (#"{"type":"conversation.slow","id":1,"conversation":"c","after":30000}"#, "slow | c | 30000"),
            (#"{"type":"conversation.joining","id":1,"conversation":"c","joining":"ask"}"#, "joining | c | ask"),
            (#"{"type":"conversation.bans","id":1,"conversation":"c","after":"b","limit":7}"#, "bans | c | b | 7"),
            (#"{"type":"typing","to":"c","replyTo":3}"#, "typing | c | 3 | true"),
            (#"{"type":"presence","id":1,"state":"active"}"#, "presence | active"),
            (#"{"type":"presence","id":1,"state":"idle"}"#, "presence | idle"),
            (#"{"type":"presence","id":1,"state":"background"}"#, "presence | background"),
            (#"{"type":"status","id":1,"state":"auto","text":"In a \u0063af\u00e9"}"#, "status | auto | In a café | -"),
            (#"{"type":"status","id":1,"state":"away"}"#, "status | away | - | -"),
            (#"{"type":"status","id":1,"state":"busy","text":null}"#, "status | busy | - | -"),
            (#"{"type":"status","id":1,"state":"invisible"}"#, "status | invisible | - | -"),
            (#"{"type":"status","id":1,"text":""}"#, "status | - |  | -"),
            (
                #"{"type":"privacy","id":1,"presence":"nobody","lastSeen":"coarse","read":"shared"}"#,
                "privacy | nobody | coarse | shared"
            ),
            (#"{"type":"privacy","id":1,"read":null}"#, "privacy | - | - | -"),
            (
                #"{"type":"profile.set","id":1,"name":"Ann A","username":"Ann.1","photo":"p","bio":"","ifVersion":0}"#,
                "setProfile | Ann A | Ann.1 | p |  | - | - | 0"
            ),
            (#"{"type":"user.get","id":1,"users":["ann","bob"]}"#, "getUsers | ann,bob"),
            (#"{"type":"user.find","id":1,"prefix":"a b"}"#, "findUsers | a b | - | -"),
            (#"{"type":"user.find","id":1,"prefix":"a","after":"u a","limit":3}"#, "findUsers | a | u a | 3"),
            (
                #"{"type":"admin.profile","id":1,"user":"ann","name":"A","role":"trainer","tier":""}"#,
                "profile | ann | A | - | - | - | trainer |  | - | -"
            ),
            (
                #"{"type":"admin.profile","id":1,"user":"ann","deleted":true}"#,
                "profile | ann | - | - | - | - | - | - | - | true"
            ),
            (#"{"type":"except","id":1,"users":["b","c"],"as":"never"}"#, "except | b,c | never"),
            (#"{"type":"contact.block","id":1,"users":["b","c"]}"#, "block | b,c"),
            (#"{"type":"contact.unblock","id":1,"users":["b"]}"#, "unblock | b"),
            (#"{"type":"contact.report","id":1,"user":"b","reason":"spam"}"#, "report | b | spam | -"),
            (
                #"{"type":"contact.report","id":1,"conversation":"c","sequence":3,"reason":"other","text":"t"}"#,
                "report | c 3 | other | t"
            ),
            (#"{"type":"invite.create","id":1}"#, "createInvite | - | - | - | -"),
            (
                #"{"type":"invite.create","id":1,"conversation":"c","uses":5,"after":60000}"#,
                "createInvite | c | - | 5 | 60000"
            ),
            (#"{"type":"invite.create","id":1,"kind":"client"}"#, "createInvite | - | client | - | -"),
            (#"{"type":"invite.list","id":1}"#, "invites"),
            (#"{"type":"invite.revoke","id":1,"invite":"i1"}"#, "revokeInvite | i1"),
            (#"{"type":"invite.show","id":1,"code":"c1"}"#, "showInvite | c1"),
            (#"{"type":"invite.open","id":1,"code":"c1"}"#, "openInvite | c1"),
            (#"{"type":"join.list","id":1}"#, "joins | -"),
            (#"{"type":"join.list","id":1,"conversation":"c"}"#, "joins | c"),
            (#"{"type":"join.accept","id":1,"conversation":"c","user":"bob"}"#, "accept | c | bob"),
            (#"{"type":"join.refuse","id":1,"conversation":"c","user":"bob"}"#, "refuse | c | bob"),
            (#"{"type":"admin.invite","id":1,"code":"c1"}"#, "showInvitation | c1"),
            (#"{"type":"admin.introduce","id":1,"user":"b","inviter":"a"}"#, "introduce | b | a"),
            (#"{"type":"admin.reports","id":1}"#, "reports | - | - | -"),
            (#"{"type":"admin.reports","id":1,"after":7,"limit":5,"state":"closed"}"#, "reports | 7 | 5 | closed"),
            (#"{"type":"admin.report.close","id":1,"report":7,"note":"n"}"#, "closeReport | 7 | n | -"),
            (#"{"type":"admin.report.close","id":1,"report":7,"by":"o"}"#, "closeReport | 7 | - | o"),
            (#"{"type":"admin.find","id":1,"prefix":"cr"}"#, "find | cr | - | -"),
            (#"{"type":"admin.find","id":1,"prefix":"cr","after":"c-1","limit":5}"#, "find | cr | c-1 | 5"),
            (#"{"type":"admin.report.show","id":1,"report":7}"#, "showReport | 7"),
            (#"{"type":"admin.report.remove","id":1,"report":7}"#, "removeReported | 7"),
            (#"{"type":"except","id":1,"users":["b"],"as":"none"}"#, "except | b | none"),
            (#"{"type":"watch","id":1,"users":["bob", "carol"]}"#, "watch | bob,carol"),
            (#"{"type":"unwatch","id":1,"users":["carol"]}"#, "unwatch | carol"),
            (#"{"type":"admin.people","id":1}"#, "people | - | -"),
            (#"{"type":"admin.people","id":1,"after":"bob","limit":7}"#, "people | bob | 7"),
            (#"{"type":"admin.user","id":1,"user":"bob"}"#, "person | bob"),
            (#"{"type":"admin.message","id":1,"position":"e1-812","limit":7}"#, "whereabouts | 812 | - | 7"),
            (
                #"{"type":"admin.message","id":1,"conversation":"c1","sequence":5,"after":"bob"}"#,
                "whereabouts | c1 | 5 | bob | -"
            ),
            (#"{"type":"admin.disconnect","id":1,"user":"bob"}"#, "disconnect | bob | -"),
            (#"{"type":"admin.disconnect","id":1,"user":"bob","device":"phone"}"#, "disconnect | bob | phone"),
            (#"{"type":"admin.revoke","id":1,"user":"bob","device":"phone"}"#, "revoke | bob | phone"),
            (#"{"type":"admin.erase","id":1,"user":"bob"}"#, "eraseMessages | bob | - | -"),
            (
                #"{"type":"admin.erase","id":1,"user":"bob","after":"e1-8","until":7}"#, "eraseMessages | bob | 8 | 7"
            ),
            (#"{"type":"admin.erase","id":1,"conversation":"c1","until":null}"#, "eraseConversation | c1"),
            (#"{"type":"feed","id":1,"consumer":"c"}"#, "feed | c | - | - | false"),
            (#"{"type":"feed","id":1,"consumer":"c","limit":256,"wait":true}"#, "feed | c | - | 256 | true"),
            (#"{"type":"feed.forget","id":1,"consumer":"c"}"#, "forgetFeed | c"),
            (#"{"type":"admin.revoke","id":1,"user":"bob","unknown":true}"#, "revoke | bob | - | unknown"),
            (#"{"type":"admin.revoke","id":1,"sid":"s-1"}"#, "endSignIn | s-1 | -"),
            (#"{"type":"admin.revoke","id":1,"sid":"s-1","until":7,"user":null}"#, "endSignIn | s-1 | 7"),
            (#"{"type":"admin.drain","id":1}"#, "drain"),
            (#"{"type":"admin.statistics","id":1}"#, "statistics | true | -"),
            (#"{"type":"admin.statistics","id":1,"active":false,"limit":3}"#, "statistics | false | 3"),
            (#"{"type":"watch","id":1,"conversations":["c1","@bob"]}"#, "watch |  | c1 | @bob"),
            (#"{"type":"unwatch","id":1,"users":["carol"],"conversations":["c1"]}"#, "unwatch | carol | c1"),
            (
                #"{"type":"conversation.create","id":1,"kind":"group","name":"Crew","members":["bob"],"key":"g"}"#,
                "create | group | Crew | bob | g"
            ),
            (#"{"type":"conversation.create","id":1,"kind":"group","name":"C"}"#, "create | group | C |  | -"),
            (
                #"{"type":"conversation.create","id":1,"kind":"group","name":"C","members":[]}"#,
                "create | group | C |  | -"
            ),
            (
                #"{"type":"conversation.create","id":1,"kind":"direct","members":["bob"]}"#,
                "create | direct | - | bob | -"
            ),
            (#"{"type":"conversation.list","id":1}"#, "list | - | -"),
            (#"{"type":"conversation.list","id":1,"before":"x-1","limit":20}"#, "list | x-1 | 20"),
            (#"{"type":"conversation.list","id":1,"requests":true}"#, "list | - | - | requests"),
            (#"{"type":"request.accept","id":1,"conversation":"c1"}"#, "accept | c1"),
            (#"{"type":"request.drop","id":1,"conversation":"@bob"}"#, "drop | @bob"),
            (#"{"type":"conversation.rename","id":1,"conversation":"c","name":"N N"}"#, "rename | c | N N | -"),
            (
                #"{"type":"conversation.describe","id":1,"conversation":"c","photo":"p/1","description":""}"#,
                "describe | c | p/1 |  | -"
            ),
            (
                #"{"type":"conversation.describe","id":1,"conversation":"c","description":"D d","key":"k"}"#,
                "describe | c | - | D d | k"
            ),
            (#"{"type":"conversation.add","id":1,"conversation":"c","users":["d"]}"#, "add | c | d | -"),
            (#"{"type":"conversation.remove","id":1,"conversation":"c","users":["d","e"]}"#, "remove | c | d,e | -"),
            (
                #"{"type":"conversation.role","id":1,"conversation":"c","user":"b","role":"admin"}"#,
                "role | c | b | admin | -"
            ),
            (
                #"{"type":"conversation.role","id":1,"conversation":"c","user":"b","role":"owner"}"#,
                "role | c | b | owner | -"
            ),
            (
                #"{"type":"conversation.role","id":1,"conversation":"c","user":"b","role":"member"}"#,
                "role | c | b | member | -"
            ),
            (#"{"type":"conversation.members","id":1,"conversation":"c"}"#, "members | c | - | - | -"),
            (
                #"{"type":"conversation.members","id":1,"conversation":"c","presence":true}"#,
                "members | c | - | - | - | presence"
            ),
            (
                #"{"type":"conversation.members","id":1,"conversation":"c","sequence":4,"after":"bob","limit":7}"#,
                "members | c | 4 | bob | 7"
            ),
            (#"{"type":"conversation.leave","id":1,"conversation":"@bob","key":"k"}"#, "leave | @bob | k"),
            (#"{"type":"conversation.leave","id":1,"conversation":"@bob"}"#, "leave | @bob | -"),
            (#"{"type":"conversation.leave","id":1,"conversation":"@bob","keep":true}"#, "leave and keep | @bob | -"),
        ]
    )
    func valid(json: String, expected: String) {
        #expect(decode(json).description == expected)
    }

    @Test("white space anywhere between tokens changes nothing")
    func whiteSpace() {
        let json = "\r\n\t { \"type\" :\n\"send\" , \"id\":\t7,\"to\":\"c\" ,\"key\":\"k\",\"body\" : \"b\" \n } \r\n"
        #expect(decode(json) == .command(.number(7), #"send | c | k | - | "b" | -"#))
    }

    @Test("unknown members are ignored, nested ones and those with long names too")
    func unknownMembers() {
        let json = #"{"type":"ping","future":{"id":[1,{"type":"bye"}]},"id":1,"conversation.more":2,"":3,"typ":4}"#
        #expect(decode(json) == .command(.number(1), "ping"))
    }

    @Test("of a member given twice the last one counts, whatever the first was")
    func duplicates() {
        #expect(decode(#"{"type":"bye","id":-1,"id":5,"type":"ping"}"#) == .command(.number(5), "ping"))
        let list = #"{"type":"watch","id":1,"users":["a","b"],"users":["c"]}"#
        #expect(decode(list).description == "watch | c")
        let removed = #"{"type":"react","id":1,"conversation":"c","sequence":1,"reaction":"a","reaction":null}"#
        #expect(decode(removed).reason == "reaction is missing")
    }

    @Test("escaped names and values are decoded")
    func escapes() {
        let json = #"{"t\u0079pe":"\u0073end","id":1,"to":"\u0040bob","key":"\/k","body":"\ud83d\ude00\n"}"#
        #expect(decode(json).description == #"send | @bob | /k | - | "\ud83d\ude00\n" | -"#)
        #expect(decode(#"{"type":"ping","id\u0000":1,"id":2}"#).id == .number(2))
        #expect(decode(#"{"type":"watch","id":1,"users":["\u0061b","cd"]}"#).description == "watch | ab,cd")
    }

    @Test("null for an optional member counts as absent")
    func nulls() {
        let hello = #"{"type":"hello","id":1,"token":"t","device":null,"background":null,"resume":null}"#
        #expect(decode(hello).description == "hello | t | - | false | -")
        let send = #"{"type":"send","id":1,"to":"c","key":"k","kind":null,"body":"b","replyTo":null}"#
        #expect(decode(send).description == #"send | c | k | - | "b" | -"#)
        #expect(decode(#"{"type":"typing","id":null,"to":"c","active":null}"#).description == "typing | c | - | true")
        let create = #"{"type":"conversation.create","id":1,"kind":"direct","name":null,"members":["b"],"key":null}"#
        #expect(decode(create).description == "create | direct | - | b | -")
    }

    @Test("a decoder works as before after a refusal")
    func reuse() {
        let good = #"{"type":"ping","id":1}"#
        for bad in ["", "{", #"{"type":"ping","id":"#, #"{"type":"watch","id":2,"users":[]}"#, "[]"] {
            #expect(decode(bad).code != nil)
            #expect(decode(good) == .command(.number(1), "ping"))
        }
    }

    @Test("members of one command don't appear in the next")
    func noLeftovers() {
        #expect(decode(#"{"type":"ping","id":1}"#).id == .number(1))
        #expect(decode(#"{"type":"bye"}"#) == .command(nil, "bye"))
        #expect(decode(#"{"type":"ping"}"#) == .refused(nil, .badRequest, "id is missing"))
    }
}
