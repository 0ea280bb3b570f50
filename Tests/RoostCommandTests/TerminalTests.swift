import Testing

@testable import roost

@Suite struct TerminalTests {
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

    @Test func tailFitsTheColumns() {
        #expect(TerminalText.tail("abcdef", columns: 3) == "def")
        #expect(TerminalText.tail("ab日本", columns: 4) == "日本")
        #expect(TerminalText.tail("ab日本", columns: 3) == "本")
        #expect(TerminalText.tail("e\u{301}", columns: 1) == "e\u{301}")
        #expect(TerminalText.tail("abc", columns: 0) == "")
        #expect(TerminalText.columns("👍a") == 3)
    }

    // MARK: Line

    private func typed(_ input: String, into editor: inout LineEditor) -> [LineEditor.Action] {
        editor.feed(Array(input.utf8))
    }

    @Test func submitsLines() {
        var editor = LineEditor(scalarsMax: 100)
        #expect(typed("héé\r", into: &editor) == [.changed, .submitted("héé")])
        #expect(
            typed("a\r\nb\n\r", into: &editor) == [
                .changed, .submitted("a"), .changed, .submitted("b"), .submitted(""),
            ])
        #expect(editor.text.isEmpty)
    }

    @Test func readsCharactersInPieces() {
        var editor = LineEditor(scalarsMax: 100)
        for byte in "👍é".utf8 { _ = editor.feed([byte]) }
        #expect(editor.text == "👍é")
    }

    @Test func backspaceTakesAWholeCharacter() {
        var editor = LineEditor(scalarsMax: 100)
        _ = typed("a👩‍👩‍👧e\u{301}", into: &editor)
        #expect(typed("\u{7F}", into: &editor) == [.changed])
        #expect(editor.text == "a👩‍👩‍👧")
        _ = typed("\u{08}", into: &editor)
        #expect(editor.text == "a")
        _ = typed("\u{7F}", into: &editor)
        #expect(typed("\u{7F}", into: &editor).isEmpty)
    }

    @Test func erasesWordsAndLines() {
        var editor = LineEditor(scalarsMax: 100)
        _ = typed("one two  \u{17}", into: &editor)
        #expect(editor.text == "one ")
        _ = typed("\u{15}", into: &editor)
        #expect(editor.text.isEmpty)
    }

    @Test func handlesTheKeysThatEndTheInput() {
        var editor = LineEditor(scalarsMax: 100)
        #expect(typed("\u{04}", into: &editor) == [.ended])
        #expect(typed("a\u{04}\u{03}", into: &editor) == [.changed, .interrupted])
    }

    @Test func ignoresKeysThatMove() {
        var editor = LineEditor(scalarsMax: 100)
        _ = typed("a\u{1B}[Db\u{1B}[1;5Cc\u{1B}OHd\u{1B}xe", into: &editor)
        #expect(editor.text == "abcde")
    }

    @Test func ignoresInputThatIsNotText() {
        var editor = LineEditor(scalarsMax: 100)
        _ = editor.feed([0xFF, 0x80, 0xC3, 0x28, 0xE2, 0x82, 0x61, 0xC2, 0x9B, 0xED, 0xA0, 0x80, 0x01, 0x62])
        #expect(editor.text == "(ab")
    }

    @Test func stopsAtItsLimit() {
        var editor = LineEditor(scalarsMax: 3)
        #expect(typed("abcd", into: &editor) == [.changed, .full])
        #expect(editor.text == "abc")
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
