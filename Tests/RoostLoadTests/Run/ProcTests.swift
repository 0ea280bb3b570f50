import Glibc
import Testing

@testable import RoostLoad

@Suite struct ProcTests {
    private let line =
        "42 (a) b (c) S 1 42 42 0 -1 4194304 2841 6530 17 1 170 25 4 1 20 0 3 0 1220244 16961536 3350 1844674407 1 1"

    @Test func readsTheLineBehindANameWithParentheses() throws {
        let stat = try #require(ProcessStat(line))
        #expect(stat.cpuTicks == 195)
        #expect(stat.startTicks == 1_220_244)
        #expect(!stat.isZombie)
    }

    @Test func knowsAZombie() throws {
        let stat = try #require(ProcessStat(line.replacing(" S 1 ", with: " Z 1 ")))
        #expect(stat.isZombie)
    }

    @Test(arguments: ["", "42 (a", "42 (a) S 1 2 3", "42 (a) S 1 42 42 0 -1 4 2 6 1 1 x 25 4 1 20 0 3 0 12 1 3"])
    func refusesOtherLines(_ text: String) { #expect(ProcessStat(text) == nil) }

    @Test func readsMemory() {
        let status = "Name:\tx\nVmHWM:\t   13532 kB\nVmRSS:\t    9000 kB\n"
        #expect(ProcessProbe.kibibytes("VmRSS", status: status) == 9_000)
        #expect(ProcessProbe.kibibytes("VmHWM", status: status) == 13_532)
        #expect(ProcessProbe.kibibytes("VmSwap", status: status) == nil)
    }

    @Test func readsWaiting() {
        #expect(OwnUsage.wait(schedstat: "49580945 90314 101\n") == 90_314)
        #expect(OwnUsage.wait(schedstat: "49580945") == nil)
        #expect(OwnUsage.wait(schedstat: "") == nil)
    }

    @Test func sharesReferToTheElapsedTime() {
        let shares = OwnUsage(at: 3_000, cpu: 1_600, wait: 300).shares(
            since: OwnUsage(at: 1_000, cpu: 600, wait: 100))
        #expect(shares.cpu == 0.5)
        #expect(shares.wait == 0.1)
        let none = OwnUsage(at: 1, cpu: 2, wait: 3).shares(since: OwnUsage(at: 1, cpu: 0, wait: 0))
        #expect(none.cpu == 0)
    }

    @Test func describesAMachine() {
        let cpuinfo = "processor\t: 0\nmodel name\t: AMD EPYC  \n\nprocessor\t: 1\nmodel name\t: AMD EPYC\n"
        let machine = Machine.describe(
            system: "Linux 6.1 x86_64", cpuinfo: cpuinfo, meminfo: "MemTotal:       24684096 kB\nMemFree: 1 kB\n")
        #expect(machine.cores == 2)
        #expect(machine.processor == "AMD EPYC")
        #expect(machine.memoryMiB == 24_105)
        #expect(machine.system == "Linux 6.1 x86_64")
    }

    @Test func readsThisProcess() throws {
        let probe = try #require(ProcessProbe(pid: getpid()))
        let before = try #require(probe.read())
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let after = try #require(probe.read())
        close(ends[0])
        close(ends[1])
        #expect(before.rss > 0)
        #expect(before.rssPeak >= before.rss)
        #expect(after.cpuSeconds >= before.cpuSeconds)
        #expect(after.descriptors > 2)
    }

    @Test func anEndedProcessHasNoFigures() throws {
        let process = try ChildProcess.start(
            ["sleep", "60"], environment: ChildProcess.environment(), output: "/dev/null")
        let probe = try #require(ProcessProbe(pid: process.pid))
        #expect(probe.read() != nil)
        process.stop(signal: SIGKILL, seconds: 10)
        #expect(probe.read() == nil)
        #expect(ProcessProbe(pid: process.pid) == nil)
    }

    @Test func readsNoMoreThanTheBound() {
        #expect(ProcFile.text("/proc/self/status", bytesMax: 5) == "Name:")
        #expect(ProcFile.text("/proc/self/no-such-file") == nil)
    }
}
