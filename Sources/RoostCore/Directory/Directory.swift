import RoostWire

/// Users, their devices, conversations and their members, as the store has them: who is found under which name and
/// number, and what membership changes. New users and devices are stored by the journal it is given, ahead of whatever
/// names them. It tells nobody of anything. Loop thread only.
final class Directory {
    /// What this part takes from `Limits`.
    struct Bounds {
        let devicesPerUser: Int
        let conversationsPerUser: Int
        /// Users whom nobody knew that one session may name.
        let introductionsPerSession: Int
        /// What a client is told to wait while more numbers are on their way.
        let retryMilliseconds: Int64

        init(_ limits: Limits) {
            devicesPerUser = limits.devicesPerUser
            conversationsPerUser = limits.conversationsPerUser
            introductionsPerSession = limits.listNames
            retryMilliseconds = limits.busyRetryMilliseconds
        }
    }

    /// What a session keeps for this part.
    struct Slot: ~Copyable {
        fileprivate var introduced = 0
        var destination = Destination()
    }

    let policy = Policy()
    private let bounds: Bounds
    private let journal: Journal
    private let counters: Counters
    private let random: RandomSource

    private var users = NameTable<User>()
    private var usersByNumber = NumberTable<User>()
    private var conversations = NameTable<Conversation>()
    private var conversationsByNumber = NumberTable<Conversation>()
    private var directs: [UserPair: Conversation] = [:]
    private var userNumbers: LeasedNumbers
    private var deviceNumbers: LeasedNumbers
    private var conversationNumbers: LeasedNumbers

    /// Takes over what the store has.
    init(
        _ snapshot: borrowing Snapshot, _ bounds: Bounds, journal: Journal, counters: Counters, random: RandomSource,
        at now: Moment, _ settled: borrowing Settled
    ) {
        self.bounds = bounds
        self.journal = journal
        self.counters = counters
        self.random = random
        userNumbers = LeasedNumbers(.user, snapshot.leases.users)
        deviceNumbers = LeasedNumbers(.device, snapshot.leases.devices)
        conversationNumbers = LeasedNumbers(.conversation, snapshot.leases.conversations)
        for stored in snapshot.users {
            register(User(stored.number, name: stored.name, lastSeen: stored.lastSeen, isOnline: stored.isOnline))
        }
        for stored in snapshot.devices {
            guard let user = user(stored.user) else { continue }
            user.add(Device(stored.number, of: user, name: stored.name, cursor: stored.cursor, at: now.monotonic))
        }
        for stored in snapshot.conversations {
            let conversation = Conversation(stored.number, id: stored.id, kind: stored.kind, name: stored.name)
            conversation.reach(stored.lastSequence, stored.lastPosition, stored.lastTime)
            register(conversation)
        }
        load(snapshot.members, settled)
    }

    private func load(_ members: [Snapshot.Member], _ settled: borrowing Settled) {
        var pairs: [ConversationNumber: [User]] = [:]
        for stored in members {
            guard let user = user(stored.user), let conversation = conversation(stored.conversation) else { continue }
            if conversation.kind == .direct { pairs[stored.conversation, default: []].append(user) }
            if let role = stored.role {
                let member = Member(
                    user, of: conversation, role: role, since: stored.since, joinedAt: stored.joinedAt,
                    watermark: stored.watermark)
                conversation.admit(member, settled)
                user.join(member)
            } else {
                conversation.noteFormerMember(user.number)
                user.leave(
                    conversation.number,
                    Departure(joinedAt: stored.joinedAt, leftAt: stored.leftAt, since: stored.since))
            }
        }
        for (number, pair) in pairs where pair.count == 2 {
            guard let conversation = conversation(number) else { continue }
            connect(pair[0], pair[1], by: conversation)
            pairUp(conversation)
        }
    }

    // MARK: Finding

    func user(_ number: UserNumber) -> User? { usersByNumber[number.value] }

    func user(named name: Text) -> User? { users[name] }

    func conversation(_ number: ConversationNumber) -> Conversation? { conversationsByNumber[number.value] }

    func conversation(named id: Text) -> Conversation? { conversations[id] }

    /// The direct conversation of two users, whether or not they are members of it now.
    func direct(_ one: User, _ other: User) -> Conversation? { directs[UserPair(one.number, other.number)] }

    /// All users, in the order of their numbers.
    var everybody: [User] {
        var all: [User] = []
        all.reserveCapacity(usersByNumber.count)
        usersByNumber.forEach { all.append($0) }
        return all
    }

    /// The conversation that a command names, if the user is, or will be, a member.
    func conversation(
        _ name: Text, for user: User
    ) throws(Refusal) -> (conversation: Conversation, role: Role) {
        let found: Conversation?
        if let peer = name.peer {
            found = users[peer].flatMap { direct($0, user) }
        } else {
            found = conversations[name]
        }
        let role = try policy.role(of: user, in: found)
        guard let found else { throw Refusal(.notFound, "no such conversation") }
        return (found, role)
    }

    /// The same for a command of a session, which mostly names what the one before named.
    @inline(__always)
    func destination(_ name: Text, of session: Session, _ user: User) throws(Refusal) -> Conversation {
        if let known = session.directory.destination.conversation(named: name) { return known }
        let (found, _) = try conversation(name, for: user)
        session.directory.destination.note(name, is: found, for: user)
        return found
    }

    // MARK: Users and devices

