import RoostConfiguration
import Testing

@testable import RoostLoad

/// Rules between keys. Each failure names a line that can be changed. The first line of each text is `about: a`.
@Suite struct ScenarioCheckTests {
    static let chat = "conversations: {pairs: 1}\nmessages: {rate: 1}\n"

    @Test(arguments: [
        // The crowd.
        (
            "devices: 64\nusers: 300",
            "m.yaml:2: devices: 19200 connections in all are too many; at most 19000 are allowed"
        ),
        (
            "users: 19000\noutsiders: 1",
            "m.yaml:2: users: 19001 connections in all are too many; at most 19000 are allowed"
        ),
        ("outsiders: 18901", "m.yaml:2: users: 19001 connections in all are too many; at most 19000 are allowed"),
        ("seconds: 86400", "m.yaml:2: seconds: too long together with warmup; at most 86400 s are allowed"),
        ("warmup: 86390", "m.yaml:2: seconds: too long together with warmup; at most 86400 s are allowed"),
        ("users: 5\nwatch: 5", "m.yaml:3: watch: 5 is too many; there are 4 others"),
        (
            "watch: 5",
            "m.yaml:2: watch: users watch those with whom they share a conversation, but there are no conversations"
        ),
        // Conversations.
        (
            "conversations: {pairs: 1}\nusers: 1",
            "m.yaml:2: conversations.pairs: 1 is too many; 1 users make at most 0 pairs"
        ),
        (
            "users: 4\nconversations:\n  pairs: 7",
            "m.yaml:4: conversations.pairs: 7 is too many; 4 users make at most 6 pairs"
        ),
        (
            "users: 9\nconversations:\n  rooms:\n    - members: 9\n    - members: 10",
            "m.yaml:6: conversations.rooms[1].members: 10 is too many; there are 9 users"
        ),
        (
            "conversations:\n  rooms:\n    - members: 5\n      senders: 6",
            "m.yaml:5: conversations.rooms[0].senders: 6 is too many; the room has 5 members"
        ),
        (
            "conversations:\n  rooms:\n    - {count: 20001, members: 100}",
            "m.yaml:4: conversations.rooms[0].count: 2000100 members in all up to here; at most 2000000 are allowed"
        ),
        // Messages.
        ("messages: {rate: 1}", "m.yaml:2: messages: there is no conversation to write to"),
        (
            chat + "personas: [{name: a, share: 1, writes: 0}, {name: b, share: 0}]",
            "m.yaml:3: messages: nobody writes, because every persona has writes: 0 or share: 0"
        ),
        ("catch_up: {share: 1}", "m.yaml:2: catch_up: there is nothing to miss without messages"),
        (
            "conversations: {pairs: 1}\nmessages: {rate: 1, mode: signal}\ncatch_up: {share: 1}",
            "m.yaml:4: catch_up: signals aren't stored, so nobody can catch up"
        ),
        // Personas.
        (
            "personas:\n  - {name: a, share: 0.5}\n  - {name: b, share: 0.6}",
            "m.yaml:2: personas: the shares add up to 1.1; they must add up to 1"
        ),
        (
            "personas:\n  - {name: a, share: 0.5}\n  - {name: a, share: 0.5}",
            "m.yaml:4: personas[1].name: \"a\" is the name of an earlier one"
        ),
        (
            "personas:\n  - {name: a, share: 1, away: 5}",
            "m.yaml:3: personas[0].away: needs present, the time that they are connected"
        ),
        (
            "personas:\n  - {name: a, share: 1, present: 5}",
            "m.yaml:3: personas[0].present: needs away, the time that they are not connected"
        ),
        (
            "personas:\n  - {name: a, share: 1, stalls_for: 5}",
            "m.yaml:3: personas[0].stalls_for: needs stalls_after"
        ),
        (
            "personas:\n  - {name: a, share: 1, stalls_after: 20}",
            "m.yaml:3: personas[0].stalls_after: 20 is too late; the load ends after 20 s"
        ),
        // Phases.
        (chat + "catch_up:\n  leave: 5\n  back: 5", "m.yaml:6: catch_up.back: 5 must be later than leave, 5"),
        (chat + "catch_up:\n  leave: 11", "m.yaml:5: catch_up.back: 10 must be later than leave, 11"),
        (chat + "catch_up:\n  back: 20", "m.yaml:5: catch_up.back: 20 is too late; the load ends after 20 s"),
        (chat + "catch_up: {}\nseconds: 9", "m.yaml:4: catch_up.back: 10 is too late; the load ends after 9 s"),
        ("storms:\n  - at: 5\n  - at: 20.5", "m.yaml:4: storms[1].at: 20.5 is too late; the load ends after 20 s"),
    ])
    func rulesBetweenKeys(_ text: String, _ expected: String) {
        #expect(throws: ConfigurationFailure(expected)) {
            try Scenario.read(text: "about: a\n" + text, file: "m.yaml")
        }
    }

    /// The last value that each rule lets pass.
    @Test(arguments: [
        "devices: 64\nusers: 296", "users: 18999\noutsiders: 1", "seconds: 86398", "users: 1",
        "users: 5\nconversations: {pairs: 10}\nwatch: 4",
        "users: 9\nconversations: {rooms: [{members: 9, senders: 9}]}",
        "conversations: {rooms: [{count: 20000, members: 100}]}",
        chat + "personas: [{name: a, share: 0.999, writes: 0}, {name: b, share: 0.001}]",
        chat + "personas: [{name: a, share: 0.333}, {name: b, share: 0.333}, {name: c, share: 0.333}]",
        "personas: [{name: a, share: 1, present: 1, away: 1, stalls_after: 19.9, stalls_for: 30}]",
        chat + "catch_up: {leave: 0, back: 19.9}", "storms: [{at: 0}, {at: 19.9}]",
    ])
    func whatIsJustAllowed(_ text: String) throws {
        _ = try Scenario.read(text: "about: a\n" + text, file: "m.yaml")
    }
}
