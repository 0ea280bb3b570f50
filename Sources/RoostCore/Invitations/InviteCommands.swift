import RoostFraming
import RoostWire

/// `invite.*` and `join.*`: links by which others become a user's contacts, or join a group. Without a right to a link,
/// a user gets the same answer as for a code that was never made. Loop thread only.
final class InviteCommands {
    /// The limits of these commands.
    struct Bounds {
        /// Invitations of a user that are kept.
        let kept: Int
        /// Invitations that a user makes.
        let made: Spending.Rate
        /// Codes that a user tries and that are none.
        let guesses: Spending.Rate
        /// Groups that a user asks to join.
        let asked: Spending.Rate
        /// Default number of users who may open one.
        let uses: Int
        /// Default lifetime of one.
        let milliseconds: Int64
        /// Members of a group.
        let members: Int
        /// Users who wait for a group, groups that a user waits for, and the longest wait.
        let waiting, awaited: Int
        let waitMilliseconds: Int64

        init(_ limits: Limits) {
            kept = limits.invitesPerUser
            made = .init(hourly: limits.invitesPerHour)
            guesses = .init(hourly: limits.inviteGuessesPerHour)
            asked = .init(hourly: limits.joinRequestsPerHour)
            uses = limits.inviteUsesDefault
            milliseconds = limits.inviteLifeMilliseconds
            members = limits.membersMax
            waiting = limits.joinRequestsPerGroup
            awaited = limits.joinRequestsPerUser
            waitMilliseconds = limits.joinRequestLifeMilliseconds
        }
    }

    /// The one answer for codes that were never made, and for invitations that can't be used any more.
    static let notGood = Refusal(.notFound, "code: this invitation can't be used, or can't be used any more")

    let bounds: Bounds
    private let random: RandomSource
    let introductions: Introductions
    var prices: Prices { introductions.prices }
    var conversations: ConversationCommands { introductions.conversations }
    var directory: Directory { conversations.directory }
    var replies: Replies { conversations.replies }
    var builder: FrameBuilder { conversations.builder }
    var delivery: Delivery { conversations.delivery }

    init(_ limits: Limits, _ random: RandomSource, _ introductions: Introductions) {
        bounds = Bounds(limits)
        self.random = random
        self.introductions = introductions
    }

    func perform(_ command: InviteCommand, by speaker: Speaker, _ asker: Asker, _ now: Moment) throws(Refusal) {
        if !command.isQuestion { try introductions.reserve() }
        switch command {
        case .create(let conversation, let kind, let uses, let milliseconds):
            try create(conversation, kind?.string, uses, milliseconds, asker, now)
        case .list: list(asker, now)
        case .revoke(let id):
            revoke(id.string, asker, now)
        case .show(let code):
            let found = try find(code, by: asker.user, now)
            answer(found, asker.id, asker.session)
        case .open(let code): try open(try find(code, by: asker.user, now), by: speaker, asker, now)
        case .joins(let conversation): try listWaiting(for: conversation, asker, now)
        case .answerJoin(let conversation, let user, let isAccepted):
            try answer(user, in: conversation, isAccepted: isAccepted, by: speaker, asker, now)
        }
    }

    /// Ends the requests that came by it, too. The id of a request revokes nothing.
    private func revoke(_ id: String, _ asker: Asker, _ now: Moment) {
        let stored = asker.user.contacts.invites.all.first { $0.id == id }?.stored
        if stored != nil { directory.invites.set(id, of: asker.user, to: nil, conversations.journal) }
        let group = stored.flatMap { directory.conversation($0.conversation) }
        let ended = group.map { forgetOver(in: $0, now) } ?? []
        let announce = group.flatMap { ended.isEmpty ? nil : news($0, ended) }
        replies.acceptOnceStored(asker.id, asker.session, announce: announce, at: now)
    }

    /// A service asks for the maker and the target, for a visitor without an account. It bounds guesses itself.
    func show(_ code: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        guard let found = good(code, now) else { throw InviteCommands.notGood }
        answer(found, id, session)
    }

    // MARK: Making

