import RoostKit
import RoostWire

/// A message as one line of a pipe. Pure.
struct PlainLine {
    private let author: String
    private let isOwn: Bool
    private let time: Timestamp?
    private let kind: String
    private let body: MessageBody?
    private let replyTo: SequenceNumber?
    private let thread: SequenceNumber?
    private let replies: Int
    private let origin: String?
    private let mentions: [String]
    private let isEdited: Bool
    private let isHidden: Bool
    private let reactions: [ReactionCount]

    /// A row of a timeline.
    init(_ message: TimelineMessage) {
        (author, isOwn, time) = (message.from, message.isOwn, message.time.map(Timestamp.init))
        (kind, body, replyTo, thread) = (message.kind, message.body, message.replyTo, message.thread)
        (replies, origin, mentions) = (message.replies?.count ?? 0, message.origin, message.mentions)
        (isEdited, isHidden, reactions) = (message.editedAt != nil, message.isHidden, message.reactions)
    }

    /// A message of the relay's history.
    init(_ message: Message, user: String) {
        (author, isOwn, time) = (message.from, message.from == user, message.time)
        body = message.deletedAt == nil ? message.body : nil
        (kind, replyTo, thread) = (message.kind, message.replyTo, message.thread)
        (replies, origin, mentions) = (message.replies?.count ?? 0, message.origin?.from, message.mentions)
        (isEdited, isHidden, reactions) = (message.editedAt != nil, message.isHidden, message.reactions)
    }

    /// The line for a user: `[12:01] Bob: ↪7 text (edited) 👍×2`.
    func text(for user: String, _ names: Names, _ words: Words) -> String {
        let when = time.map { words.time($0) } ?? ""
        let place = (thread.map { "↳\($0.value) " } ?? "") + (replyTo.map { "↪\($0.value) " } ?? "")
        let from = origin.map { "(\(words(.from(names.short($0))))) " } ?? ""
        let kind = kind == "text" ? "" : "[\(TerminalText.printable(kind))] "
        let content = body.map { TerminalText.printable($0.text ?? String(decoding: $0.json, as: UTF8.self)) }
        let counts = reactions.map { " \(TerminalText.printable($0.reaction))×\($0.count)" }.joined()
        let marks = [
            isEdited ? " (\(words(.edited)))" : "", replies > 0 ? " (\(words(.replies(replies))))" : "",
            !isOwn && MentionWords.mean(user, mentions) ? " (\(words(.forYou)))" : "",
        ]
        let nothing = "(\(words(isHidden ? MessagePhrase.hidden : .deleted)))"
        return "[\(when)] \(names.short(author)): \(place)\(from)\(kind)\(content ?? nothing)"
            + "\(marks.joined())\(counts)\(isOwn ? " ✓" : "")"
    }
}
