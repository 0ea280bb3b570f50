import RoostFraming
import RoostWire

/// Answers `receipts`: the members who have got and read a message, with times. Recent times that aren't durable yet
/// are in memory; the rest comes from the log. Loop thread only.
final class ReceiptListing {
    /// A page, as it was when it was asked for.
    struct Page {
        /// A member who has got the message.
        struct Entry {
            let user: User
            /// Whether the asker may know when it was delivered.
            let isDelivery: Bool
            let isRead: Bool
            /// When, if that may not be durable yet.
            var deliveredAt: Timestamp?
            var readAt: Timestamp?
            /// Times of the member's watermarks, if they are at this message.
            var lastDeliveredAt: Timestamp?
            var lastReadAt: Timestamp?
        }

        let conversation: Conversation
        let sequence: SequenceNumber
        var entries: [Entry] = []
        /// The last member that was looked at, if there are more.
        var next: String?
    }

    private let receipts: Receipts
    private let directory: Directory
    let reads: Reads
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    /// Members of a page whose command names no limit.
    private let rows: Int

    init(
        _ receipts: Receipts, _ directory: Directory, _ reads: Reads, _ delivery: Delivery, _ replies: Replies,
        rows: Int
    ) {
        self.receipts = receipts
        self.directory = directory
        self.reads = reads
        self.delivery = delivery
        self.replies = replies
        self.rows = rows
        builder = replies.builder
    }

    func list(_ list: Command.Receipts, _ asker: Asker) throws(Refusal) {
        let (conversation, _) = try directory.conversation(list.target.conversation, for: asker.user)
        try conversation.check(list.target.sequence, for: asker.user)
        try reads.check(asker.session)
        var first = Int64(0)
        if let name = list.after {
            guard let user = directory.user(named: name) else { throw Directory.notANext }
            first = try directory.ordinal(after: user, in: conversation)
        }
        var page = Page(conversation: conversation, sequence: list.target.sequence)
        let members = conversation.members
        let begin = conversation.place(of: first)
        let end = min(members.count, begin + (list.limit ?? rows))
        for member in members[begin..<end] where member.user !== asker.user {
            if let entry = entry(of: member, page.sequence, for: asker.user) { page.entries.append(entry) }
        }
        if end < members.count { page.next = members[end - 1].user.name }
        let request = ReceiptsRequest(
            conversation: conversation.number, sequence: page.sequence, users: page.entries.map(\.user.number))
        reads.ask(.receipts(request), for: .receipts(asker, page))
    }

    private func entry(of member: Member, _ sequence: SequenceNumber, for asker: User) -> Page.Entry? {
        let mark = member.watermark
        let view = directory.policy.receipts(of: member, to: asker)
        guard view != .nothing else { return nil }
        let isRead = mark.read >= sequence
        guard isRead || view == .all && mark.delivered >= sequence else { return nil }
        var entry = Page.Entry(user: member.user, isDelivery: view == .all, isRead: isRead)
        entry.deliveredAt = receipts.time(of: sequence, isRead: false, member)
        if mark.delivered == sequence, mark.deliveredAt != .never { entry.lastDeliveredAt = mark.deliveredAt }
        guard isRead else { return entry }
        entry.readAt = receipts.time(of: sequence, isRead: true, member)
        if mark.read == sequence, mark.readAt != .never { entry.lastReadAt = mark.readAt }
        return entry
    }

    /// The log has answered.
    func answered(_ result: ReadResult, _ page: Page, _ asker: Asker) {
        guard asker.session.phase == .ready else { return }
        guard !result.isFailed else {
            var refusal = Refusal(.unavailable, "the store could not be read")
            refusal.id = asker.id
            return replies.refuse(refusal, asker.session)
        }
        let stored = Dictionary(result.receipts.map { ($0.user, $0) }) { $1 }
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.member("conversation", plain: page.conversation.id)
        builder.member("sequence", page.sequence.value)
        builder.beginArray("receipts")
        for entry in page.entries {
            let found = stored[entry.user.number]
            builder.beginObject()
            builder.member("user", plain: entry.user.name)
            if entry.isDelivery, let time = found?.delivered.time ?? entry.deliveredAt ?? entry.lastDeliveredAt {
                builder.member("deliveredAt", time.milliseconds)
            }
            if entry.isRead {
                builder.member("read", true)
                if let time = found?.read.time ?? entry.readAt ?? entry.lastReadAt {
                    builder.member("readAt", time.milliseconds)
                }
            }
            builder.endObject()
        }
        builder.endArray()
        if let next = page.next { builder.member("next", plain: next) }
        delivery.reply(builder.finish(), to: asker.session)
    }
}

extension ReceiptSteps.Finding {
    fileprivate var time: Timestamp? {
        if case .at(let time) = self { time } else { nil }
    }
}
