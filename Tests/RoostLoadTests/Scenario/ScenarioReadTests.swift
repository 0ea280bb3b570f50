import RoostConfiguration
import Testing

@testable import RoostLoad

/// The scenario that is read from a file.
@Suite struct ScenarioReadTests {
    @Test func everyKeyIsRead() throws {
        let text = """
            about: Everything.
            seed: 18446744073709551615
            warmup: 1.5
            seconds: 30
            settle: 5
            users: 50
            devices: 2
            outsiders: 3
            connect_rate: 100
            conversations:
              pairs: 25
              zipf: 0.9
              rooms: [{count: 2, members: 20, senders: 5}, {members: 3}]
            messages: {rate: 12.5, arrivals: constant, bytes: 64-400, mode: send, stages: [{at: 3, factor: 0.5}]}
            personas:
              - {name: a, share: 0.75, writes: 2, typing: 0.5, typing_seconds: 3, reads: 1, read_seconds: 0.25}
              - {name: b, share: 0.25, present: 10, away: 5, clean: 0, stalls_after: 2, stalls_for: 4}
            watch: 7
            grace: 9
            catch_up: {share: 0.25, leave: 2, back: 20}
            storms: [{at: 5, share: 0.5, spare: 4, backoff: false}]
            restarts: [{at: 6, how: drain, down: 1.5}]
            stalls: [{at: 9, seconds: 2.5}]
            backoff: false
            thresholds: {p99_ms: 200, lost: 0, storm_seconds: 2.5}
            """
        var expected = Scenario(name: "all", about: "Everything.")
        expected.seed = .max
        (expected.warmup, expected.seconds, expected.settle) = (1.5, 30, 5)
        (expected.users, expected.devices, expected.outsiders, expected.connectRate) = (50, 2, 3, 100)
        expected.conversations.pairs = 25
        expected.conversations.zipf = 0.9
        expected.conversations.rooms = [
            Scenario.Rooms(count: 2, members: 20, senders: 5), Scenario.Rooms(count: 1, members: 3, senders: 0),
        ]
        expected.messages = Scenario.Messages(rate: 12.5, arrivals: .constant, bytes: 64...400, mode: .send)
        expected.messages?.stages = [.init(at: 3, factor: 0.5)]
        expected.personas = [
            Scenario.Persona(
                name: "a", share: 0.75, writes: 2, typing: 0.5, typingSeconds: 3, reads: 1, readSeconds: 0.25),
            Scenario.Persona(
                name: "b", share: 0.25, present: 10, away: 5, clean: 0, stallsAfter: 2, stallsFor: 4),
        ]
        (expected.watch, expected.grace) = (7, 9)
        expected.catchUp = Scenario.CatchUp(share: 0.25, leave: 2, back: 20)
        expected.storms = [Scenario.Storm(at: 5, share: 0.5, spare: 4, backoff: false)]
        expected.restarts = [Scenario.Restart(at: 6, how: .drain, down: 1.5)]
        expected.stalls = [Scenario.Stall(at: 9, seconds: 2.5)]
        expected.backoff = false
        expected.thresholds = [("p99_ms", 200), ("lost", 0), ("storm_seconds", 2.5)].map(Threshold.init)
        #expect(try Scenario.read(text: text, file: "some/folder/all.yaml") == expected)
        // This test must name every key of the table.
        for row in Scenario.rows(under: "") {
            let name = row.path.split(separator: ".").last.map(String.init) ?? ""
            #expect(text.contains("\(name):"), "\(row.path)")
        }
    }

    @Test func missingKeysHaveTheirDefaults() throws {
        #expect(try Scenario.read(text: "about: Nothing.", file: "x.yaml") == Scenario(name: "x", about: "Nothing."))
    }

    @Test(arguments: [("200", 200...200), ("\"64-64\"", 64...64), ("64-80000", 64...80_000)])
    func bytes(_ written: String, _ expected: ClosedRange<Int>) throws {
        let text = "about: a\nconversations: {pairs: 1}\nmessages: {rate: 1, bytes: \(written)}"
        #expect(try Scenario.read(text: text, file: "x.yaml").messages?.bytes == expected)
    }

    @Test func theFileSizeIsBounded() {
        let text = "about: a\n#" + String(repeating: "x", count: ScenarioLimits.fileBytes)
        #expect(throws: ConfigurationFailure("x.yaml: larger than \(ScenarioLimits.fileBytes) bytes")) {
            try Scenario.read(text: text, file: "x.yaml")
        }
    }

    @Test func theLengthOfListsIsBounded() {
        let storms = String(repeating: "{at: 1}, ", count: ScenarioLimits.storms + 1)
        #expect(throws: ConfigurationFailure("x.yaml:2: storms: a list is not allowed; a list of up to 64 sections")) {
            try Scenario.read(text: "about: a\nstorms: [\(storms)]", file: "x.yaml")
        }
    }
}
