import RoostWire

/// Users, their devices, conversations and members, as the store has them. It finds them by name and by number, and
/// carries out changes of membership. It stores new users and devices through the journal, before any event that names
/// them. It sends nothing. Loop thread only.
final class Directory {
    /// The limits of this part.
    struct Bounds {
        let devicesPerUser: Int
        /// Most conversations that a user opened or answered.
        let conversationsPerUser: Int
        /// Most conversations that a user opened and that are unanswered.
        let unansweredPerUser: Int
        /// Most conversations of a user, before strangers can't put it into further groups.
        let membershipsPerUser: Int
        /// Number of unknown users that a user may name.
        let introductions: Spending.Rate
        /// Number of users that a user may add to conversations.
        let additions: Spending.Rate
        /// The wait for a client while more numbers are being leased.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            devicesPerUser = limits.devicesPerUser
            conversationsPerUser = limits.conversationsPerUser
            unansweredPerUser = limits.unansweredPerUser
            membershipsPerUser = limits.membershipsPerUser
            introductions = .init(hourly: limits.introductionsPerHour)
            additions = .init(hourly: limits.additionsPerHour)
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    /// The state that a session keeps for this part.
    struct Slot: ~Copyable {
        var destination = Destination()
    }

    let policy: Policy
    let bounds: Bounds
    /// The retry time sent with `busy`.
    var retryMilliseconds: Int64 { bounds.retryMilliseconds }
    let journal: Journal
    let counters: Counters
    /// Invitations by their codes.
    let invites = InviteTable()
    private let random: RandomSource
    private let roll: Roll

    private var users = NameTable<User>()
    /// Only `Profiles` changes them.
    var usernames = Usernames()
    private var usersByNumber = NumberTable<User>()
    private(set) var conversations = NameTable<Conversation>()
    private(set) var conversationsByNumber = NumberTable<Conversation>()
    private var directs: [UserPair: Conversation] = [:]
    private(set) var userNumbers: LeasedNumbers
    private(set) var deviceNumbers: LeasedNumbers
    private(set) var conversationNumbers: LeasedNumbers

    /// Takes over the state of the store.
    init(
        _ snapshot: borrowing Snapshot, _ bounds: Bounds, _ policy: Policy, journal: Journal, counters: Counters,
        random: RandomSource,
        at now: Moment, _ settled: borrowing Settled
    ) {
        self.bounds = bounds
        self.policy = policy
        self.journal = journal
        self.counters = counters
        self.random = random
        roll = Roll(counters)
        userNumbers = LeasedNumbers(.user, snapshot.leases.users)
        deviceNumbers = LeasedNumbers(.device, snapshot.leases.devices)
        conversationNumbers = LeasedNumbers(.conversation, snapshot.leases.conversations)
        for stored in snapshot.users {
            register(
                User(
                    stored.number, name: stored.name, presence: stored.presence, status: stored.status,
                    privacy: stored.privacy, roll))
        }
        for stored in snapshot.exceptions {
            if let user = self.user(stored.user), let other = self.user(stored.other) {
                user.except(other, stored.kind)
            }
        }
        for stored in snapshot.profiles { user(stored.user)?.profile = Profile(stored.profile) }
        for stored in snapshot.contacts {
            guard let low = user(stored.pair.low), let high = user(stored.pair.high) else { continue }
            Contact(low, high, stored.stored).begin()
        }
        for stored in snapshot.invites { invites.load(stored, of: user(stored.user)) }
        for stored in snapshot.prospects { user(stored.user)?.contacts.prospects[stored.id] = stored.stored }
        for stored in snapshot.revocations { user(stored.user)?.revoked.revoke(stored.device, at: stored.time) }
        for stored in snapshot.devices {
            guard let user = user(stored.user) else { continue }
            user.add(
                Device(
                    stored.number, of: user, name: stored.name, cursor: stored.cursor, isNew: stored.isNew,
                    ends: .init(stored.ended, isKnown: true), at: now.monotonic))
        }
        for stored in snapshot.conversations {
            let conversation = Conversation(
                stored.number, id: stored.id, kind: stored.kind, name: stored.name, opener: stored.opener.flatMap(user),
                roll)
            conversation.reach(stored.lastSequence, stored.lastPosition, stored.lastTime)
            conversation.load(
                Appearance(name: stored.name, photo: stored.photo, description: stored.description),
                createdAt: stored.createdAt, stored.veil)
            conversation.highlights = Highlights(stored)
            if let request = stored.request { requests.begin(Request(request), in: conversation, at: stored.createdAt) }
            conversation.moderation = Moderation(stored.restrictions, slow: stored.slow, stored.joining)
            conversation.lifetime = Lifetime(expiry: stored.expiry, gone: stored.gone)
            register(conversation)
        }
        load(snapshot.members, settled)
        for stored in snapshot.settings {
            guard let user = user(stored.user) else { continue }
            user.openSettings(settled).reach(.none, stored.lastPosition, stored.lastTime)
            for setting in stored.mutes {
                guard let conversation = Mute.conversation(of: setting.key).flatMap({ conversations[$0] }),
                    let mute = Mute(setting.value)
                else { continue }
                user.badge.load(mute, of: conversation.number)
            }
        }
        // Users of commands that were under way at a crash.
        for user in everybody { forgetIfNobody(user) }
        for user in everybody { user.forgetDevicesIfGone(journal) }
    }

