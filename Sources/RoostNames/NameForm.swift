/// The rules for names and short texts, for the relay and the services alike (Docs/Protocol.md, section 2). Pure, and
/// without state.
package enum NameForm {
    /// Why a text isn't accepted.
    package enum Fault: Sendable, Equatable {
        /// Nothing of it is visible.
        case blank
        /// It has a control character, or one that turns the direction of the text around it.
        case control
        /// It has an invisible character with which one name looks like another.
        case invisible

        /// The rule that the text breaks, to follow the name of the member.
        package var rule: String {
            switch self {
            case .blank: "must have a visible character"
            case .control: "must have no control characters, and none that turn the direction of text"
            case .invisible: "must have no invisible characters"
            }
        }
    }

    /// The purpose of a text.
    package enum Use: Sendable {
        /// People tell each other apart by it: nothing in it is invisible.
        case name
        /// One line that others see, such as a status or a reaction.
        case line
        /// Several lines, such as what a user says of itself.
        case lines
    }

    /// Checks a text that isn't empty.
    /// - Returns: why it isn't accepted; nil if it is.
    package static func fault<Scalars: Sequence<Unicode.Scalar>>(in scalars: Scalars, as use: Use) -> Fault? {
        var isBlank = true
        var sight = Sight()
        for scalar in scalars {
            if isControl(scalar, in: use) { return .control }
            if use == .name, !sight.shows(scalar) { return .invisible }
            if isVisible(scalar) { isBlank = false }
        }
        if use == .name, sight.isWaiting { return .invisible }
        return isBlank ? .blank : nil
    }

    /// Whether each scalar of a name changes how it looks: what has a meaning only beside some neighbours is refused
    /// elsewhere.
    private struct Sight {
        /// The character that must follow.
        private enum Due {
            case key, emoji, arabic, letter

            func isMet(by scalar: Unicode.Scalar) -> Bool {
                switch self {
                case .key: scalar.value == 0x20E3
                case .emoji: isEmoji(scalar)
                case .arabic: isArabic(scalar)
                case .letter: scalar.value > 0x7F && scalar.properties.isAlphabetic && !scalar.properties.isCased
                }
            }
        }

        /// The subdivisions whose flags are tags behind a black flag (Unicode Technical Standard #51, section B.3).
        private static let flags: Set<String> = ["gbeng", "gbsct", "gbwls"]

        private var last: Unicode.Scalar?
        private var due: Due?
        /// The tags behind a black flag so far; nil behind anything else.
        private var flag: String?

        /// Whether something must follow.
        var isWaiting: Bool { due != nil || flag?.isEmpty == false }

        mutating func shows(_ scalar: Unicode.Scalar) -> Bool {
            defer { last = scalar }
            if let due, !due.isMet(by: scalar) { return false }
            due = nil
            if let spelled = flag {
                if (0xE0061...0xE007A).contains(scalar.value), let letter = Unicode.Scalar(scalar.value - 0xE0000) {
                    flag = spelled + String(Character(letter))
                    return spelled.utf8.count < 5
                }
                flag = nil
                if scalar.value == 0xE007F { return Sight.flags.contains(spelled) }
                if !spelled.isEmpty { return false }
            }
            if scalar.value == 0x1F3F4 { flag = "" }
            switch scalar.value {
            case 0x200C, 0x200D: return joins(scalar)
            case 0xFE0E, 0xFE0F: return selects(scalar)
            default: return !isHidden(scalar)
            }
        }

        // As in domain names (RFC 5892, appendix A): behind a virama, and between letters of Arabic that would be
        // joined otherwise; between emoji it makes one of several.
        private mutating func joins(_ joiner: Unicode.Scalar) -> Bool {
            guard let last else { return false }
            if last.properties.canonicalCombiningClass.rawValue == 9 {
                due = .letter
            } else if joiner.value == 0x200D, isEmoji(last) || last.value == 0xFE0F {
                due = .emoji
            } else if joiner.value == 0x200C, isArabic(last) {
                due = .arabic
            }
            return due != nil
        }

        // Whether an emoji is text or a picture; the picture of a key has a digit in it. An emoji that is a picture
        // anyway looks the same with VARIATION SELECTOR-16.
        private mutating func selects(_ selector: Unicode.Scalar) -> Bool {
            guard let last else { return false }
            if "0123456789#*".unicodeScalars.contains(last) {
                due = .key
                return selector.value == 0xFE0F
            }
            return isEmoji(last) && (selector.value == 0xFE0E || !last.properties.isEmojiPresentation)
        }
    }

    /// Whether the scalar is visible by itself: no white space, no mark without a letter, nothing that renderers ignore
    /// (Unicode property Default_Ignorable_Code_Point, which the fillers of Hangul have), and no empty pattern of
    /// Braille.
    package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if (0x21...0x7E).contains(scalar.value) { return true }
        let properties = scalar.properties
        if properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar.value == 0x2800 { return false }
        switch properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .surrogate: return false
        default: return true
        }
    }

    /// A name that was chosen under other rules, mended: without what isn't accepted, composed and trimmed; empty if
    /// nothing is left.
    package static func mended(_ name: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !isControl(scalar, in: .name) {
            if isOfNeighbours(scalar) || !isHidden(scalar) { kept.append(scalar) }
        }
        var text = NameForm.kept(String(kept))
        if fault(in: text.unicodeScalars, as: .name) == .invisible {
            text.unicodeScalars.removeAll(where: isOfNeighbours)
        }
        return fault(in: text.unicodeScalars, as: .name) == nil ? text : ""
    }

    /// A name as it is kept: composed, without white space at its ends, and without the selectors that keyboards put
    /// behind emoji which are pictures anyway.
    package static func kept(_ text: String) -> String {
        let composed = text.composed
        guard composed.unicodeScalars.contains(where: { $0.value == 0xFE0F }) else { return trimmed(composed) }
        var scalars = String.UnicodeScalarView()
        for scalar in composed.unicodeScalars
        where scalar.value != 0xFE0F || scalars.last?.properties.isEmojiPresentation != true {
            scalars.append(scalar)
        }
        return trimmed(String(scalars))
    }

    /// The text without white space at its ends.
    package static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    private static func isControl(_ scalar: Unicode.Scalar, in use: Use) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: use != .lines
        case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E: true
        // The separators of lines and paragraphs; marks and isolates of direction, which longer texts need.
        case 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x2066...0x2069: use != .lines
        default: false
        }
    }

    /// Whether it is seen beside some neighbours only: joiners, selectors of emoji, and tags of flags.
    private static func isOfNeighbours(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C, 0x200D, 0xFE0E, 0xFE0F, 0xE0020...0xE007F: true
        default: false
        }
    }

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7F && scalar.properties.isEmoji }

    // The letters of Arabic and of the scripts that are joined like it, with their forms for presentation.
    private static func isArabic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0600...0x07BF, 0x0860...0x08FF, 0xFB50...0xFDCF, 0xFE70...0xFEFC:
            scalar.properties.isAlphabetic
        default: false
        }
    }

    /// Whether it is unseen and means nothing in a name: also what is no character and never will be (Unicode Standard,
    /// section 23.7).
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x7E: false
        case 0x2800, 0xFDD0...0xFDEF: true
        case let value where value & 0xFFFE == 0xFFFE: true
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
        }
    }
}
