import RoostKit

/// How far an own message has got, or that it is for the user, as a sign and in words.
struct TickMark: Equatable {
    /// At most a few columns.
    var sign: String
    /// Says the same to those who don't know the sign.
    var words: String
    var style: Style

    /// Stands at somebody else's message that mentions the user.
    static let forUser = TickMark(MentionWords.mark, MentionWords.mark, .waiting)

    init(_ state: MessageState, isGroup: Bool) {
        switch state {
        case .sending: self.init("…", "… sending", .waiting)
        case .sent: self.init("✓", "✓ sent", .faint)
        case .delivered(let count, let others):
            self.init("✓✓", count, others, "delivered", .faint, isGroup)
        case .read(let count, let others): self.init("✓✓", count, others, "read", .read, isGroup)
        case .failed: self.init("✗", "✗ not sent", .bad)
        }
    }

    private init(_ sign: String, _ words: String, _ style: Style) {
        (self.sign, self.words, self.style) = (sign, words, style)
    }

    private init(_ sign: String, _ count: Int, _ others: Int, _ word: String, _ style: Style, _ isGroup: Bool) {
        if isGroup {
            self.init("\(sign) \(count)/\(others)", "\(sign) \(word) \(count) of \(others)", style)
        } else {
            self.init(sign, "\(sign) \(word)", style)
        }
    }

    /// Why the relay didn't take it, in one line.
    static func reason(_ failure: SendFailure, _ sentences: Sentences = .ofTerminal) -> String {
        let detail = failure.detail.isEmpty ? "" : " (\(TerminalText.printable(failure.detail)))"
        return sentences.sentence(for: failure) + detail
    }
}

extension Sentences {
    /// What the chat says. It has keys and commands, and nothing to tap.
    static var ofTerminal: Sentences {
        var sentences = Sentences()
        sentences.unreachable = "the relay could not be asked"
        sentences.tooLong = "the message is too long"
        sentences.notAllowed = "you may not write here"
        sentences.noRelationship = "you don't know each other here: /invite first"
        sentences.youBlocked = "you have blocked this user"
        sentences.notFound = "this conversation is not there"
        sentences.changedElsewhere = "another device of yours has edited it meanwhile"
        sentences.notAccepted = "the relay doesn't accept it"
        sentences.storeFailed = "this device has no room for messages"
        return sentences
    }
}
