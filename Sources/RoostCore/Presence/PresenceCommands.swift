import RoostFraming
import RoostWire

/// `presence`, `watch`, `unwatch`. Only sessions that watch a user get that user's presence, and only those that watch
/// a conversation get the number of its online members. Loop thread only.
final class PresenceCommands {
    let status: StatusCommands
    private let presence: Presence
    private let counts: GroupCounts
    private let prices: Prices
    private let chores: Chores
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    private let writer: PresenceWriter
    private var policy: Policy { directory.policy }
    /// Most users, and most conversations, that one session may watch.
    private let watchedMax: Int
    private let countsMax: Int
    /// The round under way.
    private var round: PresenceRound?

    init(
        _ limits: Limits, at now: Int64, presence: Presence, counts: GroupCounts, prices: Prices, chores: Chores,
        directory: Directory, journal: Journal,
        delivery: Delivery,
        replies: Replies,
        builder: FrameBuilder
    ) {
        self.presence = presence
        self.counts = counts
        self.prices = prices
        self.chores = chores
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.replies = replies
        self.builder = builder
        writer = PresenceWriter(builder, directory.policy)
        (watchedMax, countsMax) = (limits.watchedPerSession, limits.countsPerSession)
        status = StatusCommands(limits, presence, prices, journal, delivery, replies, at: now)
    }

    // MARK: Commands

    func set(_ activity: PresenceActivity, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        if let user = session.user {
            if activity != session.presence.activity {
                try prices.pay(deliveries: audience(of: user), by: session, at: now)
            }
            presence.set(activity, of: session, user, at: now)
        }
        replies.accept(id, session)
    }

    func watch(
        _ names: [Text], _ ids: [Text], _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try session.speaker()
        let named = directory.naming.find(names)
        let others = named.compactMap(\.known)
        // Behind a closed gate, who isn't known is refused as a stranger is.
        for one in named where one.known == nil || !directory.naming.isThere(one) {
            guard directory.policy.verdict(onStrangers: user.name, one.name) != .closed else { throw .noRelationship }
            try directory.naming.checkThere([one])
            throw unseen
        }
        guard presence.hasRoom(for: others, by: session) else { throw tooMany }
        let conversations = try conversations(ids, of: user)
        guard counts.hasRoom(for: conversations, by: session) else { throw tooManyCounts }
        try chores.check(session)
        for conversation in conversations { counts.beginRequest(of: conversation) }
        let request = WatchRequest(others, conversations, by: user, counts, directory) { [self] found in
            defer { for conversation in conversations { endRequest(of: conversation, at: now) } }
            guard session.phase == .ready else { return }
            do throws(Refusal) {
                let watches = try watches(found)
                try begin(watches, conversations, by: session, user)
                answer(watches, conversations, id, session, now)
            } catch {
                replies.refuse(Refusal(error.code, error.reason, id: id), session)
            }
        }
        chores.begin(request, for: session, at: now)
    }

    /// - Throws: `forbidden` or `no_relationship` if the user may not watch all of them.
    private func watches(_ found: WatchRequest.Outcome) throws(Refusal) -> [Presence.Watch] {
        if found.areStrangers { directory.counters.gate.note(.watch, isRefused: found.watches == nil) }
        guard let watches = found.watches else {
            throw found.areStrangers ? .noRelationship : unseen
        }
        return watches
    }

    private var unseen: Refusal { Refusal(.forbidden, "users: you share no conversation with one of these users") }
    private var tooMany: Refusal { Refusal(.tooLarge, "users: a session may watch at most \(watchedMax)") }
    private var tooManyCounts: Refusal {
        Refusal(.tooLarge, "conversations: a session may watch at most \(countsMax)")
    }
    private var notFound: Refusal { Refusal(.notFound, "conversations: no such conversation") }

    /// The conversations of these names, each once, in the order in which they are named first.
    private func conversations(_ ids: [Text], of user: User) throws(Refusal) -> [Conversation] {
        var known = Set<ConversationNumber>(minimumCapacity: ids.count)
        var all: [Conversation] = []
        for id in ids {
            let (conversation, _) = try directory.conversation(id, for: user)
            // The count would reveal whether the other one is online.
            guard !conversation.isRequest else { throw .noRelationship }
            if known.insert(conversation.number).inserted { all.append(conversation) }
        }
        return all
    }

