import Foundation
import FoundationXML
import Testing

@testable import RoostLoad

/// The page is parsed as XML, so that an unclosed tag or an unescaped name fails the test.
@Suite struct HTMLReportTests {
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { elements.append((name, attributes)) }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func count(_ name: String) -> Int { elements.filter { $0.name == name }.count }
    }

    private func read(_ page: String) throws -> Reader {
        let parser = XMLParser(data: Data(page.utf8))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
        return reader
    }

    private let hostile = "</style></title><script>alert('1')</script>\"&<b x=\"\u{1B}\u{0}"

    private func hostileRun() throws -> SampleRun {
        var run = try SampleRun(seconds: 4, rate: 50)
        run.scenario.name = hostile
        run.scenario.about = hostile
        run.result.relay = hostile
        run.result.durability = hostile
        run.result.errors = [hostile: 3]
        run.result.faults.count(.lost, hostile)
        run.cost?.metrics = [hostile: 1]
        run.scenario.thresholds = [Threshold(figure: hostile, bound: 1)]
        return run
    }

    @Test func aPageIsWellFormed() throws {
        let page = try read(HTMLReport.page(for: [SampleRun().report]))
        #expect(page.count("html") == 1)
        #expect(page.count("h1") == 1)
        #expect(page.count("article") == 1)
        #expect(page.count("nav") == 0)
        #expect(page.count("svg") == 5)
        #expect(page.text.contains("How fast is a message"))
    }

    @Test func severalReportsHaveContentsAndASectionEach() throws {
        let reports = try (1...3).map { try SampleRun(seed: $0, seconds: 3, rate: 30).report }
        let page = try read(HTMLReport.page(for: reports))
        #expect(page.count("article") == 3)
        #expect(page.count("nav") == 1)
        #expect(page.count("h1") == 1)
        let ids = page.elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let links = page.elements.filter { $0.name == "a" }.compactMap { $0.attributes["href"] }
        #expect(links == ["#r1", "#r2", "#r3"])
        #expect(ids.filter { ["r1", "r2", "r3"].contains($0) }.count == 3)
    }

    @Test func foreignTextIsEscaped() throws {
        var report = try hostileRun().report
        report.machine.processor = hostile
        report.command = hostile
        report.started = hostile
        report.reasons.append(hostile)
        let text = HTMLReport.page(for: [report, report])
        #expect(!text.contains("<script"))
        let page = try read(text)
        #expect(page.count("script") == 0)
        #expect(page.count("b") == 0)
        #expect(page.text.contains("<script>alert('1')</script>\"&<b x="))
    }

    @Test func nothingIsLoadedFromElsewhere() throws {
        let text = HTMLReport.page(for: [try SampleRun().report])
        for word in ["http:", "https:", "url(", "@import", "src=", "<link", "<script"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("default-src 'none'"))
    }

    @Test func drawingsAndTablesHaveLabels() throws {
        let page = try read(HTMLReport.page(for: [SampleRun().report]))
        let ids = Set(page.elements.compactMap { $0.attributes["id"] })
        for drawing in page.elements where drawing.name == "svg" {
            let names = (drawing.attributes["aria-labelledby"] ?? "").split(separator: " ").map(String.init)
            #expect(names.count == 2)
            #expect(names.allSatisfy { ids.contains($0) })
            #expect(drawing.attributes["role"] == "img")
        }
        #expect(page.elements.filter { $0.name == "th" }.allSatisfy { $0.attributes["scope"] != nil })
        #expect(page.elements.first { $0.name == "html" }?.attributes["lang"] == "en")
    }

    @Test func aRunThatMeasuredNothingHasAPageToo() throws {
        let failed = Report.failed(
            "The relay did not start.", scenario: Scenario(name: "pairs", about: ""), machine: Report.Machine(),
            command: "", workers: 1, started: "")
        let page = try read(HTMLReport.page(for: [failed]))
        #expect(page.count("svg") == 0)
        #expect(page.text.contains("The relay did not start."))
    }

    @Test func anExtremeRunHasAPageToo() throws {
        var run = try SampleRun(seconds: 3, rate: 30)
        run.result.corrected[.delivery] = try SampleRun.distribution([0: 1, 1: 1, UInt64.max / 2: 1])
        run.result.seconds = 0
        run.cost?.samples = [Int.min / 4, 0].map { .init(second: $0, cpu: .nan, rss: .max, descriptors: .min) }
        run.cost?.cpuSeconds = .infinity
        run.scenario.thresholds = [
            Threshold(figure: "p99_ms", bound: .infinity), Threshold(figure: "p50_ms", bound: -1),
        ]
        _ = try read(HTMLReport.page(for: [run.report]))
        _ = TerminalReport.text(for: run.report, width: 80, colour: false)
        run.result.timeline = [RunResult.Second(second: -1), RunResult.Second(second: 90_000)]
        _ = try read(HTMLReport.page(for: [run.report]))
    }

    @Test func aLongRunIsDrawnInSteps() throws {
        var run = try SampleRun(seconds: 2, rate: 20)
        run.result.timeline = try (-5..<4_000).map { second in
            var one = RunResult.Second(second: second, delivered: 100)
            one.delivery = try SampleRun.distribution([UInt64(1_000_000 + (second + 5)): 100])
            return one
        }
        run.result.seconds = 4_000
        let steps = TimelineStep.steps(of: run.result.timeline)
        #expect(steps.count <= TimelineStep.stepsMax + 1)
        #expect(steps.allSatisfy { $0.deliveredPerSecond == 100 && $0.p99 != nil })
        // No step is half warm-up and half load.
        #expect(steps.contains { $0.first == 0 })
        #expect(HTMLReport.page(for: [run.report]).utf8.count < 200_000)
    }
}