    private func load(_ members: [Snapshot.Member], _ settled: borrowing Settled) {
        var pairs: [ConversationNumber: [User]] = [:]
        for stored in members {
            guard let user = user(stored.user), let conversation = conversation(stored.conversation),
                conversation.member(user.number) == nil
            else { continue }
            if stored.hasAnswered, conversation.opener !== user { conversation.opening.isAnswered = true }
            if conversation.kind == .direct { pairs[stored.conversation, default: []].append(user) }
            if let role = stored.role {
                let member = Member(
                    user, of: conversation, role: role, since: stored.since, joinedAt: stored.joinedAt,
                    joinedAfter: stored.joinedAfter, isOwn: stored.hasAnswered || conversation.opener === user,
                    watermark: stored.watermark, mentions: stored.mentions)
                conversation.admit(member, settled)
                user.join(member)
            } else {
                conversation.noteFormerMember(user.number)
                user.leave(
                    conversation.number,
                    Departure(joinedAt: stored.joinedAt, leftAt: stored.leftAt, since: stored.since))
            }
        }
        conversationsByNumber.forEach { if !$0.isAnswered { $0.opener?.countUnanswered(1) } }
        // In a fixed order, so that a simulated run can be repeated.
        for (number, pair) in pairs.sorted(by: { $0.key.value < $1.key.value }) where pair.count == 2 {
            guard let conversation = conversation(number) else { continue }
            connect(pair[0], pair[1], by: conversation)
            pairUp(conversation)
        }
    }

    // MARK: Finding

    func user(_ number: UserNumber) -> User? { usersByNumber[number.value] }

    func user(named name: Text) -> User? { users[name] }

    func user(called name: String) -> User? { users[name] }

    /// The user with the next higher number.
    func nextUser(after number: UserNumber) -> User? { usersByNumber.next(after: number.value) }

    /// The conversation with this number, which may be a hidden one.
    func conversation(_ number: ConversationNumber) -> Conversation? {
        conversationsByNumber[number.value] ?? number.owner.flatMap { user($0)?.settings?.conversation }
    }

    func conversation(named id: Text) -> Conversation? { conversations[id] }

    /// The direct conversation of two users, whether or not they are members now.
    func direct(_ one: User, _ other: User) -> Conversation? { directs[UserPair(one.number, other.number)] }

    /// All users in the order of their numbers.
    var everybody: [User] {
        var all: [User] = []
        all.reserveCapacity(usersByNumber.count)
        usersByNumber.forEach { all.append($0) }
        return all
    }

    /// The conversation that a command names, if the user is or will be a member.
    /// - Throws: `notFound`, or `busy` if that isn't certain.
    func conversation(
        _ name: Text, for user: User
    ) throws(Refusal) -> (conversation: Conversation, role: MemberRole) {
        let found = anyConversation(name, of: user)
        // A conversation that isn't there for the user is refused like one that doesn't exist, whatever is under way.
        try check(
            isCertain: found.map { $0.isVeiled(from: user.number) || $0.isMembershipCertain(of: user.number) } ?? true)
        let role = try policy.role(of: user, in: found)
        guard let found else { throw Refusal(.notFound, "no such conversation") }
        return (found, role)
    }

