import Foundation
import Glibc
import Testing

@testable import RoostLoad

@Suite struct WorkersTests {
    private func workers(_ count: Int, _ program: FakeProgram, seconds: Double = 0.2) -> Workers {
        var scenario = Scenario(name: "shared", about: "")
        scenario.conversations.pairs = 50
        scenario.warmup = 0
        scenario.seconds = seconds
        scenario.settle = 0.1
        var options = RunOptions()
        options.workers = count
        var workers = Workers(
            scenario, options, target: .init(url: "ws://127.0.0.1:1/v1/socket", keyFile: "/nowhere"),
            sampler: CostSampler(pid: nil, metrics: nil))
        workers.program = [program.path]
        return workers
    }

    // The result belongs into the folder of the order.
    private let place = "place=${1%/*}/result-${1##*-}\n"

    private func template(in program: FakeProgram, sent: UInt64) throws {
        var result = RunResult()
        result.counts.sent = sent
        result.disturbances = [.init(kind: .storm, at: 1, end: 1, sessions: 2)]
        try WorkerOrder.write(result, to: "\(program.folder)/template.json")
    }

    @Test func addsUpTheMeasurementsOfWorkers() throws {
        let program = try FakeProgram("\(place)cp \"$(dirname \"$0\")/template.json\" \"$place\"")
        try template(in: program, sent: 7)
        let sum = try workers(3, program).run()
        #expect(sum.counts.sent == 21)
        #expect(sum.disturbances.first?.sessions == 6)
        #expect(sum.disturbances.first?.live == .infinity)
    }

    @Test func aFailingWorkerFailsTheRunWithItsLastLines() throws {
        let program = try FakeProgram(
            """
            \(place)cp "$(dirname "$0")/template.json" "$place"
            case $1 in *-1.json) echo 'roost-load: no way' >&2; exit 2;; esac
            exec sleep 60
            """)
        try template(in: program, sent: 1)
        let failure = #expect(throws: RunFailure.self) { try workers(2, program).run() }
        #expect(failure?.description.contains("worker 1 failed with exit code 2") == true)
        #expect(failure?.description.contains("roost-load: no way") == true)
    }

    @Test func aWorkerWithoutAResultFailsTheRun() throws {
        let program = try FakeProgram("exit 0")
        #expect(throws: RunFailure.self) { try workers(2, program).run() }
    }

    @Test func aHangingWorkerFailsTheRunAndIsEnded() throws {
        let program = try FakeProgram("echo $$ > \"$(dirname \"$0\")/pid\"\necho waiting\nexec sleep 600")
        var workers = workers(2, program)
        workers.patience = 0.5
        let failure = #expect(throws: RunFailure.self) { try workers.run() }
        #expect(failure?.description.contains("workers 0, 1 did not end in time") == true)
        #expect(failure?.description.contains("waiting") == true)
        let pid = try #require(Int32(try program.text(of: "pid").filter(\.isNumber)))
        #expect(kill(pid, 0) == -1)
    }

    @Test func theNumberOfWorkersIsBounded() throws {
        let program = try FakeProgram("exit 0")
        #expect(throws: RunFailure.self) { try workers(HarnessLimits.workersMax + 1, program).run() }
    }

    @Test func anOrderNamesTheShareAndTheBeginning() throws {
        let program = try FakeProgram("cp \"$1\" \"$(dirname \"$0\")/\"\nexit 1")
        _ = try? workers(2, program).run()
        let files = try FileManager.default.contentsOfDirectory(atPath: program.folder).filter { $0.hasPrefix("order") }
        let file = try #require(files.first)
        let order: WorkerOrder = try WorkerOrder.read("\(program.folder)/\(file)")
        #expect(order.scenario.users == 50)
        #expect(order.scenario.conversations.pairs == 25)
        #expect(order.parent == getpid())
        #expect(order.startAt > Deadline.now - 60_000_000_000)
    }
}
