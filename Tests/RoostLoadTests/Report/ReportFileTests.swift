import Foundation
import Testing

@testable import RoostLoad

/// Reports as JSON.
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
                "report.json", "delivery.hgrm", "delivery-uncorrected.hgrm", "ack.hgrm", "ack-uncorrected.hgrm",
                "connect.hgrm", "connect-uncorrected.hgrm",
            ])
        for path in paths { #expect(try ReportFile.read(path).count > 100, "\(path)") }
    }

    /// The page and the bench compute nothing again: what they show is in the file.
    @Test func whatFollowsIsInTheFile() throws {
        let report = try full()
        let object = try JSONSerialization.jsonObject(with: report.encoded()) as? [String: Any]
        let shown = try #require(object?["shown"] as? [String: Any])
        let figures = try #require(shown["figures"] as? [String: Any])
        #expect(figures["delivery_p99_ms"] as? Double == report.figure(named: "delivery_p99_ms"))
        #expect(figures["storm_seconds"] as? Double == 3)
        #expect(figures["live_seconds"] as? String == "inf")
        #expect(figures.count == Figure.all.count { report.figure(named: $0.name) != nil })
        #expect(shown["verdict"] as? String == "broken")
        #expect((shown["bounds"] as? [String])?.count == report.thresholds.count)
        #expect((shown["recoveries"] as? [Any])?.count == 1)
        #expect((shown["checks"] as? [Any])?.count == Validity.checks(of: report.result).count)
        #expect((shown["faults"] as? [Any])?.count == Fault.allCases.count)
        #expect((shown["kinds"] as? [Any])?.count == LatencyKind.allCases.count)
    }
}
