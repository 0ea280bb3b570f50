import Testing

@testable import RoostWire

@Suite struct JSONValueTests {
    @Test("a welcome is read by name, to any depth")
    func welcome() throws {
        let event = try #require(
            JSONValue(
                parsing:
                    #"{"type":"welcome","re":1,"user":"alice","limits":{"frameBytes":131072},"ok":true}"#
            )
        )
        #expect(event.kind == .object)
        #expect(event["type"]?.string == "welcome")
        #expect(event["re"]?.integer == 1)
        #expect(event["ok"]?.bool == true)
        #expect(event["limits"]?["frameBytes"]?.integer == 131_072)
        #expect(event["limits"]?["other"] == nil)
        #expect(event["user"]?["name"] == nil)
        #expect(event["re"]?.string == nil)
        #expect(event["user"]?.integer == nil)
        #expect(event["re"]?.elements == nil)
    }

    @Test("arrays of objects, with bodies as they were written")
    func messages() throws {
        let json =
            #"{"messages":[{"sequence":1,"body": {"a" : [1,2]} },{"sequence":2,"body":"x\n"}, {} ],"more":false}"#
        let event = try #require(JSONValue(parsing: json))
        let messages = try #require(event["messages"]?.elements)
        #expect(messages.map { $0["sequence"]?.integer } == [1, 2, nil])
        #expect(
            messages.map { $0["body"].map { String(decoding: $0.raw, as: UTF8.self) } } == [
                #"{"a" : [1,2]}"#, #""x\n""#, nil,
            ]
        )
        #expect(messages[1]["body"]?.string == "x\n")
        #expect(messages[0]["body"]?["a"]?.elements?.map(\.integer) == [1, 2])
        #expect(event["more"]?.bool == false)
        #expect(String(decoding: event.raw, as: UTF8.self) == json)
    }

    @Test("every kind of value")
    func kinds() throws {
        let event = try #require(JSONValue(parsing: #"{"v":[null,true,1,1.5,1e999,"",[],{}]}"#))
        let values = try #require(event["v"]?.elements)
        #expect(values.map(\.kind) == [.null, .bool, .number, .number, .number, .string, .array, .object])
        #expect(values.map(\.integer) == [nil, nil, 1, nil, nil, nil, nil, nil])
        #expect(values[6].elements?.isEmpty == true)
        #expect(values[7].members?.isEmpty == true)
        #expect(values[4].raw == Array("1e999".utf8))
    }

    @Test("members keep their order; of two with one name the last counts, and null is absent")
    func members() throws {
        let event = try #require(JSONValue(parsing: #"{"b":1,"a":2,"b":3,"é\u0021":4,"n":5,"n":null}"#))
        #expect(event.members?.map(\.name) == ["b", "a", "b", "é!", "n", "n"])
        #expect(event["b"]?.integer == 3)
        #expect(event["é!"]?.integer == 4)
        #expect(event["n"] == nil)
    }

    @Test("values outlive the variable they came from")
    func lifetime() throws {
        func inner() -> JSONValue? { JSONValue(parsing: #"{"a":{"b":"caf\u00e9"}}"#)?["a"] }
        #expect(try #require(inner())["b"]?.string == "café")
    }

    @Test("bodies nested as deep as the server lets them be can be read back inside a page")
    func depth() throws {
        let depth = Limits().jsonDepth
        let body = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(JSONValue(parsing: #"{"messages":[{"body":\#(body)}]}"#) != nil)
        let far = String(repeating: "[", count: depth + 8) + String(repeating: "]", count: depth + 8)
        #expect(JSONValue(parsing: #"{"messages":[{"body":\#(far)}]}"#) == nil)
    }

    @Test("a text that isn't one JSON object has no value", arguments: ["", "[]", "1", "{", #"{"a":tru}"#, "{}{}"])
    func invalid(json: String) {
        #expect(JSONValue(parsing: json) == nil)
        let bytes = Array(json.utf8)
        #expect(bytes.withUnsafeBytes { JSONValue(parsing: $0) } == nil)
    }

    @Test("a body is one value of any kind", arguments: ["null", "1e999", #" "a" "#, "[{}]", #"{"a":1}"#])
    func value(json: String) { #expect(JSONValue.isValid(Array(json.utf8))) }

    @Test("what isn't one value is no body", arguments: ["", "1,", #"1,"x":2"#, "1}", "tru", #"1} {"a":2"#])
    func notAValue(json: String) { #expect(!JSONValue.isValid(Array(json.utf8))) }
}
