import RoostFraming
import RoostWire

/// The mentions of messages: judges the names in a command, and notes each member's unread ones. Loop thread only.
struct Mentions {
    private let directory: Directory
    /// Unread mentions that are kept of a member, and of all members together.
    private let kept: Int

    init(_ directory: Directory, kept: Int) {
        self.directory = directory
        self.kept = kept
    }

    /// The refusal of mentions in a direct conversation.
    static let inDirect = Refusal(
        .badRequest, "mentions: in a direct conversation everything is for the other user")

    /// The ids of the users named in a command, each once: messages are stored with them, because a username may be
    /// another user's later. An unknown name stays as it is.
    @inline(__always)
    func ids(_ names: [Text]) -> [String] {
        names.isEmpty ? [] : names.map { directory.naming.person(named: $0)?.name ?? $0.string }.distinct
    }

    /// The members that a command mentions; `.none` stands for all. All of them must be and stay members.
    /// - Throws: `badRequest` in a direct conversation, `notFound`, `forbidden` for members who may not mention all, or
    ///   `busy`.
    func users(
        _ names: [String], in conversation: Conversation?, by user: User
    ) throws(Refusal) -> [UserNumber] {
        guard !names.isEmpty, let conversation else { return [] }
        guard conversation.kind == .group else { throw Mentions.inDirect }
        var users: [UserNumber] = []
        for name in names {
            if name == Extras.everybody {
                try directory.check(isCertain: conversation.isRoleCertain(of: user.number))
                guard let role = conversation.standing(of: user.number), role >= .admin else {
                    throw Refusal(.forbidden, "mentions: only admins and the owner may mention all members")
                }
                users.append(.none)
            } else {
                let named = directory.user(called: name)
                if let named { try directory.check(isCertain: conversation.isMembershipCertain(of: named.number)) }
                guard let named, conversation.standing(of: named.number) != nil else {
                    throw Refusal(.notFound, "mentions: one of these users is not a member")
                }
                users.append(named.number)
            }
        }
        return users
    }

    /// A message was stored, or its edit. A mention that was sent stays until it is read, even if an edit removes it. A
    /// user doesn't have to read its own messages.
    func note(_ event: borrowing StoredEvent, in conversation: Conversation) {
        guard let extras = event.extras else { return }
        let mention = Mention(event.sequence, by: event.sender)
        for name in extras.mentions {
            if name == Extras.everybody {
                conversation.highlights.mentionsOfAll.note(mention, atMost: kept)
            } else if let user = directory.user(called: name), let member = conversation.member(user.number),
                event.sequence > member.readFloor, user.number != event.sender
            {
                member.mentions.note(mention, atMost: kept)
            }
        }
    }
}

extension [String] {
    /// Each once, in this order.
    fileprivate var distinct: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
