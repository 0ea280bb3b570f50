import Foundation
import Glibc
import Testing

@testable import RoostLoad

@Suite struct RelayProcessTests {
    private let announcement = "echo 'Roost 0.1.0 listens on ws://127.0.0.1:4321/v1/socket'"

    @Test func learnsTheRelaysAddressAndStopsIt() throws {
        let program = try FakeProgram("\(announcement)\nexec sleep 60")
        let relay = try RelayProcess(RelayProcess.Settings(program: program.path))
        #expect(relay.url == "ws://127.0.0.1:4321/v1/socket")
        #expect(kill(relay.pid, 0) == 0)
        #expect(relay.end == nil)
        #expect(FileManager.default.fileExists(atPath: relay.folder))
        relay.stop()
        #expect(relay.end == .signalled(SIGTERM))
        #expect(!FileManager.default.fileExists(atPath: relay.folder))
        relay.stop()
    }

    @Test func theFolderIsPrivateAndKeptOnRequest() throws {
        let program = try FakeProgram("\(announcement)\nexec sleep 60")
        var settings = RelayProcess.Settings(program: program.path)
        settings.keepsFolder = true
        let relay = try RelayProcess(settings)
        relay.stop()
        defer { PrivateFolder.remove(relay.folder) }
        let attributes = try FileManager.default.attributesOfItem(atPath: relay.folder)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(relay.lastLines().contains("listens on"))
    }

    @Test func reportsTheLastLinesOfARelayThatDies() throws {
        let program = try FakeProgram("echo 'roost: store: disk full' >&2\nexit 3")
        let failure = #expect(throws: RunFailure.self) {
            try RelayProcess(RelayProcess.Settings(program: program.path))
        }
        #expect(failure?.description.contains("exit code 3") == true)
        #expect(failure?.description.contains("roost: store: disk full") == true)
    }

    @Test func doesNotWaitForeverForAHangingRelay() throws {
        let program = try FakeProgram(
            "echo $$ > \(NSTemporaryDirectory())roost-load-hanging.$PPID\necho starting\nexec sleep 60")
        let file = "\(NSTemporaryDirectory())roost-load-hanging.\(getpid())"
        defer { unlink(file) }
        var settings = RelayProcess.Settings(program: program.path)
        settings.startSeconds = 0.5
        let failure = #expect(throws: RunFailure.self) { try RelayProcess(settings) }
        #expect(failure?.description.contains("did not listen within") == true)
        #expect(failure?.description.contains("starting") == true)
        let pid = try #require(
            Int32(try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, 0) == -1)
    }

    @Test func killsARelayThatIgnoresSignals() throws {
        let program = try FakeProgram("trap '' TERM\n\(announcement)\nwhile :; do sleep 0.05; done")
        var settings = RelayProcess.Settings(program: program.path)
        settings.stopSeconds = 0.2
        let relay = try RelayProcess(settings)
        relay.stop()
        #expect(relay.end == .signalled(SIGKILL))
    }

    @Test func noticesThatTheRelayHasEnded() throws {
        let program = try FakeProgram("\(announcement)\nsleep 0.2\nexit 7")
        let relay = try RelayProcess(RelayProcess.Settings(program: program.path))
        #expect(Deadline(seconds: 10).poll { relay.end != nil })
        #expect(relay.end == .exited(7))
        relay.stop()
    }

    @Test func failsWithoutAProgram() throws {
        #expect(throws: RunFailure.self) { try RelayProcess(RelayProcess.Settings(program: "/nowhere/roost")) }
        #expect(throws: RunFailure.self) { try Programs.relay(option: "/nowhere/roost") }
        #expect(throws: RunFailure.self) { try Programs.relay(option: "/tmp") }
        let program = try FakeProgram("exit 0")
        #expect(try Programs.relay(option: nil, environment: ["ROOST_BINARY": program.path]) == program.path)
        #expect(try Programs.relay(option: program.path, environment: ["ROOST_BINARY": "/nowhere"]) == program.path)
    }

    @Test func passesItsSettingsAndNoneOfTheCallers() throws {
        let program = try FakeProgram(
            "env > \"$(dirname \"$0\")/env\"\necho \"$@\" > \"$(dirname \"$0\")/words\"\n\(announcement)\nexec sleep 60"
        )
        var settings = RelayProcess.Settings(program: program.path)
        settings.durability = "memory"
        settings.graceSeconds = 3
        settings.more = ["presence.grace_seconds=4"]
        let relay = try RelayProcess(settings)
        defer { relay.stop() }
        let words = try program.text(of: "words")
        #expect(words.hasPrefix("serve --set listen.host=127.0.0.1 --set listen.port=0 "))
        #expect(words.contains("--set store.path=\(relay.folder)/roost.db "))
        #expect(words.contains("--set auth.key_file=\(relay.keyFile) "))
        #expect(words.contains("--set store.durability=memory "))
        // The last setting counts.
        #expect(words.hasSuffix("--set presence.grace_seconds=4\n"))
        #expect(try !program.text(of: "env").contains("ROOST_"))
    }

    @Test func leavesOutVariablesByTheirPrefix() {
        #expect(ChildProcess.environment().contains { $0.hasPrefix("PATH=") })
        #expect(!ChildProcess.environment(without: "PA").contains { $0.hasPrefix("PATH=") })
    }

    @Test func readsTheAddressOnlyFromAWholeLine() {
        #expect(RelayProcess.address(in: "Roost 1 listens on ws://127.0.0.1:43") == nil)
        #expect(RelayProcess.address(in: "x\nRoost 1 listens on ws://h:43/v1/socket\n  store") == "ws://h:43/v1/socket")
        #expect(RelayProcess.address(in: "somebody listens on ws://h:43/v1/socket\n") == nil)
    }

    @Test func keepsAProcessOnACore() throws {
        let program = try FakeProgram(
            "grep Cpus_allowed_list /proc/self/status | tr -d '\\t'\n\(announcement)\nexec sleep 60")
        var settings = RelayProcess.Settings(program: program.path)
        settings.core = 0
        let relay = try RelayProcess(settings)
        defer { relay.stop() }
        #expect(relay.lastLines().contains("Cpus_allowed_list:0 |"))
    }
}
