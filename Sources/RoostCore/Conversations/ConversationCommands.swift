import RoostFraming
import RoostWire

/// Creates and changes conversations: `conversation.create`, `.rename`, `.add`, `.remove`, `.role`, `.leave`, and
/// direct conversations with their first message. A command is judged by the changes on their way to the log as well
/// as by those committed. Its own change is applied when its event is stored. Loop thread only.
final class ConversationCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Members of a group.
        let members: Int
        /// Members that an event names.
        let membersNamed: Int
        /// Sessions that may wait for the same conversation to be created.
        let askers: Int
        /// The retry time sent with a refusal.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            members = limits.membersMax
            membersNamed = limits.membersNamed
            askers = limits.askersPerConversation
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    let bounds: Bounds
    let directory: Directory
    let journal: Journal
    let delivery: Delivery
    let replies: Replies
    let builder: FrameBuilder
    let typing: TypingCommands
    let presence: PresenceCommands
    let queries: QueryCommands

    init(
        _ bounds: Bounds, _ directory: Directory, _ journal: Journal, _ delivery: Delivery, _ replies: Replies,
        _ typing: TypingCommands, _ presence: PresenceCommands, _ queries: QueryCommands
    ) {
        self.bounds = bounds
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        builder = replies.builder
        self.typing = typing
        self.presence = presence
        self.queries = queries
    }

    // MARK: create

    func create(_ create: Command.Create, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, device) = try session.speaker()
        try journal.reserve(0)
        var others: [User] = []
        var named: Set = [user.number]
        for name in create.members {
            let other = try directory.introduce(name, by: session)
            if named.insert(other.number).inserted { others.append(other) }
        }
        switch create.kind {
        case .direct:
            guard let peer = others.first else {
                throw Refusal(.badRequest, "members: a direct conversation needs one other user")
            }
            try open(with: peer, user, device, Asker(session: session, id: id), now)
        case .group:
            guard others.count < bounds.members else {
                throw Refusal(.tooLarge, "members: a group has at most \(bounds.members) members")
            }
            for other in others + [user] { try directory.checkRoom(for: other) }
            let conversation = try directory.begin(.group, name: create.name?.string ?? "")
            let members = [NewMember(user.number, .owner)] + others.map { NewMember($0.number, .member) }
            submitCreation(
                of: conversation, members, by: user, device, key: create.key?.string ?? "",
                Asker(session: session, id: id), now)
        }
    }

    /// `conversation.create` for a direct conversation, which may exist already.
    private func open(
        with peer: User, _ user: User, _ device: Device, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        guard let known = directory.direct(user, peer) else {
            _ = try begin(with: peer, user, device, asker, now)
            return
        }
        // The user has left it before. Answered when the event that brings it back is stored.
        guard known.standing(of: user.number) != nil else { return try rejoin(known, user, device, asker, now) }
        if known.member(user.number) != nil {
            let created = Created(
                conversation: known.number, position: known.lastPosition, time: known.lastTime, isDuplicate: true)
            return queries.answerCreated(created, to: asker.session, asker.id)
        }
        // It is being created. Answered together with the session that asked first.
        guard known.add(asker, atMost: bounds.askers) else {
            throw Refusal(
                .busy, "the conversation is being created", retryAfterMilliseconds: bounds.retryMilliseconds)
        }
    }

    // MARK: Direct conversations

    /// The direct conversation for a message to `peer`, with both users in it. If it has to be created, or a user
    /// brought back, that event goes to the log ahead of the message.
    func direct(with peer: User, _ user: User, _ device: Device, _ now: Moment) throws(Refusal) -> Conversation {
        guard let known = directory.direct(user, peer) else { return try begin(with: peer, user, device, nil, now) }
        try rejoin(known, user, device, nil, now)
        return known
    }

    /// Brings back the users who left a direct conversation; they see what comes from now on. Does nothing if both are
    /// members.
    func rejoin(
        _ direct: Conversation, _ user: User, _ device: Device, _ asker: Asker?, _ now: Moment
    ) throws(Refusal) {
        guard let pair = direct.pair else { return }
        let back = [pair.low, pair.high].filter { direct.standing(of: $0) == nil }
        guard !back.isEmpty else { return }
        for number in back { if let user = directory.user(number) { try directory.checkRoom(for: user) } }
        let members = back.map { NewMember($0, .member, since: direct.lastSequence) }
        submit(.add(members), of: direct, by: user, device, asker, reply: asker == nil ? .none : .conversation, now) {
            writeDetails("added", of: direct, naming: back)
        }
    }

    private func begin(
        with peer: User, _ user: User, _ device: Device, _ asker: Asker?, _ now: Moment
    ) throws(Refusal) -> Conversation {
        try directory.checkRoom(for: user)
        try directory.checkRoom(for: peer)
        let conversation = try directory.begin(.direct, name: "")
        directory.connect(user, peer, by: conversation)
        let members = [NewMember(user.number, .member), NewMember(peer.number, .member)]
        submitCreation(of: conversation, members, by: user, device, key: "", asker, now)
        return conversation
    }

    private func submitCreation(
        of conversation: Conversation, _ members: [NewMember], by user: User, _ device: Device, key: String,
        _ asker: Asker?, _ now: Moment
    ) {
        let change = ConversationChange.create(
            id: conversation.id, kind: conversation.kind, name: conversation.name, members: members)
        let reply = asker == nil ? ReplyForm.none : .conversation
        submit(change, of: conversation, by: user, device, asker, key: key, reply: reply, now) {
            writeDetails("created", of: conversation, naming: [])
        }
    }

    // MARK: Handing in

    /// Puts a change on its way to the log, and lets commands be judged by it from now on.
    /// - Parameter write: writes the event's own members into the builder; called when the change is expected already.
    func submit(
        _ change: ConversationChange, of conversation: Conversation, by user: User, _ device: Device, _ asker: Asker?,
        key: String = "", reply: ReplyForm = .plain, _ now: Moment, _ write: () -> Void
    ) {
        directory.expect(change, of: conversation)
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.key = key
        append.change = change
        builder.beginBare()
        write()
        append.body = [UInt8](builder.written)
        journal.submit(append, asker?.session, asker?.id, reply: reply)
    }

    /// The stored part of a `created` or `added` event: everything that a new member needs to show the conversation.
    func writeDetails(_ event: StaticString, of conversation: Conversation, naming users: [UserNumber]) {
        builder.member("event", word: event)
        if !users.isEmpty { builder.names("users", names(of: users)) }
        builder.member("kind", word: conversation.kind.word)
        if conversation.kind == .group { builder.member("name", conversation.name) }
        let standings = conversation.standings()
        builder.member("count", Int64(standings.count))
        builder.names("members", names(of: standings.prefix(bounds.membersNamed).map(\.user)))
    }

    func names(of users: [UserNumber]) -> [String] { users.map { directory.user($0)?.name ?? "" } }
}