    private func create(
        _ name: Text?, _ kind: String?, _ uses: Int?, _ milliseconds: Int64?, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let user = asker.user
        var group: Conversation?
        var word = ""
        if let name {
            let (conversation, role) = try directory.conversation(name, for: user)
            try directory.policy.checkChange(of: conversation, by: role, needing: .admin)
            group = conversation
        } else {
            guard let kinds = directory.policy.rules.kinds(kind) else {
                throw Refusal(.badRequest, kind == nil ? "kind is missing" : "kind: this relay has no such kind")
            }
            word = kinds.other
        }
        try makeRoom(for: user, now)
        if let wait = user.contacts.invites.made.spend(1, of: bounds.made, at: now.monotonic) {
            throw Refusal(
                .rateLimited, "you have made \(bounds.made.burst) invitations within an hour",
                retryAfterMilliseconds: wait)
        }
        let (code, id) = (random.secret(), newID(for: user))
        let stored = StoredInvite(
            hash: SHA256Hash.hash(Array(code.utf8)), conversation: group?.number ?? .none, kind: word,
            uses: uses ?? bounds.uses, created: now.wall,
            expires: Timestamp(milliseconds: now.wall.milliseconds + (milliseconds ?? bounds.milliseconds)))
        directory.invites.set(id, of: user, to: stored, conversations.journal)
        replies.answerOnceStored(asker.id, asker.session, at: now) { [unowned self] in
            builder.begin("ok")
            builder.reply(to: asker.id)
            builder.beginObject("invite")
            // The group may have ended since.
            write(stored, as: id, to: group)
            builder.member("code", plain: code)
            builder.endObject()
            delivery.reply(builder.finish(), to: asker.session)
        }
    }

    /// Forgets the user's invalid invitations, so that they don't count.
    private func makeRoom(for user: User, _ now: Moment) throws(Refusal) {
        forgetEnded(of: user, now)
        guard user.contacts.invites.all.count < bounds.kept else {
            throw Refusal(.tooLarge, "you have \(bounds.kept) invitations; revoke one first")
        }
    }

    /// Those that have ended, were used up, or lead to a group that the user may not invite to any more.
    func forgetEnded(of user: User, _ now: Moment) {
        for one in user.contacts.invites.all where !one.stored.isGood(at: now.wall) || !isOpen(one.stored, of: user) {
            directory.invites.set(one.id, of: user, to: nil, conversations.journal)
        }
        for one in user.contacts.invites.requests where link(of: one.stored, by: user, now) == nil {
            directory.invites.set(one.id, of: user, to: nil, conversations.journal)
        }
    }

    func newID(for user: User) -> String {
        while true {
            let id = random.id("i")
            if user.contacts.invites[id] == nil { return id }
        }
    }

    // MARK: Showing

    private func list(_ asker: Asker, _ now: Moment) {
        builder.begin("ok")
        builder.reply(to: asker.id)
        builder.beginArray("invites")
        for one in asker.user.contacts.invites.all
        where one.stored.isGood(at: now.wall) && isOpen(one.stored, of: asker.user) {
            builder.beginObject()
            write(one.stored, as: one.id, to: directory.conversation(one.stored.conversation))
            builder.endObject()
        }
        builder.endArray()
        delivery.reply(builder.finish(), to: asker.session)
    }

    private func write(_ stored: StoredInvite, as id: String, to group: Conversation?) {
        builder.member("invite", plain: id)
        if let group {
            builder.member("conversation", plain: group.id)
        } else {
            builder.member("kind", plain: stored.kind)
        }
        builder.member("uses", Int64(stored.uses))
        builder.member("used", Int64(stored.used))
        builder.member("createdAt", stored.created.milliseconds)
        builder.member("expires", stored.expires.milliseconds)
    }

    /// A stranger gets the names of the maker and the group, and nothing else: no id, no number.
    private func answer(_ found: Found, _ id: CommandID?, _ session: Session) {
        builder.begin("ok")
        builder.reply(to: id)
        builder.beginObject("invitation")
        if let name = found.maker.profile?.stored.name, !name.isEmpty { builder.member("name", name) }
        if let group = found.group { builder.member("group", group.name) }
        builder.endObject()
        delivery.reply(builder.finish(), to: session)
    }

    /// Writes the invitation of a code with its maker, for an operator, if it can be opened. Returns the maker.
    func writeLink(of code: Text, at now: Moment) -> User? {
        guard let found = good(code, now) else { return nil }
        builder.beginObject()
        builder.member("user", plain: found.maker.name)
        builder.beginObject("invite")
        write(found.stored, as: found.id, to: found.group)
        builder.endObject()
        builder.endObject()
        return found.maker
    }

    // MARK: Opening

