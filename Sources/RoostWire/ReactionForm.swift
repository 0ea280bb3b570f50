/// The one form in which a reaction is kept, so that ❤ and ❤️ are counted together: keyboards and apps differ in
/// whether they put U+FE0F behind a picture. Emoji that may be text have it, the others don't, as in Unicode's own list
/// (emoji-test.txt, "fully-qualified"). The relay and the clients have the same rule: a client shows what it sent.
public enum ReactionForm {
    private static let selector: Unicode.Scalar = "\u{FE0F}"

    /// The form in which a reaction is kept.
    public static func kept(_ reaction: String) -> String {
        let scalars = reaction.unicodeScalars.filter { $0 != selector }
        var kept = String.UnicodeScalarView()
        for place in scalars.indices {
            kept.append(scalars[place])
            let next = scalars.index(after: place)
            if needsSelector(scalars[place], before: next < scalars.endIndex ? scalars[next] : nil) {
                kept.append(selector)
            }
        }
        return String(kept)
    }

    private static func needsSelector(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?) -> Bool {
        // A digit is a picture only as a key.
        guard !scalar.isASCII else { return scalar.properties.isEmoji && next == "\u{20E3}" }
        guard scalar.properties.isEmoji, !scalar.properties.isEmojiPresentation else { return false }
        // U+FE0E asks for text. A colour of skin makes it a picture already.
        return next != "\u{FE0E}" && next?.properties.isEmojiModifier != true
    }
}