    /// The conversation that a command of the user names, whether or not the user is a member.
    func anyConversation(_ name: Text, of user: User) -> Conversation? {
        guard let peer = name.peer else { return conversations[name] }
        return naming.person(named: peer).flatMap { direct($0, user) }
    }

    /// The same for a command of a session. Most commands name the same conversation as the one before.
    @inline(__always)
    func destination(_ name: Text, of session: Session, _ user: User) throws(Refusal) -> Conversation {
        if let known = session.directory.destination.conversation(named: name) { return known }
        let (found, _) = try conversation(name, for: user)
        if naming.stays(name) { session.note(name, is: found, for: user) }
        return found
    }

    /// The users named in commands.
    var naming: Naming { Naming(self) }

    // MARK: Users and devices

    /// Finds the user of a token, or creates one.
    /// - Throws: `tooLarge` if there are no more numbers; `busy` while the store can't take another user.
    func introduce(_ name: String) throws(Refusal) -> User {
        if let known = users[name] { return known }
        try journal.checkIntroductions(1)
        let number = UserNumber(try userNumbers.take(retryMilliseconds: bounds.retryMilliseconds))
        let user = User(number, name: name, roll)
        register(user)
        journal.store(.user(user.number, name: user.name))
        if userNumbers.mustAsk() { journal.store(.lease(.user)) }
        return user
    }

    /// Checks that a user who comes for the first time can be stored with a device, before either is.
    /// - Throws: as `introduce` and `device`.
    func checkNewcomer(_ name: String) throws(Refusal) {
        guard users[name] == nil else { return }
        try journal.checkIntroductions(2)
        try userNumbers.check(1, retryMilliseconds: bounds.retryMilliseconds)
        try deviceNumbers.check(1, retryMilliseconds: bounds.retryMilliseconds)
    }

    /// Forgets a user without any relation who never came, in memory and in the store.
    func forgetIfNobody(_ user: User) {
        guard user.isNobody, self.user(user.number) === user else { return }
        users.remove(user.name)
        usersByNumber[user.number.value] = nil
        counters.users = usersByNumber.count
        journal.store(.forgetUser(user.number))
    }

    /// Finds a device, or creates one, which begins at the highest cursor of the user's devices. If the user has too
    /// many devices, it replaces the one that has been away longest.
    /// - Throws: `tooLarge` if all of them are connected, or if there are no more numbers; `busy` while the store can't
    ///   take another device.
    func device(
        named name: String, of user: User, at now: Moment
    ) throws(Refusal) -> (device: Device, forgotten: Device?) {
        if let known = user.device(named: name) { return (known, nil) }
        try journal.checkIntroductions(1)
        try deviceNumbers.check(1, retryMilliseconds: bounds.retryMilliseconds)
        var forgotten: Device?
        if user.devices.count >= bounds.devicesPerUser {
            let away = user.devices.filter { $0.session == nil }.min { $0.awaySince < $1.awaySince }
            guard let away else {
                throw Refusal(.tooLarge, "this user already has \(bounds.devicesPerUser) connected devices")
            }
            user.remove(away)
            journal.store(.forgetDevice(away.number))
            forgotten = away
        }
        let number = DeviceNumber(try deviceNumbers.take(retryMilliseconds: bounds.retryMilliseconds))
        let cursor = user.devices.map(\.cursor).max() ?? .start
        let device = Device(number, of: user, name: name, cursor: cursor, isNew: true, at: now.monotonic)
        user.add(device)
        journal.store(.device(device.number, user: user.number, name: name, cursor: cursor))
        if deviceNumbers.mustAsk() { journal.store(.lease(.device)) }
        return (device, forgotten)
    }

    // MARK: Conversations

