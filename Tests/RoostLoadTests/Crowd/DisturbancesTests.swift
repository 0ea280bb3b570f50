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

    /// A stall that cuts nobody off counts from its end; and one that lasts doesn't hold up the next.
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
