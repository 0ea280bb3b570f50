import ArgumentParser
import RoostLoad
import Testing

@testable import roost_load

@Suite struct CommandLineTests {
    private func parse<Command: ParsableCommand>(_ type: Command.Type, _ line: String) throws -> Command {
        let command = try LoadCommand.parseAsRoot(line.split(separator: " ").map(String.init))
        return try #require(command as? Command)
    }

    @Test func runIsTheDefaultCommand() throws {
        let command = try parse(RunCommand.self, "direct rooms --users 7 --rate 5 --correctness-only --short")
        #expect(command.names == ["direct", "rooms"])
        #expect(command.rate == 5)
        #expect(command.judgesOnlyCorrectness)
        #expect(command.flags.options.users == 7)
        #expect(command.flags.options.isShort)
        #expect(command.flags.options.url == nil)
        #expect(try parse(RunCommand.self, "run direct").names == ["direct"])
    }

    @Test func optionsOfARelayOfOurOwn() throws {
        let options = try parse(
            RunCommand.self, "run a --durability memory --grace 0 --set a.b=1 --set c.d=2 --pin --workers 16 --seed 9"
        ).flags.options
        #expect(options.durability == "memory")
        #expect(options.graceSeconds == 0)
        #expect(options.settings == ["a.b=1", "c.d=2"])
        #expect(options.isPinned)
        #expect(options.workers == 16)
        #expect(options.seed == 9)
    }

    @Test func optionsOfARunningRelay() throws {
        let line = "run a --url ws://h:1/v1/socket --key-file k --pid 12 --metrics-token t"
        let options = try parse(RunCommand.self, line).flags.options
        #expect(options.url == "ws://h:1/v1/socket")
        #expect(options.keyFile == "k")
        #expect(options.pid == 12)
        #expect(options.metricsToken == "t")
    }

    @Test func otherCommands() throws {
        let knee = try parse(KneeCommand.self, "knee a --from 100 --factor 2 --seconds 5")
        #expect(knee.from == 100)
        #expect(knee.factor == 2)
        #expect(knee.flags.options.seconds == 5)
        #expect(try parse(CheckCommand.self, "check a.yaml b.yaml").files == ["a.yaml", "b.yaml"])
        #expect(try parse(WorkerCommand.self, "worker order.json").order == "order.json")
        _ = try parse(ListCommand.self, "list")
    }

    @Test(arguments: [
        "run", "run a --no-such-option", "run a --users many", "run a --workers 0", "run a --workers 17",
        "run a --url ws://h:1/v1/socket", "run a --key-file k", "run a --pid 1", "run a --metrics-token t",
        "run a --url ws://h/ --key-file k --grace 1", "run a --url ws://h/ --key-file k --set a=b",
        "run a --durability most", "run a --grace 301", "run a --set nothing", "run a --pid 0", "knee",
        "knee a --factor 1", "knee a --from 0", "knee a --bisections 9", "check",
    ])
    func aWrongLineEndsWithTwo(_ line: String) throws {
        let error = #expect(throws: (any Error).self) { try parse(RunCommand.self, line) }
        #expect(error.map { LoadCommand.exitNumber(for: $0) } == 2)
    }

    @Test func askingForHelpExitsWithZero() throws {
        let error = #expect(throws: (any Error).self) {
            var command = try LoadCommand.parseAsRoot(["--help"])
            try command.run()
        }
        #expect(error.map { LoadCommand.exitNumber(for: $0) } == 0)
        #expect(error.map { !LoadCommand.fullMessage(for: $0).contains("worker ") } == true)
    }

    @Test func verdictsAreExitCodes() {
        let codes = [Report.Verdict.held, .broken, .failed, .invalid].map(\.exitCode)
        #expect(codes == [0, 1, 2, 3])
    }
}
