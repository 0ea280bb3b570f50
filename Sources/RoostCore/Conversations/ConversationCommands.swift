import RoostFraming
import RoostWire

/// Creates and changes conversations: `conversation.create`, `.rename`, `.describe`, `.add`, `.remove`, `.role`,
/// `.leave`, and direct conversations with their first message. A command is judged by the changes on their way to the
/// log as well as by those committed. Its own change is applied when its event is stored. Loop thread only.
final class ConversationCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Members of a group.
        let members: Int
        /// Members that an event names.
        let membersNamed: Int
        /// Banned and timed-out users of a group.
        let restrictions: Int
        /// Bytes of the texts of one change.
        let textBytes: Int
        /// Conversations that are looked at to find a group that two share.
        let gateSteps: Int
        /// Most unaccepted requests of one user, and the time for which they count.
        let requests: Int
        let requestMilliseconds: Int64
        /// The retry time sent with a refusal.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            members = limits.membersMax
            membersNamed = limits.membersNamed
            restrictions = limits.restrictionsPerGroup
            textBytes = max(limits.groupNameBytes, limits.photoBytes + limits.descriptionBytes)
            gateSteps = limits.gateSteps
            requests = limits.requestsPerUser
            requestMilliseconds = limits.requestMilliseconds
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    let bounds: Bounds
    let gatekeeper: Gatekeeper
    let chores: Chores
    let directory: Directory
    let journal: Journal
    let delivery: Delivery
    let replies: Replies
    let builder: FrameBuilder
    let typing: TypingCommands
    let presence: PresenceCommands
    let profiles: ProfileNews
    let queries: QueryCommands

    init(
        _ bounds: Bounds, _ prices: Prices, _ chores: Chores, _ directory: Directory, _ journal: Journal,
        _ delivery: Delivery, _ replies: Replies, _ typing: TypingCommands, _ presence: PresenceCommands,
        _ profiles: ProfileNews, _ queries: QueryCommands
    ) {
        self.bounds = bounds
        gatekeeper = Gatekeeper(stepsMax: bounds.gateSteps, directory: directory, prices: prices)
        self.chores = chores
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        builder = replies.builder
        self.typing = typing
        self.presence = presence
        self.profiles = profiles
        self.queries = queries
    }

    // MARK: create

    func create(
        _ create: Command.Create, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let user = speaker.user
        let asker = Asker(session: session, user: user, id: id)
        try journal.reserve(0)
        let named = directory.naming.find(create.members).filter { $0.known !== user }
        switch create.kind {
        case .direct:
            try directory.policy.checkThere(named)
            guard let peer = named.first else {
                throw Refusal(.badRequest, "members: a direct conversation needs one other user")
            }
            if let other = peer.known { try directory.policy.checkMeeting(of: user, with: other) }
            let known = peer.known.flatMap { directory.direct(user, $0) }
            guard let known, known.isAtRest, !known.isVeiled(from: user.number) else {
                _ = try open(known, with: peer, speaker, for: "", asker, session, now)
                return
            }
            let end = known.end(for: user.number)
            let created = Created(
                conversation: known.number, position: end.position, time: end.time, isDuplicate: true)
            queries.answerCreated(created, to: asker)
        case .group:
            let name = create.name?.string ?? ""
            let key = create.key?.string ?? ""
            do throws(Refusal) {
                guard named.count < bounds.members else {
                    throw Refusal(.tooLarge, "members: a group has at most \(bounds.members) members")
                }
                try directory.policy.checkThere(named)
                try gatekeeper.check(named, by: user, .add, session, now)
                try directory.naming.checkOpening(by: user)
                try directory.naming.checkAdding(named, by: user)
                let others = try directory.naming.introduce(named, by: user, at: now)
                let conversation = try directory.begin(.group, name: name, by: user)
                let members = [NewMember(user.number, .owner)] + others.map { NewMember($0.number, .member) }
                submitCreation(of: conversation, members, by: speaker, key: key, asker, now)
            } catch {
                guard !key.isEmpty, !error.code.isTemporary else { throw error }
                // If it was carried out before, all of them are known.
                let users = named.compactMap(\.known) + [user]
                look(forGroupOf: users, by: speaker, key: key, asker, refusal: error, now)
            }
        }
    }

    /// Asks the log for a creation that would be refused now: a retry gets its first answer.
    private func look(
        forGroupOf users: [User], by speaker: Speaker, key: String, _ asker: Asker, refusal: Refusal, _ now: Moment
    ) {
        var probe = Append(
            .conversation, in: .none, by: speaker.user.number, device: speaker.device, at: now.wall)
        probe.purpose = .probe
        probe.key = key
        builder.beginBare()
        builder.member("event", word: "created")
        // In the order of `Conversation.standings`, because the log compares the bodies.
        write(.group, users.map(\.number).sorted { $0.value < $1.value }, of: users.count)
        probe.body = [UInt8](builder.written)
        journal.submit(probe, asker.session, asker.id, reply: .conversation, refusal: refusal)
    }

    private func submitCreation(
        of conversation: Conversation, _ members: [NewMember], by speaker: Speaker, key: String, _ asker: Asker,
        _ now: Moment
    ) {
        let change = creation(of: conversation, members)
        submit(change, of: conversation, by: speaker, asker, key: key, reply: .conversation, now) {
            writeDetails("created", of: conversation, naming: [])
        }
    }

    private func creation(of conversation: Conversation, _ members: [NewMember]) -> ConversationChange {
        .create(id: conversation.id, kind: conversation.kind, name: conversation.name, members: members)
    }

    // MARK: Direct conversations

    /// Opens a direct conversation in which not both users are members, or changes are under way: it is created, or
    /// those who left are brought back, who see what comes from now on. The event goes to the log ahead of the message
    /// with `key`, and only counts if it changes something and that key is new. So each message that isn't sure of the
    /// conversation brings its own.
    /// - Parameters:
    ///   - known: the conversation, if there is one.
    ///   - key: of the message that follows; empty for a `conversation.create`.
    ///   - source: what that message forwards.
    ///   - inviter: the other user, by whose link this one came; the gate isn't asked then, because both want it.
    ///   - asker: who is answered with the conversation.
    func open(
        _ known: Conversation?, with peer: NamedUser, _ speaker: Speaker, for key: String,
        forwarding source: ForwardedMessage? = nil, invitedBy inviter: User? = nil, _ asker: Asker?, _ session: Session,
        _ now: Moment
    ) throws(Refusal) -> Conversation {
        let user = speaker.user
        try directory.policy.checkThere([peer])
        var isRequest = false
        if let known {
            try directory.policy.checkSpeaking(by: user, in: known)
            let isLeft = known.isUnstored && (known.pair?.users ?? []).contains { known.standing(of: $0) == nil }
            // A conversation opened by a blocked user is judged once it is stored.
            guard !isLeft, !known.isEnding, known.veiling.joiner != user.number else {
                throw Refusal(
                    .busy, "a user is just leaving the conversation", retryAfterMilliseconds: bounds.retryMilliseconds)
            }
            // Whether the other one has asked is only known once that is stored: it may have repeated another message.
            try directory.check(isCertain: !known.isUnstored || !known.isRequest(to: user))
            if !known.isSurely(user.number), !known.isUnstored { try directory.naming.checkOwn(of: user) }
        } else {
            if inviter == nil { isRequest = try gatekeeper.checkOpening(with: peer, by: user, bounds, session, now) }
            // Only a message waits: an empty conversation says nothing.
            guard !isRequest || asker == nil else { throw .noRelationship }
            try directory.naming.checkOpening(by: user)
        }
        // A direct message has no bound on the recipient's conversations: its sender can be identified.
        let isPeerIn = peer.known.map { known?.standing(of: $0.number) != nil } ?? false
        let direct: Conversation
        if let known {
            if !isPeerIn { _ = try directory.naming.introduce([peer], by: user, at: now) }
            direct = known
        } else {
            let peers = try directory.naming.introduce([peer], by: user, at: now)
            direct = try begin(with: peers, user)
            if isRequest, let receiver = peers.first {
                directory.requests.begin(Request(to: receiver.number), in: direct, at: now.wall)
                directory.counters.gate.requests.made += 1
            }
        }
        let isHere = !direct.isVeiled(from: user.number)
        let back = (direct.pair?.users ?? []).filter { !direct.isSurely($0) || $0 == user.number && !isHere }
        let isNew = direct.isUnstored
        let since = isNew ? SequenceNumber.none : NewMember.fromNow
        let other = direct.pair?.other(than: user.number)
        let members = (isNew ? [user.number] + (other.map { [$0] } ?? []) : back).map {
            NewMember($0, .member, since: since)
        }
        // The event leaves out a user who didn't see the conversation: to the other one it was a member all along.
        let named = isHere ? back : back.filter { $0 != user.number }
        let change = isNew ? creation(of: direct, members) : .add(members)
        let waits = isNew && direct.isRequest && !direct.isRequest(to: user)
        submit(
            change, of: direct, by: speaker, asker, key: key, isRequest: waits, purpose: .opening, source: source,
            withheldFrom: isHere || !named.isEmpty ? nil : other, reply: asker == nil ? .none : .conversation, now
        ) {
            writeDetails(isNew ? "created" : "added", of: direct, naming: isNew ? [] : named)
            if waits { builder.member("request", true) }
            if let inviter { builder.member("inviter", plain: inviter.name) }
        }
        return direct
    }

    private func begin(with peers: [User], _ user: User) throws(Refusal) -> Conversation {
        let conversation = try directory.begin(.direct, name: "", by: user)
        for peer in peers { directory.connect(user, peer, by: conversation) }
        return conversation
    }

    // MARK: Handing in

    /// Puts a change on its way to the log, and lets commands be judged by it from now on.
    /// - Parameters:
    ///   - withheldFrom: who is to get nothing of it; nil as the blocks say.
    ///   - write: writes the event's own members into the builder; called when the change is expected already.
    func submit(
        _ change: ConversationChange, of conversation: Conversation, by speaker: Speaker, _ asker: Asker?,
        key: String = "", isRequest: Bool = false, purpose: Append.Purpose = .event, source: ForwardedMessage? = nil,
        withheldFrom: UserNumber? = nil, reply: ReplyForm = .plain, _ now: Moment,
        _ write: () -> Void
    ) {
        directory.expect(change, of: conversation, isCertain: key.isEmpty)
        var append = Append(
            .conversation, in: conversation.number, by: speaker.user.number, device: speaker.device, at: now.wall)
        append.purpose = purpose
        append.flag = isRequest
        append.key = key
        append.change = change
        switch change {
        case .pin(let sequence), .unpin(let sequence):
            append.reference = sequence
            append.peer = speaker.user.peer(in: conversation)
            append.hiddenAuthors = speaker.user.hiddenAuthors(in: conversation)
        default: break
        }
        append.withheldFrom = withheldFrom ?? speaker.user.blocker(in: conversation)
        if purpose == .opening, append.withheldFrom != .none, conversation.member(append.withheldFrom) == nil {
            conversation.veiling.expect(append.withheldFrom)
        }
        if let source { append.source = source }
        builder.beginBare()
        write()
        append.body = [UInt8](builder.written)
        journal.submit(append, asker?.session, asker?.id, reply: reply)
    }

    /// The stored part of a `created` or `added` event: what a new member needs to show the conversation. `EventFrames`
    /// adds how it shows itself.
    func writeDetails(_ event: StaticString, of conversation: Conversation, naming users: [UserNumber]) {
        builder.member("event", word: event)
        if !users.isEmpty { builder.names("users", names(of: users)) }
        let first = conversation.standings(atMost: bounds.membersNamed).map(\.user)
        write(conversation.kind, first, of: conversation.standingCount)
        builder.member(createdAt: conversation.createdAt)
    }

    private func write(_ kind: ConversationKind, _ first: [UserNumber], of count: Int) {
        builder.member("kind", word: kind.word)
        builder.member("count", Int64(count))
        builder.names("members", names(of: Array(first.prefix(bounds.membersNamed))))
        // Where the users begin who join by it.
        builder.member("unread", 0)
        builder.member("read", 0)
    }

    func names(of users: [UserNumber]) -> [String] { users.map { directory.user($0)?.name ?? "" } }
}
