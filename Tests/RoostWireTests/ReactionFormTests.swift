import RoostWire
import Testing

/// The form in which reactions are kept. The same pairs are in `Tests/WebTests/timeline.test.mjs`.
@Suite struct ReactionFormTests {
    @Test(arguments: [
        ("\u{2764}", "\u{2764}\u{FE0F}"), ("\u{2764}\u{FE0F}", "\u{2764}\u{FE0F}"),
        ("\u{1F44D}\u{FE0F}", "\u{1F44D}"),
        ("\u{261D}\u{FE0F}\u{1F3FB}", "\u{261D}\u{1F3FB}"),
        ("1\u{20E3}", "1\u{FE0F}\u{20E3}"), ("1", "1"), ("+1", "+1"),
        ("\u{2764}\u{200D}\u{1F525}", "\u{2764}\u{FE0F}\u{200D}\u{1F525}"), ("\u{2764}\u{FE0E}", "\u{2764}\u{FE0E}"),
        ("\u{1F937}\u{200D}\u{2642}", "\u{1F937}\u{200D}\u{2642}\u{FE0F}"), ("ok\u{FE0F}", "ok"), ("\u{FE0F}", ""),
        ("\u{1F1E9}\u{1F1EA}", "\u{1F1E9}\u{1F1EA}"),
    ])
    func kept(_ sent: String, _ kept: String) {
        #expect(Array(ReactionForm.kept(sent).unicodeScalars) == Array(kept.unicodeScalars))
        #expect(Array(ReactionForm.kept(kept).unicodeScalars) == Array(kept.unicodeScalars))
    }
}
