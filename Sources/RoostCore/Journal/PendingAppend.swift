import RoostWire

/// A durable event on its way to the log, with the command that waits for the answer.
struct PendingAppend {
    /// The event as others will be told. Its place in the log isn't known yet.
    var event: StoredEvent
    var change: ConversationChange?
    var isProbe: Bool
    var session: Session?
    var id: CommandID?
    var reply = ReplyForm.plain

    /// The id for a plain `ok`, if somebody waits for one.
    var expectedAnswer: CommandID? { reply == .plain && session != nil ? id : nil }
}

/// The form of the answer to a stored event.
enum ReplyForm {
    /// No answer: a message created this direct conversation, and the message is answered itself.
    case none
    /// `ok` with position and time.
    case plain
    /// `ok` with the conversation.
    case conversation
}
