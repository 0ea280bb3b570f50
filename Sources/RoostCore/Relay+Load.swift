import RoostWire

/// Building the directory from what is stored, once, at start.
extension Relay {
    func load(_ snapshot: Snapshot, at now: Moment) {
        for stored in snapshot.users.sorted(by: { $0.number.value < $1.number.value }) {
            register(
                User(stored.number, name: stored.name, lastSeen: stored.lastSeen, isOnline: stored.isOnline))
        }
        for mutation in presence.settle(usersByNumber, lastAlive: snapshot.aliveAt) { store(mutation) }
        for stored in snapshot.devices {
            guard let user = user(stored.user) else { continue }
            user.devices.append(
                Device(stored.number, of: user, name: stored.name, cursor: stored.cursor, at: now.monotonic))
            nextDevice = max(nextDevice, stored.number.value + 1)
        }
        for stored in snapshot.conversations {
            let conversation = Conversation(stored.number, id: stored.id, kind: stored.kind, name: stored.name)
            conversation.lastSequence = stored.lastSequence
            conversation.lastPosition = stored.lastPosition
            conversation.lastTime = stored.lastTime
            register(conversation)
            nextConversation = max(nextConversation, stored.number.value + 1)
        }
        var pairs: [ConversationNumber: [User]] = [:]
        for stored in snapshot.members {
            guard let user = user(stored.user), let conversation = conversationsByNumber[stored.conversation] else {
                continue
            }
            if conversation.kind == .direct { pairs[stored.conversation, default: []].append(user) }
            if let role = stored.role {
                let member = Member(
                    user, of: conversation, role: role, since: stored.since, joinedAt: stored.joinedAt,
                    watermark: stored.watermark)
                conversation.admit(member)
                user.conversations[conversation.number] = member
            } else {
                conversation.formerMembers.insert(user.number)
                user.departures[conversation.number] = Departure(
                    joinedAt: stored.joinedAt, leftAt: stored.leftAt, since: stored.since)
            }
        }
        for (number, pair) in pairs where pair.count == 2 {
            guard let conversation = conversationsByNumber[number] else { continue }
            connect(pair[0], pair[1], by: conversation)
            pairUp(conversation)
        }
    }

    /// The two of a direct conversation watch each other as long as both are members.
    func pairUp(_ direct: Conversation) {
        guard direct.members.count == 2 else { return }
        let (one, other) = (direct.members[0].user, direct.members[1].user)
        one.peers[other.number] = other
        other.peers[one.number] = one
    }

    func part(_ pair: UserPair) {
        user(pair.low)?.peers[pair.high] = nil
        user(pair.high)?.peers[pair.low] = nil
    }

    // MARK: Tables

    func user(_ number: UserNumber) -> User? {
        let index = Int(number.value) - 1
        return usersByNumber.indices.contains(index) ? usersByNumber[index] : nil
    }

    func register(_ user: User) {
        usersByNumber.append(user)
        users.insert(user, named: user.name)
        counters.users = usersByNumber.count
    }

    func register(_ conversation: Conversation) {
        conversations.insert(conversation, named: conversation.id)
        conversationsByNumber[conversation.number] = conversation
        counters.conversations = conversationsByNumber.count
    }

    func unregister(_ conversation: Conversation) {
        conversations.remove(conversation.id)
        conversationsByNumber[conversation.number] = nil
        counters.conversations = conversationsByNumber.count
        if let pair = conversation.pair, directs[pair] === conversation || directs[pair] == nil {
            directs[pair] = nil
        }
    }

    /// Makes `conversation` the direct conversation of two users, members or not.
    func connect(_ one: User, _ other: User, by conversation: Conversation) {
        let pair = UserPair(one.number, other.number)
        conversation.pair = pair
        directs[pair] = conversation
    }

    /// Finds a user, or makes one known: identities come from outside, and one may write to somebody who has not
    /// connected yet.
    func introduce(_ name: Text, by session: Session) throws(Refusal) -> User {
        if let known = users[name] { return known }
        guard session.introduced < limits.listNames else {
            throw Refusal(.tooLarge, "this session has named \(limits.listNames) users nobody knew")
        }
        session.introduced += 1
        return introduce(name.string)
    }

    /// Finds the user of a token, or makes one known.
    func introduce(_ name: String) -> User {
        if let known = users[name] { return known }
        let user = User(UserNumber(Int32(usersByNumber.count + 1)), name: name)
        register(user)
        store(.user(user.number, name: user.name))
        return user
    }

    /// An id that nobody has yet: 65 random bits, so that nobody learns from one how many there are. It needn't be a
    /// secret: what is asked for is given to members only.
    func newConversationID() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        while true {
            var id: [UInt8] = [UInt8(ascii: "c")]
            for _ in 0..<13 { id.append(alphabet[Int(random.next(upperBound: UInt32(32)))]) }
            let text = String(decoding: id, as: UTF8.self)
            if conversations[text] == nil { return text }
        }
    }
}
