import RoostConfiguration
import Testing

@testable import RoostLoad

/// Changes by the command line, and the short form for tests.
@Suite struct ScenarioOverrideTests {
    func scenario() throws -> Scenario {
        try Scenario.read(
            text: """
                about: a
                users: 100
                outsiders: 10
                warmup: 5
                seconds: 45
                watch: 30
                conversations:
                  pairs: 50
                  rooms: [{count: 4, members: 40, senders: 30}, {members: 5}]
                messages: {rate: 200}
                personas: [{name: a, share: 0.99}, {name: b, share: 0.01, present: 20, away: 10, stalls_after: 10}]
                catch_up: {leave: 5, back: 40}
                storms: [{at: 20}]
                """,
            file: "x.yaml"
        )
    }

    @Test func withoutOptionsNothingChanges() throws {
        #expect(try scenario().override() == scenario())
    }

    @Test func everyOptionIsApplied() throws {
        var expected = try scenario()
        (expected.devices, expected.seconds, expected.warmup, expected.seed) = (3, 60.5, 0, 9)
        expected.messages?.rate = 0.5
        #expect(try scenario().override(devices: 3, rate: 0.5, seconds: 60.5, warmup: 0, seed: 9) == expected)
    }

    @Test func moreUsersGetMoreConversations() throws {
        let changed = try scenario().override(users: 250)
        #expect(changed.users == 250)
        #expect(changed.conversations.pairs == 125)
        #expect(changed.conversations.rooms.map(\.count) == [10, 3])
        #expect(changed.conversations.rooms.map(\.members) == [40, 5])
        #expect(changed.messages?.rate == 200)
        #expect(changed.watch == 30)
    }

    @Test func fewerUsersGetFewerConversations() throws {
        let changed = try scenario().override(users: 20)
        #expect(changed.conversations.pairs == 10)
        #expect(changed.conversations.rooms.map(\.count) == [1, 1])
        #expect(changed.conversations.rooms.map(\.members) == [20, 5])
        #expect(changed.conversations.rooms.map(\.senders) == [20, 0])
        #expect(changed.watch == 19)
    }

    /// Few users have fewer pairs than their share of the pairs of many users.
    @Test func pairsNeverExceedThePossibleNumber() throws {
        let text = "about: a\nusers: 100\nconversations: {pairs: 4950}"
        let changed = try Scenario.read(text: text, file: "x.yaml").override(users: 10)
        #expect(changed.conversations.pairs == 45)
    }

    @Test func failuresNameTheFlag() throws {
        let scenario = try scenario()
        let cases: [(String, () throws -> Scenario)] = [
            ("--users: 0 is too small; a whole number from 1 to 19000", { try scenario.override(users: 0) }),
            (
                "--users: conversations.pairs: 1 is too many; 1 users make at most 0 pairs",
                { try scenario.override(users: 1) }
            ),
            ("--devices: 65 is too large; a whole number from 1 to 64", { try scenario.override(devices: 65) }),
            (
                "--devices: 28160 connections in all are too many; at most 19000 are allowed",
                { try scenario.override(users: 430, devices: 64) }
            ),
            (
                "--users: 19001 connections in all are too many; at most 19000 are allowed",
                { try scenario.override(users: 18_991) }
            ),
            ("--rate: 0 is too small; a number from 0.1 to 1000000", { try scenario.override(rate: 0) }),
            ("--seconds: \"nan\" is not allowed; a number from 0.1 to 86400", { try scenario.override(seconds: .nan) }),
            (
                "--seconds: catch_up.back: 40 is too late; the load ends after 30 s",
                { try scenario.override(seconds: 30) }
            ),
            ("--warmup: -1 is too small; a number from 0 to 86400", { try scenario.override(warmup: -1) }),
            (
                "--warmup: seconds: too long together with warmup; at most 86400 s are allowed",
                { try scenario.override(warmup: 86_400) }
            ),
        ]
        for (expected, change) in cases {
            #expect(throws: ConfigurationFailure(expected), "\(expected)") { try change() }
        }
        let idle = Scenario(name: "idle", about: "a")
        #expect(throws: ConfigurationFailure("--rate: nobody writes in idle")) { try idle.override(rate: 5) }
    }

    // MARK: Shortened

    @Test func aShortenedScenarioKeepsItsShape() throws {
        let short = try scenario().shortened(users: 20, seconds: 5)
        #expect(short.users == 20)
        #expect(short.outsiders == 2)
        #expect(short.messages?.rate == 40)
        #expect(short.conversations.pairs == 10)
        // Everything becomes a tenth.
        #expect([short.warmup, short.seconds, short.settle] == [0.5, 4.5, 10])
        #expect(short.catchUp == Scenario.CatchUp(share: 0.5, leave: 0.5, back: 4))
        #expect(short.storms == [Scenario.Storm(at: 2)])
        #expect(short.personas[1].present == 2)
        #expect(short.personas[1].away == 1)
        #expect(short.personas[1].stallsAfter == 1)
        // A hundredth would be no user at all.
        #expect(abs(short.personas[0].share - 0.9) < 1e-9)
        #expect(abs(short.personas[1].share - 0.1) < 1e-9)
    }

    @Test func aSmallScenarioStaysUnchanged() throws {
        #expect(try scenario().shortened(users: 100, seconds: 50) == scenario())
    }

    @Test func fewUsersStillWrite() throws {
        let short = try scenario().shortened(users: 0, seconds: 1)
        #expect(short.users == 2)
        #expect(short.messages?.rate == 10)
        try short.check(ScenarioPlaces(whole: .flag("test")))
    }
}