    /// The session watches all of these, or none if something has changed since the command was judged.
    private func begin(
        _ watches: [Presence.Watch], _ conversations: [Conversation], by session: Session, _ user: User
    ) throws(Refusal) {
        guard conversations.allSatisfy({ $0.member(user.number) != nil }) else { throw notFound }
        guard counts.hasRoom(for: conversations, by: session) else { throw tooManyCounts }
        guard presence.watch(watches, by: session) else { throw tooMany }
        for conversation in conversations { counts.watch(conversation, by: session) }
    }

    private func answer(
        _ watches: [Presence.Watch], _ conversations: [Conversation], _ id: CommandID?, _ session: Session,
        _ now: Moment
    ) {
        builder.begin("ok")
        builder.reply(to: id)
        if !watches.isEmpty || conversations.isEmpty {
            write(watches.map(\.user), to: session, at: now) { presence.show($0, to: session, at: now) }
        }
        if !conversations.isEmpty { write(conversations, to: session) }
        delivery.reply(builder.finish(), to: session)
    }

    func unwatch(_ names: [Text], _ ids: [Text], _ id: CommandID?, _ session: Session, _ now: Moment) {
        for name in names {
            if let other = directory.naming.person(named: name) { presence.unwatch(other, by: session) }
        }
        for id in ids {
            guard let user = session.user, let conversation = directory.anyConversation(id, of: user) else { continue }
            unwatch(conversation, by: session, at: now)
        }
        replies.accept(id, session)
    }

    private func unwatch(_ conversation: Conversation, by session: Session, at now: Moment) {
        if counts.unwatch(conversation, by: session) { endCount(of: conversation, at: now) }
    }

    private func endRequest(of conversation: Conversation, at now: Moment) {
        if counts.endRequest(of: conversation) { endCount(of: conversation, at: now) }
    }

    private func endCount(of conversation: Conversation, at now: Moment) {
        chores.begin(EndOfCount(of: conversation, counts), at: now)
    }

    /// Number of sessions that get, or are checked for, a change of the user's state.
    func audience(of user: User) -> Int { user.presence.watchers.count + user.peers.count }

    /// The user's privacy changes: all others get its state again, and it gets theirs.
    /// - Parameter wasOpen: until now, everyone could watch the user.
    func retell(_ user: User, wasOpen: Bool, at now: Moment) {
        presence.retell(user, at: now)
        counts.restate(to: [user], at: now.monotonic)
        if wasOpen, !policy.isWatchedByAll(user) { endWatches(of: user, at: now) }
    }

    /// The exceptions between the user and these others change.
    func retell(_ user: User, _ others: [User], at now: Moment) {
        presence.retell(user, others, at: now)
        counts.restate(to: [user] + others, at: now.monotonic)
    }

    /// Number of sessions that get a state, and of states to get, when the user's privacy changes.
    func retellings(of user: User) -> Int {
        user.sessions.reduce(audience(of: user)) { $0 + $1.presence.watching.count + user.peers.count }
    }

    /// Whether a session watches the number of online members. For tests.
    func isCounted(_ conversation: Conversation) -> Bool { counts.isCounted(conversation) }

    // MARK: Coming and going

    /// A session of the device is ready. The two users of a direct conversation watch each other without asking, so the
    /// session gets the other's present state.
    func begin(_ session: Session, of device: Device, as activity: PresenceActivity, at now: Moment) {
        let known = device.user.peers
        let peers = known.values.lazy.filter { known.sees($0.number) }.prefix(watchedMax)
        if !peers.isEmpty { show(peers, to: session, at: now) }
        // The others are as if it had been sent them: it gets what changes.
        for peer in device.user.peers.values.dropFirst(watchedMax) {
            session.presence.sent.note(policy.presenceLevel(of: peer, to: device.user), of: peer.number)
        }
        presence.come(session, of: device, as: activity, at: now)
    }

    /// The user begins to watch the other one of a direct conversation, and gets that one's present state.
    func introduce(_ peer: User, to user: User, at now: Moment) {
        guard user.peers.sees(peer.number) else { return }
        // That a blocked user has accepted is withheld.
        if user.hasBlocked(peer.number) {
            presence.leaveOut(peer, for: user)
        } else {
            for session in user.sessions { show([peer], to: session, at: now) }
        }
    }

