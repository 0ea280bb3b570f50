import RoostWire

/// A user's membership in one conversation, with the member's watermarks.
final class Member {
    // A strong reference, because a membership with receipts still to be sent may outlive an erased conversation.
    // Leaving the conversation breaks the cycle.
    let conversation: Conversation
    let user: User
    private(set) var role: MemberRole
    /// Messages up to this one are not shown to the member.
    private(set) var since: SequenceNumber
    /// The last message when the user joined. Messages up to it don't count as unread.
    private(set) var joinedAfter: SequenceNumber
    /// Position of the event by which the user joined.
    private(set) var joinedAt: Position
    /// Whether the member opened the conversation, wrote to it or changed something in it. Only then it counts against
    /// the user's own bound.
    private(set) var isOwn: Bool
    /// Its place among those who have joined since the start; assigned by the conversation.
    var ordinal: Int64 = 0
    /// Its place in the user's memberships; assigned by the user.
    var place = 0
    var progress: Receipts.Progress
    var typing = Typing.Mark()
    var counted = GroupCounts.Mark()
    /// Unread messages that mention this member by name.
    var mentions: MentionList
    var blockers = Blockers()
    var badge = Badges.Share()

    init(
        _ user: User, of conversation: Conversation, role: MemberRole, since: SequenceNumber, joinedAt: Position,
        joinedAfter: SequenceNumber, isOwn: Bool = false, watermark: Watermark = Watermark(),
        mentions: [Mention] = []
    ) {
        self.user = user
        self.conversation = conversation
        self.role = role
        self.since = since
        self.joinedAt = joinedAt
        self.joinedAfter = joinedAfter
        self.isOwn = isOwn
        progress = Receipts.Progress(watermark)
        self.mentions = MentionList(mentions)
    }

    var watermark: Watermark { progress.watermark }

    func become(_ role: MemberRole) { self.role = role }

    /// Lets the conversation begin with this event for the member: everything before it was withheld.
    func beginAnew(at position: Position, after last: SequenceNumber) {
        (since, joinedAfter, joinedAt) = (last, last, position)
    }

    /// The member wrote to the conversation, or changed something in it.
    func noteAnswer() { isOwn = true }

    /// False if the user has left since, or has left and joined again.
    var isCurrent: Bool { conversation.member(user.number) === self }

    /// Messages up to this one don't count as unread.
    var readFloor: SequenceNumber { max(progress.watermark.read, joinedAfter, since) }

    /// The number of unread messages of others that are still there, the same on every device.
    var unread: Int64 {
        let (floor, last) = (readFloor, conversation.end(for: user.number).sequence)
        var gone = conversation.lifetime.gone
        // Withheld messages don't count, and so nothing changes when they go.
        if last < conversation.lastSequence { gone.keep(above: floor, upTo: last) }
        let others = gone.count(above: floor, with: progress.watermark.own)
        return max(0, last.value - floor.value - others) + markedUnread
    }

    /// Number of messages still there that the member has read and marked as unread.
    private var markedUnread: Int64 {
        let marked = progress.watermark.marked
        guard !marked.isEmpty else { return 0 }
        // Both together are more than one of them by those that only the other has.
        let gone = conversation.lifetime.gone
        return marked.count(above: .none, with: gone) - gone.count(above: .none)
    }

    /// The first message that the member has marked as unread and that is still there; nil if there is none.
    var firstMarked: SequenceNumber? {
        let gone = conversation.lifetime.gone
        return progress.watermark.marked.ranges.lazy.joined().lazy.map(SequenceNumber.init).first { !gone.contains($0) }
    }

    /// Number of unread messages of others shown to the member that mention it, by name or with all others, and the
    /// first of them; nil if none does. Only the newest are known beyond a bound.
    var unreadMentions: (count: Int, first: SequenceNumber)? {
        let (floor, gone) = (readFloor, conversation.lifetime.gone)
        return mentions.unread(with: conversation.highlights.mentionsOfAll) {
            $0.sequence > floor && $0.author != user.number && !gone.contains($0.sequence)
                && !user.hasBlocked($0.author)
        }
    }
}
