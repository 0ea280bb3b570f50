import RoostWire

/// A durable event on its way to the log, with the command that waits for the answer.
struct PendingAppend {
    /// The event as others will get it. Its place in the log isn't known yet.
    var event: StoredEvent
    var change: ConversationChange?
    var session: Session?
    var id: CommandID?
    var reply = ReplyForm.plain
    /// The answer if the log refuses it for a reason that only the command's handler knows: a probe whose key is new,
    /// or an edit whose body can't be that of a text.
    var refusal: Refusal?
    /// Budget reserved for a message whose length isn't known.
    var advance: Advance?
    /// The author of the message that is pinned, from the log.
    var author = UserNumber.none

    /// Bytes that it takes of the journal.
    var bytes: Int { advance?.bytes ?? event.body.count }

    /// The id for a plain `ok`, if a session waits for one.
    var expectedAnswer: CommandID? { reply == .plain && session != nil ? id : nil }
}

/// Budget reserved for a forward: its size is unknown until the log reads the original, so the maximum.
struct Advance {
    /// Bytes of the journal.
    let bytes: Int
    /// Cost paid by its sender.
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
