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
        // The program is next to the bundle of these tests. It runs by popen(3), because Foundation's `Process` reads
        // beyond a buffer while 1,365 descriptors or more are open (swift-corelibs-foundation#5472).
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = products.appendingPathComponent("roost-simulate").path
        let output = try #require(popen("exec '\(program)' --seeds 10 --steps 1000 --tally", "re"))
        var said: [UInt8] = []
        while case let byte = getc(output), byte != EOF { said.append(UInt8(truncatingIfNeeded: byte)) }
        #expect(pclose(output) == 0)
        return String(decoding: said, as: UTF8.self)
    }
}
