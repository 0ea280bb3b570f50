import RoostTestKit
import Testing

/// The checker can fail: it finds every mistake that is planted, within a few seeds.
@Suite struct FaultTests {
    static let seeds: ClosedRange<UInt64> = 1...40

    @Test(arguments: Fault.allCases)
    func finds(fault: Fault) {
        let found = FaultTests.seeds.first {
            !Simulation.run(seed: $0, steps: SeedTests.steps, fault: fault).violations.isEmpty
        }
        #expect(found != nil, "\(fault) stays hidden for \(FaultTests.seeds.count) seeds")
    }
}
