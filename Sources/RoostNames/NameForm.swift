/// What names and short texts may consist of, for the relay and the services alike (Docs/Protocol.md, section 2). Pure,
/// and nothing is kept.
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

    /// What a text is for.
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
        var last: Unicode.Scalar?
        var joiner = false
        for scalar in scalars {
            if isControl(scalar, in: use) { return .control }
            if use == .name {
                if isJoiner(scalar) {
                    // Between emoji and letters of some scripts it has a meaning; beside these letters it is unseen.
                    if last.map({ $0.properties.isCased || $0.properties.isWhitespace }) ?? true { return .invisible }
                } else if isHidden(scalar) {
                    return .invisible
                } else if joiner, scalar.properties.isCased {
                    return .invisible
                }
                joiner = isJoiner(scalar)
            }
            if isVisible(scalar) { isBlank = false }
            last = scalar
        }
        if joiner { return .invisible }
        return isBlank ? .blank : nil
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

    /// What is left of a name that was chosen under other rules: without what isn't accepted, composed and trimmed;
    /// empty if that is nothing.
    package static func mended(_ name: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !isControl(scalar, in: .name) {
            if isJoiner(scalar) || !isHidden(scalar) { kept.append(scalar) }
        }
        var text = trimmed(String(kept).composed)
        if fault(in: text.unicodeScalars, as: .name) == .invisible {
            text.unicodeScalars.removeAll(where: isJoiner)
        }
        return fault(in: text.unicodeScalars, as: .name) == nil ? text : ""
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

    /// ZERO WIDTH NON-JOINER and ZERO WIDTH JOINER.
    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x200C || scalar.value == 0x200D }

    /// Whether it is unseen and means nothing in a name. Selectors choose how an emoji or an ideograph looks, and tags
    /// spell the flags of regions.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x7E, 0xFE00...0xFE0F, 0xE0100...0xE01EF, 0xE0020...0xE007F: false
        case 0x2800: true
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
        }
    }
}
