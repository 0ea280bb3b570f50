/// The state of a conversation begun by a stranger for its two users, until it is accepted.
public enum RequestState: UInt8, WireWord {
    /// The other one hasn't accepted it.
    case sent
    /// It waits for the user.
    case received
    /// The user has dropped it, without the other one learning of it.
    case dropped

    /// The word on the wire.
    public var word: StaticString {
        switch self {
        case .sent: "sent"
        case .received: "received"
        case .dropped: "dropped"
        }
    }
}

/// A conversation as one of its members sees it.
public struct ConversationSummary: Sendable, Equatable {
    /// Its id, an opaque string.
    public var id: String
    /// Direct or group.
    public var kind: ConversationKind
    /// The name of a group; nil for a direct conversation.
    public var name: String?
    /// The identifier of a group's photo; nil if it has none. Its meaning is up to the clients.
    public var photo: String?
    /// The description of a group; nil if it has none.
    public var description: String?
    /// When it was created; nil if that isn't known.
    public var createdAt: Timestamp?
    /// The state of the request until it is accepted; nil for an ordinary conversation.
    public var request: RequestState?
    /// The user's own role.
    public var role: MemberRole
    /// Number of members.
    public var count: Int
    /// The names of the first 50 members.
    public var members: [String]
    /// Sequence of the last message; zero if there is none.
    public var sequence: SequenceNumber
    /// Messages that the user has not read, or has marked as unread.
    public var unread: Int
    /// The first message that the user has marked as unread; nil if none is.
    public var unreadFrom: SequenceNumber?
    /// Number of those that mention the user; of very many, only the newest are counted.
    public var mentions: Int = 0
    /// The first of these.
    public var firstMention: SequenceNumber?
    /// Milliseconds after which messages disappear; 0 if they stay.
    public var expiry: Int64 = 0
    /// The rule for which members may write.
    public var posting = PostingRule.all
    /// Milliseconds between two messages of a member who is neither owner nor admin; 0 for none.
    public var slow: Int64 = 0
    /// Rule for users who follow its links.
    public var joining = JoiningRule.open
    /// Number of users who wait to join; 0 unless the user is its owner or an admin.
    public var waiting = 0
    /// Until when the user can't write; nil if it isn't timed out. It may be over.
    public var timeout: MemberTimeout?
    /// The pinned messages, the one that was pinned last first.
    public var pins: [SequenceNumber] = []
    /// The last message that the user has read.
    public var read: SequenceNumber
    /// The last message.
    public var message: Message?
    /// When the last durable event happened.
    public var time: Timestamp
}

extension ConversationSummary {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let id = members.string("conversation"), let outline = ConversationOutline(reading: members),
            let role: MemberRole = members.word("role")
        else { return nil }
        self.id = id
        kind = outline.kind
        name = outline.name
        photo = outline.photo
        description = outline.description
        createdAt = outline.createdAt
        request = members.word("request")
        self.role = role
        count = outline.count
        self.members = outline.members
        sequence = members.sequence("sequence") ?? .none
        unread = members.count("unread") ?? 0
        unreadFrom = members.sequence("unreadFrom")
        mentions = members.count("mentions") ?? 0
        firstMention = members.sequence("firstMention")
        expiry = members.integer("expiry") ?? 0
        posting = members.word("posting") ?? .all
        slow = members.integer("slow") ?? 0
        joining = members.word("joining") ?? .open
        waiting = members.count("waiting") ?? 0
        timeout = members.object("timeout").flatMap(MemberTimeout.init(reading:))
        pins = members.sequences("pins")
        read = members.sequence("read") ?? .none
        message = members.object("message").flatMap(Message.init(reading:))
        time = members.time("time") ?? .never
    }
}

/// The answer to `conversation.list`: one page of conversations, newest first.
public struct ConversationPage: Sendable, Equatable {
    /// The conversations.
    public var conversations: [ConversationSummary]
    /// Profiles of people in the conversations, as far as they have set them.
    public var people: [UserProfile]
    /// The value for `before` to get the next page; nil on the last page.
    public var next: String?
}

