/// Names in the form in which people look for them: case folded, without marks, with one space between words.
package enum Folding {
    /// Folds a text. Separators of words (white space, punctuation, so that `O'Brien` has two) become one space; in a
    /// text without anything else, only the case is folded.
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

    // Searches pass over accents, tone marks, points of Hebrew and Arabic, joiners and selectors. Vowel signs of other
    // scripts are letters to their readers; their combining class is below 10, or one of a script's own (Unicode
    // Standard, table 4-3): of Telugu, Thai, Lao and Tibetan.
    private static func isMark(_ scalar: Unicode.Scalar, _ category: Unicode.GeneralCategory) -> Bool {
        if scalar.value < 0x80 { return false }
        let properties = scalar.properties
        switch properties.canonicalCombiningClass.rawValue {
        case 0..<10, 84, 91, 103, 118, 129, 130, 132:
            return category == .enclosingMark || category == .format || properties.isDefaultIgnorableCodePoint
        default: return true
        }
    }

    /// The letters that Unicode doesn't decompose, as people without them on their keyboards write them; and the one of
    /// upper case whose lower case is written with two.
    private static let plain: [Unicode.Scalar: String] = [
        "\u{C6}": "ae", "\u{D0}": "d", "\u{D8}": "o", "\u{DE}": "th", "\u{110}": "d", "\u{126}": "h", "\u{141}": "l",
        "\u{152}": "oe", "\u{166}": "t", "\u{1E9E}": "ss",
    ]

    // The full folding of case (Unicode Standard, section 3.13) goes by the upper case: `ß` and `SS` are the same.
    private static func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x30...0x39: folded.append(scalar)
        // Full width letters, digits and marks of ASCII.
        case 0xFF01...0xFF5E:
            if let narrow = Unicode.Scalar(scalar.value - 0xFEE0) { append(narrow, to: &folded) }
        default:
            folded.append(contentsOf: (plain[scalar] ?? scalar.properties.lowercaseMapping).unicodeScalars)
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
        var isBound = false
        for scalar in folded.unicodeScalars {
            if isStart || isUnspaced(scalar) && !isBound { if scalar != " " { places.append(place) } }
            isStart = scalar == " "
            isBound = binds(scalar)
            place += UTF8.width(scalar)
        }
        return places
    }

    // Whether the letter behind it belongs to the same syllable: behind vowels of Thai and Lao that stand before their
    // consonant, and behind signs that put one consonant below another.
    private static func binds(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xE40...0xE44, 0xEC0...0xEC4, 0x1039, 0x17D2, 0x1A60: true
        default: false
        }
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Vowels of Thai and Lao that stand behind their consonant.
        case 0xE30...0xE33, 0xE45, 0xEB0...0xEB3: false
        // Thai, Lao, Burmese, Khmer, and the scripts beside them (Unicode Standard Annex 14, class SA): their letters.
        case 0xE01...0xEDF, 0x1000...0x109F, 0x1780...0x17DC, 0x1950...0x19DF, 0x1A20...0x1AAD, 0xA9E0...0xA9FE,
            0xAA60...0xAADF:
            scalar.properties.generalCategory == .otherLetter
        case 0...0x2E7F: false
        // Hiragana and Katakana, Hangul syllables.
        case 0x3041...0x30FA, 0x31F0...0x31FF, 0xAC00...0xD7A3, 0xFF66...0xFF9D: true
        default: scalar.properties.isIdeographic
        }
    }
}
