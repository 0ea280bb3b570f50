import RoostFraming
import RoostWire

/// Sends the owner and the admins of a group the number of users who wait to join it, and a user the number of groups
/// it waits for. It owns nothing. Loop thread only.
struct JoinNews {
    let directory: Directory
    let delivery: Delivery
    let builder: FrameBuilder

    /// Number of sessions to notify when the user begins to wait.
    func audience(of group: Conversation, _ user: User) -> Int {
        group.members.reduce(user.sessions.count) { $0 + ($1.role >= .admin ? $1.user.sessions.count : 0) }
    }

    func tell(_ group: Conversation, _ users: [User] = []) {
        tellAdmins(of: group)
        for user in users { tell(user) }
    }

    /// A session begins: its device may have been away when the numbers changed.
    func begin(_ session: Session, of user: User) {
        let asking = user.conversations.filter { $0.value.role >= .admin }.keys.compactMap(directory.conversation)
            .filter { $0.moderation.joining.rule == .ask || directory.invites.waitingCount($0.number) > 0 }
        for group in asking.sorted(by: { $0.number.value < $1.number.value }) {
            delivery.deliver(frame(of: group), .joins(group.number), to: session)
        }
        if !user.contacts.invites.requests.isEmpty { delivery.deliver(frame(of: user), .joins(.none), to: session) }
    }

    /// These users came in by a stored event, or were banned by one, and wait no more.
    func forget(_ users: [UserNumber], in group: Conversation) {
        let ended = users.compactMap(directory.user).filter { user in
            guard let request = directory.invites.request(of: user, for: group.number) else { return false }
            directory.invites.set(request.id, of: user, to: nil, directory.journal)
            return true
        }
        if !ended.isEmpty { tell(group, ended) }
    }

    /// These members may be admins since a moment ago, and don't know yet who waits.
    func tell(_ members: [NewMember], of group: Conversation) {
        guard directory.invites.waitingCount(group.number) > 0 else { return }
        let frame = frame(of: group)
        for new in members where new.role >= .admin {
            for session in directory.user(new.user)?.sessions ?? [] {
                delivery.deliver(frame, .joins(group.number), to: session)
            }
        }
    }

    /// The event for the admins of a group.
    func frame(of group: Conversation) -> Frame {
        builder.begin("joins")
        builder.member("conversation", plain: group.id)
        builder.member("waiting", Int64(directory.invites.waitingCount(group.number)))
        return builder.finish()
    }

    /// The event for a user about its own requests.
    func frame(of user: User) -> Frame {
        builder.begin("joins")
        builder.member("waiting", Int64(user.contacts.invites.requests.count))
        return builder.finish()
    }

    private func tellAdmins(of group: Conversation) {
        let frame = frame(of: group)
        for member in group.members where member.role >= .admin {
            for session in member.user.sessions { delivery.deliver(frame, .joins(group.number), to: session) }
        }
    }

    private func tell(_ user: User) {
        let frame = frame(of: user)
        for session in user.sessions { delivery.deliver(frame, .joins(.none), to: session) }
    }
}

extension JoinNews {
    init(_ conversations: ConversationCommands) {
        self.init(
            directory: conversations.directory, delivery: conversations.delivery, builder: conversations.builder)
    }
}

extension FrameBuilder {
    /// Writes how users come into a group by links and, for its owner and admins, the number of waiting users.
    func joining(of conversation: Conversation, for member: Member, _ invites: InviteTable) {
        if conversation.moderation.joining.rule == .ask { self.member("joining", word: JoiningRule.ask.word) }
        let waiting = member.role >= .admin ? invites.waitingCount(conversation.number) : 0
        if waiting > 0 { self.member("waiting", Int64(waiting)) }
    }
}