extension ConversationPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversations = members.objects("conversations") else { return nil }
        self.conversations = conversations.compactMap(ConversationSummary.init(reading:))
        people = UserProfile.people(reading: members)
        next = members.string("next")
    }
}

/// The answer to `conversation.create`.
public struct CreatedConversation: Sendable, Equatable {
    /// The conversation.
    public var conversation: ConversationSummary
    /// Profiles of its people.
    public var people: [UserProfile]
    /// Whether the conversation existed already.
    public var isDuplicate: Bool
    /// The answer's other members: the place and the time of the event that created it.
    public var answer: Answer
}

extension CreatedConversation {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.object("conversation").flatMap(ConversationSummary.init(reading:)) else {
            return nil
        }
        self.conversation = conversation
        people = UserProfile.people(reading: members)
        answer = Answer(reading: members)
        isDuplicate = members.flag("duplicate") ?? false
    }
}

/// A member's receipts in a conversation. Both sequences only rise.
public struct Receipt: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The member.
    public var user: String
    /// The last message that some device of the member has received.
    public var delivered: SequenceNumber
    /// Since when.
    public var deliveredAt: Timestamp?
    /// The last message that the member has read.
    public var read: SequenceNumber
    /// Since when.
    public var readAt: Timestamp?
    /// Number of unread messages; only in the user's own receipts.
    public var unread: Int?
    /// The first message that the user has marked as unread; only in the user's own receipts, and nil if none is.
    public var unreadFrom: SequenceNumber?
    /// Number of those that mention the user, and the first of these; only in the user's own receipts.
    public var mentions: Int?
    /// The first of these.
    public var firstMention: SequenceNumber?
}

extension Receipt {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation") else { return nil }
        self.init(in: conversation, reading: members)
    }

    init?(in conversation: String, reading members: JSONMembers) {
        guard let user = members.string("user") else { return nil }
        self.conversation = conversation
        self.user = user
        delivered = members.sequence("delivered") ?? .none
        deliveredAt = members.time("deliveredAt")
        read = members.sequence("read") ?? .none
        readAt = members.time("readAt")
        unread = members.count("unread")
        unreadFrom = members.sequence("unreadFrom")
        mentions = unread.map { _ in members.count("mentions") ?? 0 }
        firstMention = members.sequence("firstMention")
    }
}

/// A member of a conversation.
public struct ConversationMember: Sendable, Equatable {
    /// The member's role.
    public var role: MemberRole
    /// The member's name and receipts.
    public var receipt: Receipt
    /// The member's presence, if it was asked for.
    public var presence: UserPresence?
    /// Until when the member can't write; nil if it isn't timed out. It may be over.
    public var timeout: MemberTimeout?
}

/// The answer to `conversation.members`.
public struct MemberList: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The members of this page.
    public var members: [ConversationMember]
    /// The value for `after` to get the next page; nil on the last page.
    public var next: String?
    /// The message that was asked for, if any. The three counts come with it.
    public var sequence: SequenceNumber?
    /// Number of members other than the one who asks.
    public var others: Int?
    /// Number of those that have received the message.
    public var deliveredCount: Int?
    /// Number of those that have read it.
    public var readCount: Int?
}

extension MemberList {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let list = members.objects("members") else {
            return nil
        }
        self.conversation = conversation
        self.members = list.compactMap { member in
            guard let role: MemberRole = member.word("role"), let receipt = Receipt(in: conversation, reading: member)
            else {
                return nil
            }
            return ConversationMember(
                role: role, receipt: receipt, presence: UserPresence(reading: member),
                timeout: member.object("timeout").flatMap(MemberTimeout.init(reading:)))
        }
        next = members.string("next")
        sequence = members.sequence("sequence")
        others = members.count("of")
        deliveredCount = members.count("deliveredCount")
        readCount = members.count("readCount")
    }
}
