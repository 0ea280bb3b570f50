import RoostConfiguration
import Testing

@testable import RoostLoad

/// Refused scenarios, and the line that is named. The first line of each text is `about: a`.
@Suite struct ScenarioRefusalTests {
    func check(_ text: String, _ expected: String) {
        #expect(throws: ConfigurationFailure(expected)) {
            try Scenario.read(text: "about: a\n" + text, file: "m.yaml")
        }
    }

    @Test(arguments: [
        ("users: many", "m.yaml:2: users: \"many\" is not allowed; a whole number from 1 to 19000"),
        ("users: \"5\"", "m.yaml:2: users: \"5\" is not allowed; a whole number from 1 to 19000"),
        ("users: 1.5", "m.yaml:2: users: \"1.5\" is not allowed; a whole number from 1 to 19000"),
        ("users: 0", "m.yaml:2: users: 0 is too small; a whole number from 1 to 19000"),
        ("users: -3", "m.yaml:2: users: -3 is too small; a whole number from 1 to 19000"),
        ("users: 19001", "m.yaml:2: users: 19001 is too large; a whole number from 1 to 19000"),
        (
            "users: 99999999999999999999",
            "m.yaml:2: users: 99999999999999999999 is too large; a whole number from 1 to 19000"
        ),
        ("users:", "m.yaml:2: users: nothing is given; a whole number from 1 to 19000"),
        ("users: [1]", "m.yaml:2: users: a list is not allowed; a whole number from 1 to 19000"),
        ("users: {a: 1}", "m.yaml:2: users: a section is not allowed; a whole number from 1 to 19000"),
        ("seed: -1", "m.yaml:2: seed: -1 is too small; a whole number from 0 to 18446744073709551615"),
        ("\nmessages:\n  rate: 0", "m.yaml:4: messages.rate: 0 is too small; a number from 0.1 to 1000000"),
        ("warmup: nan", "m.yaml:2: warmup: \"nan\" is not allowed; a number from 0 to 86400"),
        ("warmup: 0x10", "m.yaml:2: warmup: \"0x10\" is not allowed; a number from 0 to 86400"),
        ("seconds: 86401", "m.yaml:2: seconds: 86401 is too large; a number from 0.1 to 86400"),
        (
            "messages: {rate: 1, mode: sends}",
            "m.yaml:2: messages.mode: \"sends\" is not allowed; send or signal"
        ),
        ("storms: [{at: 1, backoff: yes}]", "m.yaml:2: storms[0].backoff: \"yes\" is not allowed; true or false"),
        ("storms: 5", "m.yaml:2: storms: \"5\" is not allowed; a list of up to 64 sections"),
        ("storms:\n  - at: 1\n  - 7", "m.yaml:4: storms[1]: \"7\" is not allowed; keys: at, share, spare, backoff"),
        ("catch_up: 5", "m.yaml:2: catch_up: \"5\" is not allowed; keys: share, leave, back"),
        ("[a]: 5", "m.yaml:2: a key must be a word"),
        (
            "thresholds: {p99_ms: fast}",
            "m.yaml:2: thresholds.p99_ms: \"fast\" is not allowed; a number from 0 to 1000000000"
        ),
    ])
    func valuesThatDoNotFit(_ text: String, _ expected: String) { check(text, expected) }

    @Test(arguments: ["20", "64-", "-64", "64-80001", "64-20", "64-70-80", "many"])
    func bytesThatDoNotFit(_ written: String) throws {
        let failure = try #require(throws: ConfigurationFailure.self) {
            try Scenario.read(text: "about: a\nmessages: {rate: 1, bytes: \(written)}", file: "m.yaml")
        }
        #expect(failure.description.hasPrefix("m.yaml:2: messages.bytes: "))
        #expect(failure.description.hasSuffix("; a whole number, or two such as 64-400, from 64 to 80000"))
    }

    static let personaKeys = "choose from " + Scenario.Persona.keys.map(\.name).joined(separator: ", ")

    @Test(arguments: [
        ("user: 5", "m.yaml:2: user: unknown key; did you mean users?"),
        ("messages:\n  rate: 1\n  byte: 100", "m.yaml:4: messages.byte: unknown key; did you mean bytes?"),
        (
            "personas:\n  - name: a\n    typingSeconds: 1",
            "m.yaml:4: personas[0].typingSeconds: unknown key; did you mean typing_seconds?"
        ),
        ("catch_up: {whatever: 1}", "m.yaml:2: catch_up.whatever: unknown key; choose from share, leave, back"),
        ("personas: [{<<: 1}]", "m.yaml:2: personas[0].<<: unknown key; \(personaKeys)"),
        ("thresholds:\n  p90_ms: 1\n  p95_ms: 1", "m.yaml:4: thresholds.p95_ms: unknown figure; did you mean p90_ms?"),
        ("thresholds: {losst: 1}", "m.yaml:2: thresholds.losst: unknown figure; did you mean lost?"),
    ])
    func unknownNames(_ text: String, _ expected: String) { check(text, expected) }

    @Test(arguments: [
        ("storms:\n  - share: 1", "m.yaml:3: storms[0]: at is missing; a number from 0 to 86400"),
        ("messages: {bytes: 64}", "m.yaml:2: messages: rate is missing; a number from 0.1 to 1000000"),
        (
            "conversations:\n  rooms:\n    - count: 2",
            "m.yaml:4: conversations.rooms[0]: members is missing; a whole number from 2 to 19000"
        ),
    ])
    func missingKeys(_ text: String, _ expected: String) { check(text, expected) }

    @Test func aboutIsMissing() {
        #expect(throws: ConfigurationFailure("m.yaml:1: about is missing; a text of 1 to 200 characters in one line")) {
            try Scenario.read(text: "# Head.\nusers: 5", file: "m.yaml")
        }
    }

    @Test(arguments: [
        ("users: 5\nseed: 1\nusers: 6", "m.yaml:2: users: given twice"),
        ("messages:\n  rate: 1\n\n  # Again.\n  rate: 2\nusers: 5", "m.yaml:3: rate: given twice"),
        ("storms:\n  - at: 1\n    at: 2\n  - at: 3", "m.yaml:3: at: given twice"),
        ("messages: {rate: 1, rate: 2}", "m.yaml:2: rate: given twice"),
    ])
    func keysGivenTwice(_ text: String, _ expected: String) { check(text, expected) }

    @Test(arguments: [
        ("users: [1", "m.yaml:3: not valid YAML: did not find expected ',' or ']'"),
        ("\tusers: 1", "m.yaml:2: not valid YAML: found a tab character that violates indentation"),
        ("users: 1\n---\nusers: 2", "m.yaml:3: not valid YAML: but found another document"),
        ("users: *x", "m.yaml:2: not valid YAML: found undefined alias"),
    ])
    func brokenSyntax(_ text: String, _ expected: String) { check(text, expected) }

    @Test(arguments: [("", "the file is empty"), ("# Only this.", "the file is empty")])
    func emptyFiles(_ text: String, _ expected: String) {
        #expect(throws: ConfigurationFailure("m.yaml:1: \(expected)")) { try Scenario.read(text: text, file: "m.yaml") }
    }

    /// Whatever a file holds, it becomes one line that a terminal can show.
    @Test func failuresAreOneLineWithoutControlCharacters() throws {
        let failure = try #require(throws: ConfigurationFailure.self) {
            try Scenario.read(text: "about: a\n\"a\\n\\e[31mb\": 1", file: "m.yaml")
        }
        #expect(!failure.description.contains { $0.isNewline || $0 == "\u{1B}" })
        #expect(failure.description.hasPrefix("m.yaml:2: "))
    }
}