    /// Sends the present state of these users to all devices of `user`, whatever the devices know: after a block they
    /// may show a state from when the two still had a conversation, after an unblock none.
    func show(_ others: [User], to user: User, at now: Moment) {
        guard !others.isEmpty else { return }
        for session in user.sessions { show(others, to: session, at: now) }
    }

    /// Sends the present state of these users to the session.
    func show(_ users: some Sequence<User>, to session: Session, at now: Moment) {
        builder.begin("presence")
        write(users, to: session, at: now) { presence.show($0, to: session, at: now) }
        delivery.reply(builder.finish(), to: session)
    }

    /// A conversation ended that may have been the last one the user shared with some watcher, or the user and another
    /// aren't contacts any more. Watches that are no longer allowed end, of the user and by the user.
    func endWatches(of user: User, at now: Moment) {
        if let review = presence.review(user, directory) { chores.begin(review, at: now) }
    }

    /// These users have become members at this position. Watchers of the conversation get the new count.
    func joined(_ members: [NewMember], _ conversation: Conversation, at position: Position, _ now: Moment) {
        guard counts.isCounted(conversation) else { return }
        for new in members {
            guard let member = conversation.member(new.user), member.joinedAt == position else { continue }
            counts.joined(member, at: now.monotonic)
        }
    }

    /// A membership has ended, and with it what its user watches because of it.
    func left(_ member: Member, at now: Moment) {
        if counts.left(member, at: now.monotonic) { endCount(of: member.conversation, at: now) }
        endWatches(of: member.user, at: now)
    }

    /// The user has left for good: its contacts end, and it shows nothing any more.
    func leave(_ user: User, at now: Moment) {
        endWatches(of: user, at: now)
        if let mutation = presence.set(.auto, "", of: user, at: now) { journal.store(mutation) }
    }

    /// Another session of the same device takes over. No watcher sees the user leave.
    func giveWay(_ session: Session, of user: User, at now: Moment) { presence.giveWay(session, of: user, at: now) }

    /// The session has ended.
    func forget(_ session: Session, at now: Moment) {
        presence.forget(session)
        for conversation in counts.watched(by: session) { unwatch(conversation, by: session, at: now) }
    }

    /// The last session of a device has ended.
    /// - Parameter mayReturn: the client didn't say `bye`, so it may come back.
    func end(_ session: Session, of device: Device, mayReturn: Bool, at now: Moment) {
        presence.go(session, of: device, mayReturn: mayReturn, isDraining: journal.isDraining, at: now)
    }

    // MARK: Start and end of the relay

    /// After a start, users who were shown as online or away have a grace to come back, without watchers seeing it.
    func raiseGhosts(lastAlive: Timestamp, at now: Moment) {
        for mutation in presence.settle(directory.everybody, lastAlive: lastAlive, at: now) { journal.store(mutation) }
        for user in directory.everybody { status.ends.note(user, at: now) }
    }

    /// The relay is about to close everything.
    func closeDown(at now: Moment) {
        for mutation in presence.closeDown(at: now) { journal.store(mutation) }
    }

    // MARK: Time

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64 { min(presence.nextDeadline, counts.nextDeadline ?? .max, status.ends.nextDeadline) }

    /// The tick has come: changes are stored and sent, as much as a turn may.
    func tick(at now: Moment) {
        status.tick(at: now)
        let alive = presence.tick(at: now)
        counts.tick(at: now.monotonic)
        if presence.hasNews || counts.hasWork {
            if let round {
                round.now = now
            } else {
                let round = PresenceRound(of: self, at: now)
                self.round = round
                chores.begin(round, at: now)
            }
        }
        if let alive { journal.store(alive) }
    }

    /// Goes on with a round. Returns whether everything has been sent.
    func announce(_ steps: inout Int, at now: Moment) -> Bool {
        let news = presence.announce(&steps, at: now)
        for mutation in news.mutations { journal.store(mutation) }
        var shared: (user: User, frame: Frame)?
        for session in news.audience {
            let users = presence.takeBatch(of: session)
            presence.pace.note(users: users.count, at: now.monotonic)
            tell(users, to: session, &shared, at: now)
        }
        for user in news.moved { counts.note(user) }
        tellCounts(&steps, at: now)
        if !presence.hasNews, !counts.hasWork { round = nil }
        return round == nil
    }

