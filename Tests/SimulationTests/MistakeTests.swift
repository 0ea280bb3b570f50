import RoostTestKit
import Testing

/// The checker finds every planted mistake within a few seeds, so it can fail.
@Suite struct MistakeTests {
    static let seeds: ClosedRange<UInt64> = 1...100

    @Test(arguments: PlantedMistake.allCases)
    func finds(mistake: PlantedMistake) {
        let found = MistakeTests.seeds.first {
            !Simulation.run(seed: $0, steps: SeedTests.steps, mistake: mistake).violations.isEmpty
        }
        #expect(found != nil, "\(mistake) stays hidden for \(MistakeTests.seeds.count) seeds")
    }
}
