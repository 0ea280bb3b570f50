import RoostWire

/// A durable event on its way to the log, with who waits for the answer.
struct PendingAppend {
    /// The event as it will be told; its place in the log isn't known yet.
    var event: StoredEvent
    var change: ConversationChange?
    var isProbe: Bool
    var session: Session?
    var id: CommandID?
    var reply = ReplyForm.plain

    /// The id that `ok` has to name, if somebody waits for a plain one.
    var expectedAnswer: CommandID? { reply == .plain && session != nil ? id : nil }
}

/// What answers a stored event.
enum ReplyForm {
    /// Nothing: a direct conversation that came about by a message, which is answered itself.
    case none
    /// `ok` with position and time.
    case plain
    /// `ok` with the conversation.
    case conversation
}
