import RoostKit

/// The progress of an own message, or that a message is for the user, as a sign and in words.
struct TickMark: Equatable {
    /// At most a few columns.
    var sign: String
    /// Says the same to those who don't know the sign.
    var words: String
    var style: Style

    /// Stands at another user's message that mentions the user.
    static func forUser(_ words: Words) -> TickMark { TickMark(words(.forYou), words(.forYou), .waiting) }

    init(_ state: MessageState, isGroup: Bool, _ words: Words) {
        switch state {
        case .sending: self.init("…", "… " + words(.sending), .waiting)
        case .sent: self.init("✓", "✓ " + words(.sent), .faint)
        case .delivered(let count, let others) where isGroup:
            self.init("✓✓ \(count)/\(others)", "✓✓ " + words(.deliveredOf(count, of: others)), .faint)
        case .delivered: self.init("✓✓", "✓✓ " + words(.delivered), .faint)
        case .read(let count, let others) where isGroup:
            self.init("✓✓ \(count)/\(others)", "✓✓ " + words(.readOf(count, of: others)), .read)
        case .read: self.init("✓✓", "✓✓ " + words(.read), .read)
        case .failed: self.init("✗", "✗ " + words(.notSent), .bad)
        }
    }

    private init(_ sign: String, _ words: String, _ style: Style) {
        (self.sign, self.words, self.style) = (sign, words, style)
    }
}
