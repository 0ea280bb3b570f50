import RoostWire

/// Who types in the conversation on the screen, as the relay told.
struct TypingNotice {
    /// In the order in which they began.
    private var names: [String] = []
    private var isSeveral = false

    /// The relay has told that somebody or several type, or no longer.
    mutating func note(_ change: TypingChange) {
        switch change.who {
        case .user(let name): note(name, isActive: change.isActive)
        case .several: noteSeveral(isActive: change.isActive)
        }
    }

    /// Somebody types, or no longer.
    mutating func note(_ name: String, isActive: Bool) {
        guard isActive else { return names.removeAll { $0 == name } }
        if !names.contains(name) { names.append(name) }
    }

    /// Several others type, or no longer.
    mutating func noteSeveral(isActive: Bool) { isSeveral = isActive }

    /// The session ended: the relay says nothing more of those who typed.
    mutating func forget() { self = TypingNotice() }

    /// A line for the screen, without control characters; nil if nobody types.
    var text: String? {
        let shown = names.map(TerminalText.printable).joined(separator: ", ")
        switch (names.count, isSeveral) {
        case (0, false): return nil
        case (0, true): return "several people are typing…"
        case (1, false): return "\(shown) is typing…"
        case (_, false): return "\(shown) are typing…"
        case (_, true): return "\(shown) and several others are typing…"
        }
    }
}
