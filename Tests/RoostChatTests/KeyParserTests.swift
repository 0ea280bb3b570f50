import Testing

@testable import RoostChat

@Suite struct KeyParserTests {
    private var parser = KeyParser(pasteMax: 100)

    private mutating func keys(_ text: String) -> [Key] { parser.feed(Array(text.utf8)) }

    @Test mutating func textIsTextAndKeysAreKeys() {
        #expect(keys("hé") == [.text("hé")])
        #expect(
            keys("a\r\n\t\u{7F}\u{3}b") == [.text("a"), .enter, .newline, .tab, .backspace, .control("c"), .text("b")])
    }

    @Test(arguments: [
        ("[A", Key.up), ("OA", .up), ("[B", .down), ("[C", .right), ("[D", .left), ("[1;5C", .wordRight),
        ("[1;3D", .wordLeft), ("[1;3A", .alternate(.up)), ("[H", .home), ("[1~", .home), ("[F", .end), ("[4~", .end),
        ("[5~", .pageUp), ("[6~", .pageDown), ("[3~", .delete), ("[Z", .backTab), ("b", .meta("b")), ("\r", .newline),
        ("\u{7F}", .control("w")),
    ])
    func knowsSequences(sequence: String, key: Key) {
        var parser = KeyParser(pasteMax: 100)
        #expect(parser.feed(Array("\u{1B}\(sequence)".utf8)) == [key])
        // Whatever pieces it comes in.
        var found: [Key] = []
        for byte in "\u{1B}\(sequence)".utf8 { found += parser.feed([byte]) }
        #expect(found == [key])
        #expect(!parser.isWaiting)
    }

    @Test mutating func aLoneEscapeIsAKeyIfNothingFollows() {
        #expect(keys("\u{1B}").isEmpty)
        #expect(parser.isWaiting)
        #expect(parser.flush() == [.escape])
        #expect(!parser.isWaiting)
        #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
    }

    @Test mutating func unknownKeysAreNoText() {
        #expect(keys("a\u{1B}[?1;2cb\u{1B}[99~c") == [.text("abc")])
        #expect(parser.feed([0xFF, 0x80, 0xC3, 0x28, 0xE2, 0x82, 0x61, 0xC2, 0x9B, 0x62]) == [.text("(ab")])
    }

    @Test mutating func charactersMayComeInPieces() {
        var found: [Key] = []
        for byte in "👍é".utf8 { found += parser.feed([byte]) }
        #expect(found == [.text("👍"), .text("é")])
    }

    @Test mutating func aPasteIsOneKeyAndNoKeysAreInIt() {
        var found: [Key] = []
        for byte in "\u{1B}[200~one\r\ntwo\u{3}\u{1B}[A\u{1B}[201~x".utf8 { found += parser.feed([byte]) }
        #expect(found == [.paste("one\r\ntwo\u{3}\u{1B}[A"), .text("x")])
    }

    @Test mutating func aPasteIsBounded() {
        let long = String(repeating: "a", count: 1_000)
        #expect(keys("\u{1B}[200~\(long)\u{1B}[201~b") == [.paste(String(long.prefix(100))), .text("b")])
    }
}

@Suite struct ComposerTests {
    private var composer = Composer(scalarsMax: 100)

    @Test mutating func textGoesInAtTheCursor() {
        #expect(composer.insert("ac") == true)
        composer.left()
        #expect(composer.insert("b") == true)
        #expect(composer.text == "abc" && composer.cursor == 2)
        composer.toLineStart()
        composer.delete()
        #expect(composer.text == "bc" && composer.cursor == 0)
        composer.backspace()
        #expect(composer.text == "bc")
    }

    @Test mutating func aCharacterIsErasedWhole() {
        _ = composer.insert("a👩‍👩‍👧e")
        #expect(composer.insert("\u{301}") == true)
        #expect(composer.cursor == 3)
        composer.backspace()
        #expect(composer.text == "a👩‍👩‍👧")
        composer.backspace()
        #expect(composer.text == "a")
    }

    @Test mutating func pastedLinesStayLinesAndControlsGo() {
        #expect(composer.insert("one\r\ntwo\rthree\u{1B}[2J\tx\u{7F}") == true)
        #expect(composer.text == "one\ntwo\nthree[2J x")
    }

    @Test mutating func itIsBounded() {
        composer = Composer(scalarsMax: 3)
        #expect(composer.insert("abcd") == false)
        #expect(composer.text == "abc")
        #expect(composer.insert("e") == false)
    }

    @Test mutating func wordsAndLinesAreErased() {
        _ = composer.insert("one two\nthree four")
        composer.eraseWord()
        #expect(composer.text == "one two\nthree ")
        composer.eraseToStart()
        #expect(composer.text == "one two\n")
        composer.wordLeft()
        #expect(composer.cursor == 4)
        composer.eraseToEnd()
        #expect(composer.text == "one \n")
    }

    @Test mutating func itIsShownInRows() {
        _ = composer.insert("abcdef\n日本語")
        let layout = composer.layout(width: 4)
        #expect(layout.rows == ["abcd", "ef", "日本", "語"])
        #expect(layout.cursor == .init(row: 3, column: 2))
        #expect(composer.move(rows: -2, width: 4) == true)
        #expect(composer.cursor == 6)
        #expect(composer.layout(width: 4).cursor == .init(row: 1, column: 2))
        #expect(composer.move(rows: -1, width: 4) == true)
        #expect(composer.move(rows: -1, width: 4) == false)
    }

    @Test mutating func theCursorHasAPlaceAfterAFullRow() {
        _ = composer.insert("abcd")
        #expect(composer.layout(width: 4).cursor == .init(row: 1, column: 0))
    }
}
