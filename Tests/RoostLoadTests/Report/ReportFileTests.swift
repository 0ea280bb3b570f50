import Foundation
import Testing

@testable import RoostLoad

/// Reports and baselines as JSON.
@Suite struct ReportFileTests {
    private func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("roost-load-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func full() throws -> Report {
        var run = try SampleRun(seconds: 3, rate: 40)
        run.result.faults.count(.lost, times: 2, "a \"quoted\" [1, 2] back\\slash")
        run.result.errors = ["busy": 2, "[1, 2]": 1]
        run.result.disturbances = [.init(kind: .storm, at: 1, end: 1, backoff: true, sessions: 2, welcomed: 3)]
        return run.report
    }

    @Test func reportsAreReadBackUnchanged() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try full()
        try report.write(to: "\(folder)/report.json")
        let read = try Report.read("\(folder)/report.json")
        #expect(try ReportFile.encode(read) == ReportFile.encode(report))
        #expect(read.scenario == report.scenario)
        #expect(read.verdict == .broken)
        #expect(read.result.corrected == report.result.corrected)
        #expect(read.result.faults == report.result.faults)
        #expect(read.result.errors == report.result.errors)
        #expect(read.reasons == report.reasons)
    }

    @Test func theSameReportIsTheSameFile() throws {
        let first = try ReportFile.encode(full())
        for _ in 0..<5 { #expect(try ReportFile.encode(full()) == first) }
    }

    @Test func keysAreNamesAndListsOfNumbersAreOnOneLine() throws {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.result.corrected = [.delivery: try SampleRun.distribution([1: 2, 3: 4])]
        let text = String(decoding: try ReportFile.encode(run.report), as: UTF8.self)
        #expect(text.contains("\"values\" : [1,3]"))
        #expect(text.contains("\"delivery\" : {"))
    }

    @Test func aFigureThatIsNotANumberIsKept() throws {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.cost?.microsecondsPerDelivery = .nan
        let report = run.report
        let read = try Report.read(ReportFile.encode(report), name: "report.json")
        #expect(read.cost?.microsecondsPerDelivery?.isNaN == true)
    }

    @Test(arguments: [
        ("{\"format\": 2}", "has format 2, and this roost-load reads format 1 and older"),
        ("{\"format\": 0}", "has format 0"), ("{}", "is not a report"), ("", "is not a report"),
        ("[1]", "is not a report"), ("{\"format\": 1}", "is missing"),
    ])
    func otherFilesAreRefusedInOneLine(text: String, words: String) {
        let failure = #expect(throws: ReportFileError.self) { try Report.read(Data(text.utf8), name: "x.json") }
        let line = failure?.description ?? ""
        #expect(line.hasPrefix("x.json "))
        #expect(line.contains(words))
        #expect(!line.contains("\n"))
    }

    @Test func reportsAMissingFile() {
        let failure = #expect(throws: ReportFileError.self) { try Report.read("/nowhere/report.json") }
        #expect(failure?.description.hasPrefix("/nowhere/report.json cannot be read") == true)
    }

    @Test func allFilesOfARun() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try full()
        let paths = try report.writeAll(into: "\(folder)/deep/run")
        let names = paths.map { String($0.dropFirst("\(folder)/deep/run/".count)) }
        #expect(
            names == [
                "report.json", "report.html", "delivery.hgrm", "delivery-uncorrected.hgrm", "ack.hgrm",
                "ack-uncorrected.hgrm",
                "connect.hgrm", "connect-uncorrected.hgrm",
            ])
        for path in paths { #expect(try ReportFile.read(path).count > 100, "\(path)") }
    }

    @Test func baselinesKeepFiguresAndNoTimelines() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let report = try SampleRun().report
        try Baseline(report).write(to: "\(folder)/pairs.json")
        let read = try Baseline.read("\(folder)/pairs.json")
        #expect(read == Baseline(report))
        #expect(read.figures["delivery_p99_ms"] == report.figure(named: "delivery_p99_ms"))
        #expect(read.figures["p99_ms"] == nil)
        #expect(read.figures["storm_seconds"] == nil)
        #expect(try ReportFile.read("\(folder)/pairs.json").count < 4_000)

        let page = try BaselineTable(folder: folder).markdown
        #expect(page == BaselineTable([read]).markdown)
        #expect(page.contains("| [pairs](pairs.json) | 2026-03-01 | held | full |"))
    }

    @Test func baselinesOfEachMachineHaveATableAndNamesCannotBreakIt() throws {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.scenario.about = "a | b <i>\nc"
        var other = Baseline(run.report)
        other.machine = "Another"
        let page = BaselineTable([Baseline(run.report), other]).markdown
        #expect(page == BaselineTable([other, Baseline(run.report)]).markdown)
        #expect(page.components(separatedBy: "\n## ").count == 3)
        #expect(page.contains("a \\| b \\<i\\>\u{FFFD}c"))
        let columns = page.split(separator: "\n").filter { $0.hasPrefix("|") }.map { $0.split(separator: "|").count }
        #expect(Set(columns) == [columns[0]])
    }
}
