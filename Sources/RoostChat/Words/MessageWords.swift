import RoostKit
import RoostWire

/// What is said where a message mentions the user.
enum MentionWords {
    static let mark = "for you"

    /// Whether these are the user, or all members.
    static func mean(_ user: String, _ mentions: [String]) -> Bool {
        mentions.contains(user) || mentions.contains(MentionReader.all)
    }

    /// Whether somebody else's message mentions the user.
    static func isFor(_ user: String, _ message: TimelineMessage) -> Bool {
        !message.isOwn && mean(user, message.mentions)
    }
}

/// What is said of threads.
enum ThreadWords {
    /// How many messages a thread has, which the relay counts up to a bound.
    static func count(_ replies: Int) -> String {
        if replies >= Limits().repliesCounted { return "\(replies) replies or more" }
        return replies == 1 ? "1 reply" : "\(replies) replies"
    }
}

/// Pinned messages, as lines.
enum PinLine {
    /// `  #12 Bob: text, pinned by Alice`
    static func text(_ pin: PinnedMessage, _ names: Names) -> String {
        let message = pin.message.map { "\(names.short($0.from)): \(TextWidth.clip(TimelineLines.preview($0), 60))" }
        let by = pin.by.map { ", pinned by \(names.short($0))" } ?? ""
        return "  #\(pin.sequence.value) \(message ?? "(not here)")\(by)"
    }
}

/// What is said of strangers who ask to write.
enum RequestLine {
    /// `  Zoe (zoe): hello`
    static func text(_ row: ConversationRow, _ names: Names) -> String {
        let who = row.peer.map(names.long) ?? TerminalText.printable(row.title)
        return "  \(who): \(row.last.map { TextWidth.clip(TimelineLines.preview($0), 60) } ?? "")"
    }

    /// How the open one is.
    static func state(_ request: RequestState) -> String {
        switch request {
        case .sent: "not accepted yet"
        case .received: "asks to write to you: \(answers(nil))"
        case .dropped: "dropped; /accept takes it all the same"
        }
    }

    /// How to answer.
    static func answers(_ peer: String?) -> String {
        let name = peer.map { " " + TerminalText.printable($0) } ?? ""
        return "/accept\(name) or /drop\(name)"
    }
}