    /// Finds a user, or makes one known: identities come from outside, and one may write to somebody who has not
    /// connected yet.
    /// - Throws: `tooLarge` if the session has named too many whom nobody knew, or there are no more numbers.
    func introduce(_ name: Text, by session: Session) throws(Refusal) -> User {
        if let known = users[name] { return known }
        guard session.directory.introduced < bounds.introductionsPerSession else {
            throw Refusal(.tooLarge, "this session has named \(bounds.introductionsPerSession) users nobody knew")
        }
        session.directory.introduced += 1
        return try introduce(name.string)
    }

    /// Finds the user of a token, or makes one known.
    func introduce(_ name: String) throws(Refusal) -> User {
        if let known = users[name] { return known }
        let number = UserNumber(try userNumbers.take(retryMilliseconds: bounds.retryMilliseconds))
        let user = User(number, name: name)
        register(user)
        journal.store(.user(user.number, name: user.name))
        if userNumbers.mustAsk() { journal.store(.lease(.user)) }
        return user
    }

    /// The device's record; a new one begins where its user's furthest device is. If the user has too many, the one
    /// that has been away longest gives way.
    /// - Throws: `tooLarge` if all of them are connected, or there are no more numbers.
    func device(
        named name: String, of user: User, at now: Moment
    ) throws(Refusal) -> (device: Device, forgotten: Device?) {
        if let known = user.device(named: name) { return (known, nil) }
        try deviceNumbers.check(retryMilliseconds: bounds.retryMilliseconds)
        var forgotten: Device?
        if user.devices.count >= bounds.devicesPerUser {
            let away = user.devices.filter { $0.session == nil }.min { $0.awaySince < $1.awaySince }
            guard let away else {
                throw Refusal(.tooLarge, "\(bounds.devicesPerUser) devices of this user are connected")
            }
            user.remove(away)
            journal.store(.forgetDevice(away.number))
            forgotten = away
        }
        let number = DeviceNumber(try deviceNumbers.take(retryMilliseconds: bounds.retryMilliseconds))
        let cursor = user.devices.map(\.cursor).max() ?? .start
        let device = Device(number, of: user, name: name, cursor: cursor, at: now.monotonic)
        user.add(device)
        journal.store(.device(device.number, user: user.number, name: name, cursor: cursor))
        if deviceNumbers.mustAsk() { journal.store(.lease(.device)) }
        return (device, forgotten)
    }

    // MARK: Conversations

    /// Makes room for a further member: called before anything is changed.
    /// - Throws: `tooLarge` if the user is in too many conversations, or there are no more numbers.
    func checkRoom(for user: User) throws(Refusal) {
        try conversationNumbers.check(retryMilliseconds: bounds.retryMilliseconds)
        guard user.conversations.count + user.conversationsJoining < bounds.conversationsPerUser else {
            throw Refusal(.tooLarge, "a member is in \(bounds.conversationsPerUser) conversations already")
        }
    }

    /// A conversation without members, found from now on; the event that creates it is still to be stored.
    /// - Throws: what `checkRoom` throws when there are no more numbers.
    func begin(_ kind: ConversationKind, name: String) throws(Refusal) -> Conversation {
        let number = ConversationNumber(try conversationNumbers.take(retryMilliseconds: bounds.retryMilliseconds))
        let conversation = Conversation(number, id: newID(), kind: kind, name: name)
        register(conversation)
        if conversationNumbers.mustAsk() { journal.store(.lease(.conversation)) }
        return conversation
    }

    /// Makes `conversation` the direct conversation of two users, members or not.
    func connect(_ one: User, _ other: User, by conversation: Conversation) {
        let pair = UserPair(one.number, other.number)
        conversation.connect(pair)
        directs[pair] = conversation
    }

    /// The two users of a direct conversation may begin a new one at once: this one ends.
    func disconnect(_ conversation: Conversation) {
        if let pair = conversation.pair, directs[pair] === conversation { directs[pair] = nil }
    }

    /// The conversation is no more: it was erased, or never came about.
    func remove(_ conversation: Conversation) {
        conversations.remove(conversation.id)
        conversationsByNumber[conversation.number.value] = nil
        counters.conversations = conversationsByNumber.count
        disconnect(conversation)
    }

    /// More numbers from the store.
    func add(_ lease: Range<Int32>, of kind: NumberKind) {
        switch kind {
        case .user: userNumbers.add(lease)
        case .device: deviceNumbers.add(lease)
        case .conversation: conversationNumbers.add(lease)
        }
    }

    // MARK: Decided elsewhere

    /// A user that was introduced elsewhere.
    func learn(_ number: UserNumber, named name: String) {
        if user(number) == nil { register(User(number, name: name)) }
    }

    /// A conversation that was created elsewhere: found from now on, before its event admits the members.
    func learn(_ change: ConversationChange?, of number: ConversationNumber) {
        guard case .create(let id, let kind, let name, let members) = change, conversation(number) == nil else {
            return
        }
        let conversation = Conversation(number, id: id, kind: kind, name: name)
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

    /// An id that nobody has yet: 65 random bits, so that nobody learns from one how many there are. It needn't be a
    /// secret: what is asked for is given to members only.
    private func newID() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        while true {
            var id: [UInt8] = [UInt8(ascii: "c")]
            for _ in 0..<13 { id.append(alphabet[Int(random.number(below: 32))]) }
            let text = String(decoding: id, as: UTF8.self)
            if conversations[text] == nil { return text }
        }
    }
}

extension Text {
    /// The name behind `@`, by which a command means the direct conversation with a user.
    var peer: Text? {
        guard bytes.first == UInt8(ascii: "@") else { return nil }
        return Text(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    }
}
