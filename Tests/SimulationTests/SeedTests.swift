import RoostTestKit
import Testing

/// Days drawn from seeds keep the promises of the protocol. A failing seed says how to replay it.
@Suite struct SeedTests {
    static let seedsPerTest: UInt64 = 25
    static let steps = 2_000

    @Test(arguments: stride(from: UInt64(1), to: 201, by: UInt64.Stride(seedsPerTest)).map { $0 })
    func keepsItsPromises(first: UInt64) {
        for seed in first..<(first + SeedTests.seedsPerTest) {
            let report = Simulation.run(seed: seed, steps: SeedTests.steps)
            guard !report.violations.isEmpty else { continue }
            Issue.record(
                """
                make simulate SEED=\(seed) STEPS=\(SeedTests.steps)
                \(report.violations.joined(separator: "\n"))
                The last events:
                \(report.lastEvents.suffix(30).joined(separator: "\n"))
                """)
        }
    }

    /// The test is only worth something if the runs do enough.
    @Test func goesEverywhere() {
        var happened: [String: Int] = [:]
        for seed in UInt64(1)...25 {
            for part in Simulation.run(seed: seed, steps: SeedTests.steps).tally {
                happened[part.name, default: 0] += part.count
            }
        }
        // Only the simulated disk gets full: see DiskTests.
        happened["fullDisks"] = nil
        for (name, count) in happened { #expect(count > 0, "\(name) never happens") }
    }
}
