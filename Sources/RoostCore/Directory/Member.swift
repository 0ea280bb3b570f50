import RoostWire

/// A user's membership of one conversation, with how far the user has got.
final class Member {
    // Held, not borrowed: whoever still has to tell of a membership may outlive an erased conversation. Leaving it
    // breaks the cycle.
    let conversation: Conversation
    let user: User
    var role: Role
    /// Messages up to this one are not shown to it.
    let since: SequenceNumber
    /// Position of the event by which it joined.
    let joinedAt: Position
    var progress: Receipts.Progress
    var typing = Typing.Mark()

    init(
        _ user: User, of conversation: Conversation, role: Role, since: SequenceNumber, joinedAt: Position,
        watermark: Watermark = Watermark()
    ) {
        self.user = user
        self.conversation = conversation
        self.role = role
        self.since = since
        self.joinedAt = joinedAt
        progress = Receipts.Progress(watermark)
    }

    var watermark: Watermark { progress.watermark }

    /// False for who has left since, or is a member anew.
    var isCurrent: Bool { conversation.member(user.number) === self }

    /// The badge: the same on every device.
    var unread: Int64 { max(0, conversation.lastSequence.value - max(watermark.read.value, since.value)) }
}
