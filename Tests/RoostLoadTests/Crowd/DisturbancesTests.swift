import Testing

@testable import RoostLoad

/// When everybody is back and live after something that disturbed many.
@Suite struct DisturbancesTests {
    private static let start: UInt64 = 1_000_000_000_000

    private func at(_ seconds: Double) -> UInt64 { Self.start + UInt64(seconds * 1e9) }

    private func disturbances() throws -> Disturbances {
        let scenario = try Scenario.read(text: "about: a?\nwarmup: 0\nseconds: 100", file: "a.yaml")
        let course = try Course(EnginePlan(scenario: scenario, url: "", tokens: [], runName: "00000001"))
        course.beginLoad(at: Self.start)
        return Disturbances(course)
    }

    @Test func aStormIsOverWhenTheLastIsLive() throws {
        let disturbances = try disturbances()
        disturbances.begin(.storm, sessions: 3, at: at(5), end: at(5), cuts: true)
        disturbances.changed(isComplete: false, behind: 0, at: at(5))
        disturbances.changed(isComplete: false, behind: 1, at: at(6))
        disturbances.changed(isComplete: true, behind: 2, at: at(7))
        disturbances.changed(isComplete: true, behind: 1, at: at(8))
        disturbances.changed(isComplete: true, behind: 0, at: at(9.5))
        // Later comings and goings are no part of it.
        disturbances.changed(isComplete: false, behind: 0, at: at(20))
        disturbances.changed(isComplete: true, behind: 0, at: at(30))
        let result = try #require(disturbances.results.first)
        #expect(result.at == 5 && result.end == 5 && result.sessions == 3)
        #expect(result.welcomed == 2)
        #expect(result.live == 2.5)
    }

    /// A relay that is killed loses its sessions a moment later: until then nothing has recovered.
    @Test func aRestartIsNotOverBeforeASessionWasLost() throws {
        let disturbances = try disturbances()
        disturbances.begin(.kill, sessions: 3, at: at(5), end: at(5), cuts: true)
        disturbances.changed(isComplete: true, behind: 0, at: at(5))
        #expect(disturbances.results[0].live == .infinity)
        disturbances.changed(isComplete: false, behind: 0, at: at(5.1))
        disturbances.changed(isComplete: true, behind: 0, at: at(8))
        #expect(disturbances.results[0].welcomed == 3 && disturbances.results[0].live == 0)
    }

    @Test func whoIsLostAgainHasToComeAgain() throws {
        let disturbances = try disturbances()
        disturbances.begin(.storm, sessions: 3, at: at(5), end: at(5), cuts: true)
        disturbances.changed(isComplete: false, behind: 0, at: at(5))
        disturbances.changed(isComplete: true, behind: 1, at: at(6))
        disturbances.changed(isComplete: false, behind: 0, at: at(7))
        #expect(disturbances.results[0].welcomed == .infinity)
        disturbances.changed(isComplete: true, behind: 0, at: at(9))
        #expect(disturbances.results[0].welcomed == 4 && disturbances.results[0].live == 0)
    }

    /// The spared users' disturbance counts from the storm until the last one of all processes is live.
    @Test func bystandersCountWhileTheStormLasts() throws {
        let spared = try disturbances()
        spared.begin(.storm, sessions: 0, at: at(5), end: at(5), cuts: false, spared: 2)
        spared.changed(isComplete: true, behind: 0, at: at(5))
        spared.delivered(from: 0, to: 1, due: at(4.9), latency: 1)
        spared.delivered(from: 0, to: 1, due: at(5), latency: 10)
        spared.delivered(from: 1, to: 0, due: at(6.9), latency: 20)
        spared.delivered(from: 1, to: 0, due: at(7.3), latency: 30)
        // A user who was cut off is no bystander, and neither is one who writes to them.
        spared.delivered(from: 2, to: 1, due: at(6), latency: 40)
        spared.delivered(from: 1, to: 2, due: at(6), latency: 50)
        spared.delivered(from: 0, to: 1, due: at(500), latency: 60)
        let others = try disturbances()
        others.begin(.storm, sessions: 3, at: at(5), end: at(5), cuts: true)
        others.changed(isComplete: false, behind: 0, at: at(5))
        others.changed(isComplete: true, behind: 1, at: at(6))
        others.changed(isComplete: true, behind: 0, at: at(7))
        var result = RunResult()
        result.disturbances = spared.results
        var other = RunResult()
        other.disturbances = others.results
        other.merge(result)
        other.countBystanders()
        #expect(other.corrected[.bystander]?.values == [10, 20])
        #expect(other.disturbances.map(\.bystanders) == [nil])
    }

    /// A stall without a cut counts from its end; and one that lasts doesn't hold up the next.
    @Test func aStallCountsFromItsEndAndTwoMayBeUnderWay() throws {
        let disturbances = try disturbances()
        disturbances.begin(.stall, sessions: 3, at: at(5), end: at(10), cuts: false)
        disturbances.changed(isComplete: true, behind: 0, at: at(6))
        #expect(disturbances.results[0].live == .infinity)
        disturbances.begin(.overload, sessions: 3, at: at(8), end: at(8), cuts: false)
        disturbances.changed(isComplete: true, behind: 0, at: at(8))
        #expect(disturbances.results.map(\.live) == [.infinity, 0])
        disturbances.changed(isComplete: true, behind: 0, at: at(10.5))
        #expect(disturbances.results[0].welcomed == 0.5 && disturbances.results[0].live == 0)
    }
}
