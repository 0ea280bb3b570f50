import Foundation
import RoostTestKit
import Testing

/// A seed is worth nothing if it gives another run the next time. Hash tables are seeded anew in every process, so the
/// same seeds are run in two processes: whatever iterates over one shows.
@Suite struct RepeatTests {
    @Test func sameSeedSameRun() throws {
        let first = try runInOwnProcess()
        #expect(first.contains("hash"))
        #expect(try runInOwnProcess() == first)
    }

    @Test func otherSeedOtherRun() {
        let one = Simulation.run(seed: 1, steps: 200)
        #expect(Simulation.run(seed: 1, steps: 200).hash == one.hash)
        #expect(Simulation.run(seed: 2, steps: 200).hash != one.hash)
    }

    private func runInOwnProcess() throws -> String {
        let process = Process()
        // Next to the bundle of these tests.
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        process.executableURL = products.appendingPathComponent("roost-simulate")
        process.arguments = ["--seeds", "10", "--steps", "1000", "--tally"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }
}