    /// Creates a conversation without members, which can be found from now on. The event that creates it must still be
    /// stored. Called after `checkOpening`.
    /// - Throws: `tooLarge` or `busy` if there is no number for it.
    func begin(_ kind: ConversationKind, name: String, by opener: User) throws(Refusal) -> Conversation {
        let number = ConversationNumber(try conversationNumbers.take(retryMilliseconds: bounds.retryMilliseconds))
        let conversation = Conversation(number, id: newID(), kind: kind, name: name, opener: opener, roll)
        opener.countOpening(1)
        opener.countUnanswered(1)
        register(conversation)
        if conversationNumbers.mustAsk() { journal.store(.lease(.conversation)) }
        return conversation
    }

    /// Makes `conversation` the direct conversation of two users, whether or not they are members.
    func connect(_ one: User, _ other: User, by conversation: Conversation) {
        let pair = UserPair(one.number, other.number)
        conversation.connect(pair)
        directs[pair] = conversation
    }

    /// Ends the direct conversation of two users, so that they can begin a new one at once.
    func disconnect(_ conversation: Conversation) {
        if let pair = conversation.pair, directs[pair] === conversation { directs[pair] = nil }
    }

    /// A change is not stored, so what was done in advance is undone: a conversation that was to be created goes,
    /// unless another command still creates it, and one that was to end goes on.
    func undo(_ change: ConversationChange, of conversation: Conversation) {
        switch change {
        case .create(_, _, _, let members):
            if conversation.isUnborn { remove(conversation) }
            forgetNobodies(members)
        case .erase: conversation.goOn()
        case .add(let members):
            for member in members {
                invites.settle(member.user, joining: conversation.number, isStored: false, journal)
            }
            forgetNobodies(members)
        case .rename, .describe, .remove, .leave, .roles, .expiry, .pin, .unpin, .restrict, .slow, .joining, .accept:
            return
        }
    }

    private func forgetNobodies(_ members: [NewMember]) {
        for member in members { if let user = user(member.user) { forgetIfNobody(user) } }
    }

    /// Removes a conversation that was erased or never came about.
    func remove(_ conversation: Conversation) {
        conversations.remove(conversation.id)
        conversationsByNumber[conversation.number.value] = nil
        counters.conversations = conversationsByNumber.count
        disconnect(conversation)
        requests.end(conversation)
        if !conversation.isAnswered { conversation.opener?.countUnanswered(-1) }
        if conversation.isUnstored { conversation.opener?.countOpening(-1) }
    }

    /// Adds numbers that the store has leased.
    func add(_ lease: Range<Int32>, of kind: NumberKind) {
        switch kind {
        case .user: userNumbers.add(lease)
        case .device: deviceNumbers.add(lease)
        case .conversation: conversationNumbers.add(lease)
        }
    }

    // MARK: Decided elsewhere

    /// Adds a user that another relay, or an importer, introduced.
    func learn(_ number: UserNumber, named name: String) {
        if user(number) == nil { register(User(number, name: name, roll)) }
    }

    /// Adds a conversation that was created elsewhere, before its event admits the members.
    func learn(_ change: ConversationChange?, of number: ConversationNumber, by sender: UserNumber) {
        guard case .create(let id, let kind, let name, let members) = change, conversation(number) == nil else {
            return
        }
        let conversation = Conversation(number, id: id, kind: kind, name: name, opener: user(sender), roll)
        conversation.opener?.countOpening(1)
        conversation.opener?.countUnanswered(1)
        register(conversation)
        guard kind == .direct, members.count == 2, let one = user(members[0].user), let other = user(members[1].user)
        else { return }
        connect(one, other, by: conversation)
    }

    private func register(_ user: User) {
        usersByNumber[user.number.value] = user
        users.insert(user, named: user.name)
        counters.users = usersByNumber.count
    }

    private func register(_ conversation: Conversation) {
        conversations.insert(conversation, named: conversation.id)
        conversationsByNumber[conversation.number.value] = conversation
        counters.conversations = conversationsByNumber.count
    }

    private func newID() -> String {
        while true {
            let id = random.id("c")
            if conversations[id] == nil { return id }
        }
    }
}

extension Text {
    /// The name behind `@`, with which a command names the direct conversation with a user.
    var peer: Text? {
        guard bytes.first == UInt8(ascii: "@") else { return nil }
        return Text(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    }
}
