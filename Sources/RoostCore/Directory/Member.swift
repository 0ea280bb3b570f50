import RoostWire

/// A user's membership in one conversation, with the member's watermarks.
final class Member {
    // A strong reference, because a membership that others must still be told about may outlive an erased conversation.
    // Leaving the conversation breaks the cycle.
    let conversation: Conversation
    let user: User
    private(set) var role: Role
    /// Messages up to this one are not shown to the member.
    let since: SequenceNumber
    /// The last message when the user joined. Messages up to it don't count as unread.
    let joinedAfter: SequenceNumber
    /// Position of the event by which the user joined.
    let joinedAt: Position
    var progress: Receipts.Progress
    var typing = Typing.Mark()

    init(
        _ user: User, of conversation: Conversation, role: Role, since: SequenceNumber, joinedAt: Position,
        joinedAfter: SequenceNumber, watermark: Watermark = Watermark()
    ) {
        self.user = user
        self.conversation = conversation
        self.role = role
        self.since = since
        self.joinedAt = joinedAt
        self.joinedAfter = joinedAfter
        progress = Receipts.Progress(watermark)
    }

    var watermark: Watermark { progress.watermark }

    func become(_ role: Role) { self.role = role }

    /// False if the user has left since, or has left and joined again.
    var isCurrent: Bool { conversation.member(user.number) === self }

    /// The number of unread messages, the same on every device.
    var unread: Int64 {
        max(0, conversation.lastSequence.value - max(watermark.read, joinedAfter, since).value)
    }
}
