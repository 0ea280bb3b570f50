/// The answer to `receipts`: members who have got a message.
public struct ReceiptPage: Sendable, Equatable {
    /// A member who has got the message.
    public struct Entry: Sendable, Equatable {
        /// The member.
        public var user: String
        /// When some device of the member acked it; nil if that isn't known any more.
        public var deliveredAt: Timestamp?
        /// Whether the member has read it, if the member shares that.
        public var isRead: Bool
        /// When; nil if that isn't known any more.
        public var readAt: Timestamp?
    }

    /// The id of the conversation.
    public var conversation: String
    /// The message.
    public var sequence: SequenceNumber
    /// The members of this page who have got it.
    public var receipts: [Entry]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?
}

extension ReceiptPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let sequence = members.sequence("sequence"),
            let list = members.objects("receipts")
        else { return nil }
        self.conversation = conversation
        self.sequence = sequence
        receipts = list.compactMap { entry in
            guard let user = entry.string("user") else { return nil }
            return Entry(
                user: user, deliveredAt: entry.time("deliveredAt"), isRead: entry.flag("read") ?? false,
                readAt: entry.time("readAt"))
        }
        next = members.string("next")
    }
}
