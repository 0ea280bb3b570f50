import Foundation
import RoostTestKit
import Testing

/// The same seed must give the same run. Swift seeds its hash tables anew in every process. So the test runs the same
/// seeds in two processes, which differ if anything depends on the order of a hash table.
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
        // The program is next to the bundle of these tests.
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
