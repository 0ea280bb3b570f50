import RoostKit
import RoostWire

/// Words where a message mentions the user.
enum MentionWords {
    /// Whether these are the user, or all members.
    static func mean(_ user: String, _ mentions: [String]) -> Bool {
        mentions.contains(user) || mentions.contains(MentionReader.all)
    }

    /// Whether another user's message mentions the user.
    static func isFor(_ user: String, _ message: TimelineMessage) -> Bool {
        !message.isOwn && mean(user, message.mentions)
    }
}

/// Pinned messages, as lines.
enum PinLine {
    /// `  #12 Bob: text, pinned by Alice`
    static func text(_ pin: PinnedMessage, _ names: Names, _ words: Words) -> String {
        let message = pin.message.map {
            "\(names.short($0.from)): \(TextWidth.clip(TimelineLines.preview($0, words), 60))"
        }
        return "  " + words(.pin(number: pin.sequence.value, message: message, by: pin.by.map(names.short)))
    }
}

/// Lines about strangers who ask to write.
enum RequestLine {
    /// `  Zoe (zoe): hello`
    static func text(_ row: ConversationRow, _ names: Names, _ words: Words) -> String {
        let who = row.peer.map(names.long) ?? TerminalText.printable(row.title)
        return "  \(who): \(row.last.map { TextWidth.clip(TimelineLines.preview($0, words), 60) } ?? "")"
    }

    /// The command that answers, as one types it.
    static func answer(_ peer: String?) -> String {
        let name = peer.map { " " + TerminalText.printable($0) } ?? ""
        return "/accept\(name) · /drop\(name)"
    }
}