    /// An invitation that can be opened.
    struct Found {
        let maker: User
        let id: String
        var stored: StoredInvite
        /// The group to which it leads; nil if it makes contacts.
        let group: Conversation?
    }

    /// The invitation of this code, if it can be opened now.
    private func good(_ code: Text, _ now: Moment) -> Found? { good(SHA256Hash.hash(Array(code.bytes)), now) }

    /// The same by the hash of a code.
    func good(_ hash: [UInt8], _ now: Moment) -> Found? {
        guard let (number, id) = directory.invites.find(hash),
            let maker = directory.user(number), let stored = maker.contacts.invites[id],
            stored.isGood(at: now.wall), isOpen(stored, of: maker)
        else { return nil }
        return Found(maker: maker, id: id, stored: stored, group: directory.conversation(stored.conversation))
    }

    /// Whether its maker is there, and may still invite to the group.
    func isOpen(_ stored: StoredInvite, of maker: User) -> Bool {
        guard !maker.isDeleted else { return false }
        guard stored.conversation != .none else { return true }
        guard let group = directory.conversation(stored.conversation), !group.isEnding else { return false }
        return group.standing(of: maker.number).map { $0 >= .admin } ?? false
    }

    /// The same for a user, whose wrong guesses are counted. A link to a group is never valid for a user banned from
    /// it.
    private func find(_ code: Text, by user: User, _ now: Moment) throws(Refusal) -> Found {
        let found = good(code, now)
        if let found, found.group?.moderation.bans(user.number, at: now.wall) != true { return found }
        if let wait = user.contacts.invites.guessed.spend(1, of: bounds.guesses, at: now.monotonic) {
            throw Refusal(
                .rateLimited, "you have tried \(bounds.guesses.burst) invitations within an hour that can't be used",
                retryAfterMilliseconds: wait)
        }
        throw InviteCommands.notGood
    }

    private func open(_ found: Found, by speaker: Speaker, _ asker: Asker, _ now: Moment) throws(Refusal) {
        if let group = found.group {
            try join(group, found, speaker, asker, now)
        } else {
            try meet(found, speaker, asker, now)
        }
    }

    private func meet(_ found: Found, _ speaker: Speaker, _ asker: Asker, _ now: Moment) throws(Refusal) {
        let (user, maker) = (speaker.user, found.maker)
        guard user !== maker else { throw Refusal(.badRequest, "code: this is your own invitation") }
        // The operator may have taken the kind away.
        guard let kinds = directory.policy.rules.kinds(found.stored.kind) else { throw InviteCommands.notGood }
        let isNew = user.contacts[maker.number]?.state(for: user) != .accepted
        let deliveries = 2 * (user.sessions.count + maker.sessions.count)
        try prices.pay(deliveries: deliveries, by: asker.session, at: now)
        try introductions.join(speaker, maker, as: (found.stored.kind, kinds.own), asker, now)
        if isNew { directory.invites.use(found.id, of: maker, conversations.journal) }
    }

    private func join(
        _ group: Conversation, _ found: Found, _ speaker: Speaker, _ asker: Asker, _ now: Moment
    ) throws(Refusal) {
        let (user, maker) = (speaker.user, found.maker)
        try directory.check(isCertain: group.isCertain)
        if group.standing(of: user.number) != nil {
            let end = group.end(for: user.number)
            let created = Created(
                conversation: group.number, position: end.position, time: end.time, isDuplicate: true)
            // Another device may be joining at this moment.
            return replies.answerOnceStored(asker.id, asker.session, at: now) { [unowned self] in
                conversations.queries.answerCreated(created, to: asker)
            }
        }
        if maker !== user { try directory.policy.checkMeeting(of: user, with: maker) }
        guard group.standingCount < bounds.members else {
            throw Refusal(.tooLarge, "the group has \(bounds.members) members, which is as many as it can")
        }
        try conversations.gatekeeper.check([.known(user)], by: maker, .add, asker.session, now)
        try directory.naming.checkJoining(by: user)
        if group.moderation.joining.expected == .ask, maker !== user { return try ask(group, found, asker, now) }
        try prices.pay(deliveries: group.audienceCount, by: asker.session, at: now)
        directory.invites.use(found.id, of: maker, joining: group, by: user, conversations.journal)
        conversations.submit(
            .add([NewMember(user.number, .member)]), of: group, by: speaker, asker, reply: .conversation, now
        ) {
            conversations.writeDetails("added", of: group, naming: [user.number])
            builder.member("inviter", plain: maker.name)
        }
    }
}
