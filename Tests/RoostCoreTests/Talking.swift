import RoostCore
import RoostFraming
import RoostTestKit
import RoostWire

/// A JSON value as a Swift literal, so that a command in a test is easy to read.
struct Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    let json: String

    init(json: String) { self.json = json }
    // Only for names, keys and short texts, in which nothing needs an escape.
    init(stringLiteral text: String) { json = "\"\(text)\"" }
    init(integerLiteral number: Int64) { json = "\(number)" }
    init(booleanLiteral flag: Bool) { json = flag ? "true" : "false" }
    init(arrayLiteral elements: Value...) { json = "[" + elements.map(\.json).joined(separator: ",") + "]" }
    static func list(_ texts: [String]) -> Value {
        Value(json: "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    }
}

typealias Members = KeyValuePairs<String, Value>

private func command(_ type: String, _ members: Members, id: Int?) -> String {
    var parts = ["\"type\":\"\(type)\""]
    if let id { parts.append("\"id\":\(id)") }
    parts += members.map { "\"\($0.key)\":\($0.value.json)" }
    return "{" + parts.joined(separator: ",") + "}"
}

/// Short forms of the commands that these tests use often.
extension HarnessClient {
    /// Sends a command without an id, and lets everything settle.
    func tell(_ type: String, _ members: Members = [:]) { send(command(type, members, id: nil)) }

    /// Sends a command. Nothing is committed, read or written until the test lets everything settle.
    func start(_ type: String, _ members: Members = [:], id: Int = 1) { say(command(type, members, id: id)) }

    /// Sends a command and returns its reply.
    func request(_ type: String, _ members: Members = [:]) -> JSONValue? { ask(command(type, members, id: 1)) }

    /// Sends a command and returns its outcome: `ok` or another type of reply, the code of an error, or `nothing`.
    func outcome(_ type: String, _ members: Members = [:]) -> String {
        request(type, members)?.outcome ?? "nothing"
    }

    /// Sends a text, which is also its key.
    @discardableResult
    func post(_ body: String, to: String) -> JSONValue? {
        request("send", ["to": "\(to)", "key": "\(body)", "body": "\(body)"])
    }

    /// Creates a group and returns its id.
    func makeGroup(_ members: String..., name: String = "Crew") -> String { makeGroup(members, name: name) }

    /// The same with a list.
    func makeGroup(_ members: [String], name: String = "Crew") -> String {
        request("conversation.create", ["kind": "group", "name": "\(name)", "members": .list(members)])?[
            "conversation"]?
            .text("conversation") ?? "none"
    }

    /// Opens the direct conversation with a user and returns its id.
    func makeDirect(_ peer: String) -> String {
        request("conversation.create", ["kind": "direct", "members": ["\(peer)"]])?["conversation"]?
            .text("conversation") ?? "none"
    }
}

/// Short forms for reading what arrived.
extension HarnessClient {
    /// The texts of the messages that arrived, in order.
    var bodies: [String] { frames("message").compactMap { $0.text("body") } }

    /// The types of the durable events that arrived, in order. For those of conversations, the member `event`.
    var events: [String] {
        frames.compactMap { frame in
            switch frame.text("type") {
            case "conversation": frame.text("event")
            case "message", "edit", "delete", "react", "state": frame.text("type")
            default: nil
            }
        }
    }

    /// The position of the durable event that arrived last.
    var latestPosition: String {
        let durable: Set = ["message", "edit", "delete", "react", "conversation", "state"]
        return frames.last { durable.contains($0.text("type") ?? "") }?.text("position") ?? "memory-0"
    }

    /// The codes of the errors that arrived, in order.
    var codes: [String] { frames("error").compactMap { $0.text("code") } }

    /// Acks everything that arrived.
    func ackAll() { tell("ack", ["position": "\(latestPosition)"]) }

    /// The states of a user that the client got, in order, in events and in answers to `watch`.
    func states(of user: String) -> [String] {
        frames.flatMap { $0.list("users") }.filter { $0.text("user") == user }.compactMap { $0.text("state") }
    }

    /// Drops everything that has arrived so far.
    func forget() { _ = take() }
}

extension JSONValue {
    func text(_ member: String) -> String? { self[member]?.string }
    func number(_ member: String) -> Int64? { self[member]?.integer }
    func flag(_ member: String) -> Bool? { self[member]?.bool }
    func list(_ member: String) -> [JSONValue] { self[member]?.elements ?? [] }
    /// The code of an error, or the type of another reply.
    var outcome: String { text("code") ?? text("type") ?? "nothing" }
}

extension RelayHarness {
    /// A relay to which Alice and Bob are connected, and a group of Alice's with Bob and with others, who are away.
    static func withAliceAndBob(
        _ others: String..., limits: Limits = Limits()
    ) -> (relay: RelayHarness, alice: HarnessClient, bob: HarnessClient, group: String) {
        let relay = RelayHarness(limits: limits)
        let alice = relay.connect("alice")
        let bob = relay.connect("bob")
        return (relay, alice, bob, alice.makeGroup(["bob"] + others))
    }

    /// Waits long enough for everything that is collected to be sent and stored, but too short for anything else.
    func pause() { advance(300) }
}

extension Limits {
    /// The defaults with a few changes.
    static func with(_ change: (inout Limits) -> Void) -> Limits {
        var limits = Limits()
        change(&limits)
        return limits
    }
}
