import Testing

@testable import RoostChat

@Suite struct TerminalTextTests {
    // MARK: Text

    @Test(arguments: [
        ("hi", "hi"),
        ("Grüße, 日本 👩‍👩‍👧", "Grüße, 日本 👩‍👩‍👧"),
        ("\u{1B}[2J\u{1B}]0;title\u{07}", "\u{FFFD}[2J\u{FFFD}]0;title\u{FFFD}"),
        ("\u{9B}31m", "\u{FFFD}31m"),
        ("a\r[12:00] bob: b", "a\u{FFFD}[12:00] bob: b"),
        ("a\n[12:00] bob: b\u{2028}c", "a⏎[12:00] bob: b⏎c"),
        ("a\r\nb", "a\u{FFFD}⏎b"),
        ("\u{202E}evil\u{2066}", "\u{FFFD}evil\u{FFFD}"),
        ("a\u{200B}\u{FEFF}\u{7F}b\tc", "a\u{FFFD}\u{FFFD}\u{FFFD}b c"),
    ])
    func isSafeToPrint(text: String, printed: String) {
        #expect(TerminalText.printable(text) == printed)
    }

    @Test func everyControlCharacterIsReplaced() {
        for value in Array(0..<0x20) + Array(0x7F..<0xA0) as [UInt8] {
            let printed = TerminalText.printable(String(Unicode.Scalar(value))).unicodeScalars
            #expect(printed.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
        }
    }

    @Test func escapedJSONStaysJSON() {
        let json = "{\"body\":\"\u{9B}31m\u{202E}\u{E0001} é\"}"
        #expect(TerminalText.escaped(json: json) == "{\"body\":\"\\u009b31m\\u202e\\udb40\\udc01 é\"}")
    }

    @Test func linesOfAMessageAreSafeEachForItself() {
        #expect(TerminalText.lines("a\r\nb\n\u{1B}[2Jc") == ["a", "b", "\u{FFFD}[2Jc"])
        #expect(TerminalText.lines("\u{1B}[2Ja\nb") == ["\u{FFFD}[2Ja", "b"])
    }

    // MARK: Width

    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("❤", 1),
        ("🇩🇪", 2),
        ("한", 2), ("ﾊ", 1),
    ])
    func knowsColumns(text: String, columns: Int) { #expect(TextWidth.columns(text) == columns) }

    @Test func clipsWithAnEllipsis() {
        #expect(TextWidth.clip("abc", 3) == "abc")
        #expect(TextWidth.clip("abcd", 3) == "ab…")
        #expect(TextWidth.clip("ab日本", 4) == "ab…")
        #expect(TextWidth.clip("日本", 4) == "日本")
        #expect(TextWidth.clip("abc", 0) == "")
    }

    @Test func wrapsAtSpaces() {
        #expect(TextWidth.wrap("one two three", 7) == ["one two", "three"])
        #expect(TextWidth.wrap("one two three", 8) == ["one two", "three"])
        #expect(TextWidth.wrap("abcdefgh", 3) == ["abc", "def", "gh"])
        #expect(TextWidth.wrap("日本語", 5) == ["日本", "語"])
        #expect(TextWidth.wrap("", 5) == [""])
        for width in 2...20 {
            for line in TextWidth.wrap("a longish text, with 日本 and words like incomprehensibilities", width) {
                #expect(TextWidth.columns(line) <= width)
            }
        }
    }

    // MARK: Lines of a file

    @Test func splitsLines() {
        var splitter = LineSplitter(bytesMax: 4)
        var lines: [[String]] = []
        for text in ["a\r\nb", "c\n\nlonger\n", "x"] { lines.append(splitter.feed(text.utf8)) }
        #expect(lines == [["a"], ["bc", "", "long", "er"], []])
        let rest = [splitter.finish(), splitter.finish()]
        #expect(rest == ["x", nil])
    }
}
