import RoostNames
import Testing

/// Names in the form in which people look for them.
@Suite struct FoldingTests {
    @Test(arguments: [
        ("  Anna   MARIA ", "anna maria"), ("ÉCOLE", "ecole"), ("Jose\u{301}", "jose"), ("Straße", "strasse"),
        ("STRASSE", "strasse"), ("\u{3000}", ""), ("a\u{A0}b", "a b"), ("O'Brien", "o brien"),
        ("O\u{2019}Brien", "o brien"),
        ("Jean-Luc", "jean luc"), ("alice.a", "alice a"), ("ＡＢＣ", "abc"), ("İstanbul", "istanbul"), ("ΌΣΟΣ", "οσοσ"),
        ("ﬁne", "fine"), ("!!!", "!!!"), ("می\u{200C}خواهم", "میخواهم"), ("ガ", "ガ"), ("सुनीता", "सुनीता"),
        ("Łukasz", "lukasz"), ("Sørensen", "sorensen"), ("Ǿrsted", "orsted"), ("ÆRØ", "aero"), ("Đorđe", "dorde"),
        ("Guðrún Þórsdóttir", "gudrun thorsdottir"), ("Cœur", "coeur"), ("Ħal", "hal"), ("STRAẞE", "strasse"),
        // Tone marks are accents, vowel signs aren't.
        ("ใหม่", "ใหม"), ("สุดา", "สุดา"), ("ນ້ຳ", "ນຳ"), ("ສຸກ", "ສຸກ"), ("བོད", "བོད"),
    ])
    func folds(text: String, folded: String) {
        #expect(Array(Folding.fold(text).utf8) == Array(folded.composed.utf8))
    }

    @Test func foldingAFoldedTextChangesNothing() {
        for text in ["Straße", "STRAẞE", "Ærø", "ประเทศไทย", "O'Brien", "山田 太郎", "!!!", "ﬃ ŉ ΐ", "Ⅷ", "ǰ", "\u{1D160}"]
        {
            let folded = Folding.fold(text)
            #expect(Folding.fold(folded) == folded, "\(text)")
            // A page of `user.find` begins with a folded name, whose bound is three times that of a name.
            #expect(folded.utf8.count <= 3 * text.utf8.count, "\(text)")
        }
    }

    @Test(arguments: [
        ("anna maria", ["anna maria", "maria"]), ("山田太郎", ["山田太郎", "田太郎", "太郎", "郎"]), ("", []),
        ("ann 太", ["ann 太", "太"]), ("김철수", ["김철수", "철수", "수"]),
        // A syllable begins with the vowel that is written first, and not with one that is written behind.
        ("ประเทศไทย", ["ประเทศไทย", "ระเทศไทย", "เทศไทย", "ศไทย", "ไทย", "ย"]),
        ("ປະເທດລາວ", ["ປະເທດລາວ", "ເທດລາວ", "ດລາວ", "ລາວ", "ວ"]),
        ("កម្ពុជា", ["កម្ពុជា", "ម្ពុជា", "ជា"]), ("မြန်မာ", ["မြန်မာ", "န်မာ", "မာ"]),
        // Scripts with spaces.
        ("सुनीता", ["सुनीता"]), ("བོད", ["བོད"]), ("იოსებ", ["იოსებ"]),
    ])
    func wordsBeginBehindSpacesAndAtEachIdeograph(folded: String, words: [String]) {
        let bytes = Array(folded.utf8)
        #expect(Folding.words(of: folded).map { String(decoding: bytes[$0...], as: UTF8.self) } == words)
    }
}
