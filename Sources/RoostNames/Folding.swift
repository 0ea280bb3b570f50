/// Names in the form in which people look for them: case folded, without marks, with one space between words.
package enum Folding {
    /// Folds a text. What separates words (white space, punctuation, so that `O'Brien` has two) becomes one space; of a
    /// text that is nothing else, the case is folded alone.
    package static func fold(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        var isSpaceDue = false
        for scalar in text.uppercased().decomposed.unicodeScalars {
            let category = scalar.properties.generalCategory
            if isMark(scalar, category) { continue }
            if separates(scalar, category) {
                isSpaceDue = !folded.isEmpty
                continue
            }
            if isSpaceDue { folded.append(" ") }
            isSpaceDue = false
            append(scalar, to: &folded)
        }
        guard !folded.isEmpty else { return NameForm.trimmed(text.lowercased()).composed }
        return String(folded).composed
    }

    // Searches pass over accents, points of Hebrew and Arabic, joiners and selectors. Vowel signs of other scripts are
    // letters to their readers; their combining class is below 10 (Unicode Standard, table 4-3).
    private static func isMark(_ scalar: Unicode.Scalar, _ category: Unicode.GeneralCategory) -> Bool {
        if scalar.value < 0x80 { return false }
        let properties = scalar.properties
        return properties.canonicalCombiningClass.rawValue >= 10 || category == .enclosingMark || category == .format
            || properties.isDefaultIgnorableCodePoint
    }

    // The full folding of case (Unicode Standard, section 3.13) goes by the upper case: `ß` and `SS` are the same.
    private static func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x30...0x39: folded.append(scalar)
        // Full width letters, digits and marks of ASCII.
        case 0xFF01...0xFF5E:
            if let narrow = Unicode.Scalar(scalar.value - 0xFEE0) { append(narrow, to: &folded) }
        default:
            folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
    }

    private static func separates(_ scalar: Unicode.Scalar, _ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .control:
            true
        // MODIFIER LETTER APOSTROPHE and its likes, and accents that stand alone, as keyboards write them.
        case .modifierLetter: (0x02B9...0x02BF).contains(scalar.value)
        case .modifierSymbol: scalar.value == 0x60 || scalar.value == 0xB4
        default: scalar.properties.isWhitespace
        }
    }

    /// The places at which a word of a folded text begins, in bytes: behind each space, and at each scalar of a script
    /// that writes without spaces, so that 太郎 finds 山田太郎.
    package static func words(of folded: String) -> [Int] {
        var places: [Int] = []
        var place = 0
        var isStart = true
        for scalar in folded.unicodeScalars {
            if isStart || isUnspaced(scalar) { if scalar != " " { places.append(place) } }
            isStart = scalar == " "
            place += UTF8.width(scalar)
        }
        return places
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x2E7F: false
        // Hiragana and Katakana, Hangul syllables.
        case 0x3041...0x30FA, 0x31F0...0x31FF, 0xAC00...0xD7A3, 0xFF66...0xFF9D: true
        default: scalar.properties.isIdeographic
        }
    }
}
