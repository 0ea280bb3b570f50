import Testing

@testable import RoostLoad

/// Numbers as people read them.
@Suite struct ReadableTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] as [(UInt64, String)])
    func counts(number: UInt64, text: String) { #expect(Readable.count(number) == text) }

    @Test(
        arguments: [
            (0, "0"), (0.0451, "0.045"), (0.9999, "1.000"), (1.234, "1.23"), (9.999, "10.0"), (12.34, "12.3"),
            (99.96, "100"), (1_234.5, "1,235"), (-3.25, "-3.25"), (.nan, "–"), (.infinity, "–"),
        ] as [(Double, String)])
    func threeDigits(number: Double, text: String) { #expect(Readable.significant(number) == text) }

    @Test func fixedDecimals() {
        #expect(Readable.fixed(1_234.5, 2) == "1,234.50")
        #expect(Readable.fixed(0.05, 1) == "0.1")
        #expect(Readable.fixed(-0.001, 1) == "0.0")
        #expect(Readable.fixed(1e300, 0).isEmpty == false)
    }

    @Test func units() {
        #expect(Readable.span(450_000) == "450 µs")
        #expect(Readable.span(12_340_000) == "12.3 ms")
        #expect(Readable.span(1_200_000_000) == "1.20 s")
        #expect(Readable.memory(2_048) == "2.00 MiB")
        #expect(Readable.clock(90) == "90 s")
        #expect(Readable.clock(5_400) == "90 min")
        #expect(Readable.percent(0.025) == "2.5 %")
    }

    @Test func foreignTextCannotSteerATerminal() {
        #expect(Readable.harmless("a\u{1B}[2Jb\n\u{9B}c\u{202E}") == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}c\u{FFFD}")
    }
}
