import Dispatch
import Logging
import RoostWire
import Synchronization
import Testing

@testable import RoostServer

/// The lines of the log, and their bounds.
@Suite struct LogTests {
    private func line(_ text: String, _ metadata: Logger.Metadata, at milliseconds: Int64 = 0) -> LogLine {
        LogLine(time: Timestamp(milliseconds: milliseconds), level: .info, text: text, metadata: metadata)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_795_352_746_120, "2026-11-22T13:05:46.120Z"), (4_107_542_399_000, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func beginsWithTheTime(_ milliseconds: Int64, _ told: String) {
        let text = line("x", [:], at: milliseconds).formatted(as: .text)
        #expect(text == "\(told) info relay.note x")
    }

    @Test func writesKeysInOrder() {
        let metadata: Logger.Metadata = [
            "event": "a.b", "zone": "z", "number": .stringConvertible(7), "text": "two words", "empty": "",
        ]
        #expect(
            line("Hello", metadata).formatted(as: .text)
                == #"1970-01-01T00:00:00.000Z info a.b Hello empty="" number=7 text="two words" zone=z"#)
        #expect(
            line("Hello", metadata).formatted(as: .json)
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"info","event":"a.b","text":"Hello","#
                + #""empty":"","number":7,"text":"two words","zone":"z"}"#)
    }

    @Test func clientsCannotWriteLines() {
        let evil = "x\n1970-01-01T00:00:00.000Z critical fake"
        for format in LogFormat.allCases {
            let text = line(evil, ["event": "e", "k": "\(evil)=\"\u{7F}"]).formatted(as: format)
            #expect(!text.contains("\n"))
        }
        let json = line(evil, ["event": "e", "k": "\(evil)\""]).formatted(as: .json)
        #expect(JSONValue(parsing: json)?["text"]?.string == evil)
        #expect(JSONValue(parsing: json)?["k"]?.string == evil + "\"")
    }

    @Test func aHandlerKeepsItsOwnKeys() {
        let lines = Mutex<[String]>([])
        let writer = LogWriter { line in lines.withLock { $0.append(line) } }
        var log = Logger(label: "t", factory: { _ in LineLogHandler(.text, writer) })
        log[metadataKey: "relay"] = "one"
        log.info("Hello", metadata: ["event": "e.e", "k": "v"])
        log.debug("not written")
        writer.finish()
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0.first?.hasSuffix("info e.e Hello k=v relay=one") } == true)
    }

    // MARK: Bounds

    @Test func aReaderThatIsStuckStopsNobody() {
        let lines = Mutex<[String]>([])
        let (stuck, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writer = LogWriter { line in
            if line == "first" {
                begun.signal()
                stuck.wait()
            }
            lines.withLock { $0.append(line) }
        }
        writer.write("first")
        begun.wait()
        for number in 0..<(LogWriter.linesMax + 10) { writer.write("\(number)") }
        stuck.signal()
        writer.finish()
        let written = lines.withLock { $0 }
        #expect(written.count == LogWriter.linesMax + 2)
        #expect(written.dropFirst(2).first?.contains("10 lines of the log were left out") == true)
    }

    @Test func aFloodOfOneKindIsCut() {
        var budget = LogBudget()
        for _ in 0..<LogBudget.perSecond { #expect(budget.take("a", at: 1_500) == 0) }
        for _ in 0..<7 { #expect(budget.take("a", at: 1_999) == nil) }
        #expect(budget.take("b", at: 1_999) == 0)
        #expect(budget.take("a", at: 2_000) == 7)
        #expect(budget.take("a", at: 2_001) == 0)
    }
}
