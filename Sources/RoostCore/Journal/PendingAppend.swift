import RoostWire

/// A durable event on its way to the log, with the command that waits for the answer.
struct PendingAppend {
    /// The event as others will be told. Its place in the log isn't known yet.
    var event: StoredEvent
    var change: ConversationChange?
    var session: Session?
    var id: CommandID?
    var reply = ReplyForm.plain
    /// The answer if the log refuses it for a reason that only the command's handler knows: a probe whose key is new,
    /// or an edit whose body can't be that of a text.
    var refusal: Refusal?
    /// What was taken for a message whose length isn't known.
    var advance: Advance?
    /// Who wrote the message that is pinned, as the log says.
    var author = UserNumber.none

    /// Bytes that it takes of the journal.
    var bytes: Int { advance?.bytes ?? event.body.count }

    /// The id for a plain `ok`, if somebody waits for one.
    var expectedAnswer: CommandID? { reply == .plain && session != nil ? id : nil }
}

/// What is taken for a message whose length only the log knows, as if it were the longest.
struct Advance {
    /// Of the journal.
    let bytes: Int
    /// What its sender has paid.
    var price: Int64 = 0
}

/// The form of the answer to a stored event.
enum ReplyForm {
    /// No answer: a message created this direct conversation, and the message is answered itself.
    case none
    /// `ok` with position and time.
    case plain
    /// `ok` with the conversation.
    case conversation
    /// `ok` with what a page has erased.
    case erasure
}
