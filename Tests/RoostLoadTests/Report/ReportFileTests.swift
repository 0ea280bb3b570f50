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

    @Test func theSameReportIsTheSameFile() throws {
        let first = try ReportFile.encode(full())
        for _ in 0..<5 { #expect(try ReportFile.encode(full()) == first) }
    }

    @Test func keysAreNamesAndFiguresThatAreNoNumbersAreKept() throws {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.result.corrected = [.delivery: try SampleRun.distribution([1: 2, 3: 4])]
        run.cost?.microsecondsPerDelivery = .nan
        let text = String(decoding: try ReportFile.encode(run.report), as: UTF8.self)
        #expect(text.contains("\"values\":[1,3]"))
        #expect(text.contains("\"delivery\":{"))
        #expect(text.contains("\"microsecondsPerDelivery\":\"nan\""))
    }

    @Test func aFolderThatCannotBeMadeIsReportedInOneLine() throws {
        let failure = #expect(throws: RunFailure.self) { try SampleRun().report.writeAll(into: "/dev/null/run") }
        #expect(failure?.description.hasPrefix("/dev/null/run can't be created") == true)
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
        for path in paths { #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count > 100, "\(path)") }
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