    private func tellCounts(_ steps: inout Int, at now: Moment) {
        var shared: (conversation: Conversation, tally: GroupCounts.Tally, frame: Frame)?
        counts.work(&steps, at: now.monotonic, policy) { conversation, tally, session in
            guard session.phase == .ready else { return }
            guard delivery.isCalm(session) else { return delivery.owe(.count(conversation.number), to: session) }
            let frame: Frame
            if let shared, shared.conversation === conversation, shared.tally == tally {
                frame = shared.frame
            } else {
                builder.begin("presence")
                builder.beginArray("conversations")
                write(tally, of: conversation)
                builder.endArray()
                frame = builder.finish()
                shared = (conversation, tally, frame)
            }
            counts.noteSent(tally, of: conversation, to: session)
            presence.pace.note(users: 0, at: now.monotonic)
            delivery.push(frame, to: session, isPatient: true)
        }
    }

    /// Sends a session the present counts that were held back.
    func showCounts(_ numbers: [ConversationNumber], to session: Session, at now: Moment) {
        let watched = numbers.filter { counts.isWatched($0, by: session) }.compactMap { directory.conversation($0) }
        guard !watched.isEmpty else { return }
        builder.begin("presence")
        write(watched, to: session)
        delivery.reply(builder.finish(), to: session)
    }

    /// - Parameter shared: the last frame about a single user, for other sessions that get the same.
    private func tell(
        _ users: [User], to session: Session, _ shared: inout (user: User, frame: Frame)?, at now: Moment
    ) {
        guard session.phase == .ready, let viewer = session.user else { return }
        guard delivery.isCalm(session) else {
            for user in users { delivery.owe(.presence(user.number), to: session) }
            return
        }
        let frame: Frame
        let isShared = users.count == 1 && users[0].privacy.isOpen && viewer.privacy.isOpen
        if isShared, let shared, shared.user === users[0] {
            frame = shared.frame
        } else {
            frame = self.frame(of: users, to: session, at: now)
            if isShared { shared = (users[0], frame) }
        }
        delivery.push(frame, to: session, isPatient: true)
    }

    /// Whether the session gets changes of this user's presence.
    func isTold(_ session: Session, of user: UserNumber) -> Bool { presence.isTold(session, of: user) }

    // MARK: Frames

    /// The frame with these users' states in this tick.
    private func frame(of users: [User], to session: Session, at now: Moment) -> Frame {
        builder.begin("presence")
        write(users, to: session, at: now) { $0.presence.announced }
        if presence.late > 0 { builder.member("late", presence.late) }
        return builder.finish()
    }

    private func write(_ conversations: [Conversation], to session: Session) {
        builder.beginArray("conversations")
        for conversation in conversations {
            write(counts.show(conversation, to: session, policy), of: conversation)
        }
        builder.endArray()
    }

    private func write(_ tally: GroupCounts.Tally, of conversation: Conversation) {
        builder.beginObject()
        builder.member("conversation", plain: conversation.id)
        builder.member("online", Int64(tally.online))
        builder.member("of", Int64(tally.of))
        builder.endObject()
    }

    /// - Parameter shown: the state for viewers who see everything.
    private func write(
        _ users: some Sequence<User>, to session: Session, at now: Moment, _ shown: (User) -> Presence.Shown
    ) {
        builder.beginArray("users")
        for user in users {
            guard let viewer = session.user else { continue }
            let level = policy.presenceLevel(of: user, to: viewer)
            // A user blocked without being watched is sent once.
            if !viewer.hasBlocked(user.number) || presence.isTold(session, of: user.number) {
                session.presence.sent.note(level, of: user.number)
            }
            builder.beginObject()
            builder.member("user", plain: user.name)
            writer.members(VisiblePresence(of: user, shown(user), level, at: now))
            builder.endObject()
        }
        builder.endArray()
    }
}

extension FrameBuilder {
    /// Writes how a user wants to be shown.
    func members(of status: StoredStatus) {
        member("state", word: status.choice.word)
        if !status.text.isEmpty { member("text", status.text) }
        if status.until != .never { member("until", status.until.milliseconds) }
    }
}
