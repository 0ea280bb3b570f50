import RoostTestKit
import RoostWire
import SimulatedDisk
import Testing

/// The relay runs on the real store, on a disk that loses, tears and reorders writes that aren't synced, through
/// crashes, power cuts and failing commits. Everything that was acked is there, and a commit under way is there
/// completely or not at all.
@Suite struct DiskTests {
    static let seedsPerTest: UInt64 = 25
    static let steps = 250

    private static func run(_ seed: UInt64, _ durability: Durability) -> Simulation.Report {
        Simulation.run(seed: seed, steps: steps, weather: .rough) { limits, seed in
            do {
                return try DiskStore(limits: limits, seed: seed, durability: durability)
            } catch {
                preconditionFailure("no store on an empty disk: \(error)")
            }
        }
    }

    @Test(arguments: stride(from: UInt64(1), to: 201, by: UInt64.Stride(seedsPerTest)).map { $0 })
    func losesNothing(first: UInt64) {
        for seed in first..<(first + DiskTests.seedsPerTest) {
            let report = DiskTests.run(seed, .full)
            guard !report.violations.isEmpty else { continue }
            Issue.record(
                """
                make simulate DISK=1 SEED=\(seed) STEPS=\(DiskTests.steps)
                \(report.violations.joined(separator: "\n"))
                """)
        }
    }

    /// The same checks fail if commits aren't synced, which shows that a simulated power cut really loses something.
    @Test func noticesWhatWasNotSynced() {
        let found = (UInt64(1)...10).first { !DiskTests.run($0, .normal).violations.isEmpty }
        #expect(found != nil, "nothing is lost without syncing")
    }

    /// Two runs with one seed are equal.
    @Test func sameSeedSameRun() {
        #expect(DiskTests.run(3, .full).hash == DiskTests.run(3, .full).hash)
    }

    @Test func everythingHappens() {
        var happened: [String: Int] = [:]
        for seed in UInt64(1)...10 {
            for part in DiskTests.run(seed, .full).tally { happened[part.name, default: 0] += part.count }
        }
        for name in ["crashes", "drains", "failures", "acked", "duplicates", "fullDisks"] {
            #expect(happened[name] ?? 0 > 0, "\(name) never happen")
        }
    }
}
