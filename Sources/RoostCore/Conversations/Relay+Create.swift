import RoostWire

/// How conversations come about: groups by `conversation.create`, direct ones by that or by the first message.
extension Relay {
    func create(_ create: Command.Create, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, device) = try speaker(session)
        try reserve(0)
        var others: [User] = []
        var named: Set = [user.number]
        for name in create.members {
            let other = try directory.introduce(name, by: session)
            if named.insert(other.number).inserted { others.append(other) }
        }
        switch create.kind {
        case .direct:
            guard let peer = others.first else {
                throw Refusal(.badRequest, "members: a direct conversation needs somebody else")
            }
            try openDirect(with: peer, user, device.name, id, session, now)
        case .group:
            guard others.count < limits.membersMax else {
                throw Refusal(.tooLarge, "members: at most \(limits.membersMax)")
            }
            for other in others + [user] { try directory.checkRoom(for: other) }
            let conversation = try directory.begin(.group, name: create.name?.string ?? "")
            let members =
                [NewMember(user.number, .owner)] + others.map { NewMember($0.number, .member) }
            var append = Append(
                .conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
            append.key = create.key?.string ?? ""
            submitCreation(of: conversation, members, &append, session, id)
        }
    }

    private func openDirect(
        with peer: User, _ user: User, _ device: String, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        if let known = directory.direct(user, peer) {
            if known.member(user.number) != nil, known.standing(of: user.number) != nil {
                let position = known.lastPosition
                return answerCreated(known.number, position, known.lastTime, isDuplicate: true, id, session, now)
            }
            // Left before: answered when the event that brings it back is stored.
            guard known.standing(of: user.number) != nil else {
                return try rejoin(known, user, device, now, session, id)
            }
            // On its way: answered together with whoever asked first.
            guard known.add(.init(session: session, id: id), atMost: limits.askersPerConversation) else {
                throw Refusal(
                    .busy, "the conversation is just being created",
                    retryAfterMilliseconds: limits.busyRetryMilliseconds)
            }
            return
        }
        _ = try beginDirect(with: peer, user, device, session, id, now)
    }

    /// Answers those who asked for a conversation that was just being created.
    func answerAskers(of conversation: Conversation, _ position: Position, _ time: Timestamp, _ now: Moment) {
        for asker in conversation.takeAskers() {
            answerCreated(
                conversation.number, position, time, isDuplicate: true, asker.id, asker.session, now)
        }
    }

    func refuseAskers(of conversation: Conversation, _ refusal: Refusal, _ now: Moment) {
        for asker in conversation.takeAskers() {
            var refusal = refusal
            refusal.id = asker.id
            refuse(refusal, to: asker.session, at: now)
        }
    }

    /// The direct conversation of two users, made known at once and stored before whatever follows.
    func direct(with peer: User, _ user: User, _ device: String, _ now: Moment) throws(Refusal) -> Conversation {
        if let known = directory.direct(user, peer) { return known }
        return try beginDirect(with: peer, user, device, nil, nil, now)
    }

    private func beginDirect(
        with peer: User, _ user: User, _ device: String, _ session: Session?, _ id: CommandID?, _ now: Moment
    ) throws(Refusal) -> Conversation {
        try directory.checkRoom(for: user)
        try directory.checkRoom(for: peer)
        let conversation = try directory.begin(.direct, name: "")
        directory.connect(user, peer, by: conversation)
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device, at: now.wall)
        let members = [NewMember(user.number, .member), NewMember(peer.number, .member)]
        submitCreation(of: conversation, members, &append, session, id)
        return conversation
    }

    /// Brings back those who left a direct conversation: they see what comes from now on.
    func rejoin(
        _ direct: Conversation, _ user: User, _ device: String, _ now: Moment, _ session: Session? = nil,
        _ id: CommandID? = nil
    ) throws(Refusal) {
        guard let pair = direct.pair else { return }
        if direct.standing(of: pair.low) != nil, direct.standing(of: pair.high) != nil { return }
        let back = [pair.low, pair.high].filter { direct.standing(of: $0) == nil }
        for number in back { if let user = directory.user(number) { try directory.checkRoom(for: user) } }
        let members = back.map { NewMember($0, .member, since: direct.lastSequence) }
        var append = Append(.conversation, in: direct.number, by: user.number, device: device, at: now.wall)
        let change = ConversationChange.add(members)
        append.change = change
        directory.expect(change, of: direct)
        append.body = details("added", of: direct, naming: back)
        submit(append, session, id, reply: session == nil ? .none : .conversation)
    }

    private func submitCreation(
        of conversation: Conversation, _ members: [NewMember], _ append: inout Append, _ session: Session?,
        _ id: CommandID?
    ) {
        let change = ConversationChange.create(
            id: conversation.id, kind: conversation.kind, name: conversation.name, members: members)
        append.change = change
        directory.expect(change, of: conversation)
        append.body = details("created", of: conversation, naming: [])
        submit(append, session, id, reply: session == nil ? .none : .conversation)
    }

    /// The stored part of a `created` or `added` event: all that a new member needs to show the conversation.
    func details(_ event: StaticString, of conversation: Conversation, naming users: [UserNumber]) -> [UInt8] {
        builder.beginBare()
        builder.member("event", word: event)
        if !users.isEmpty { writeNames("users", users) }
        builder.member("kind", word: conversation.kind.word)
        if conversation.kind == .group { builder.member("name", conversation.name) }
        let standings = conversation.standings()
        builder.member("count", Int64(standings.count))
        writeNames("members", standings.prefix(limits.membersNamed).map(\.user))
        return [UInt8](builder.written)
    }

    func writeNames(_ member: StaticString, _ numbers: [UserNumber]) {
        builder.beginArray(member)
        for number in numbers { builder.element(directory.user(number)?.name ?? "") }
        builder.endArray()
    }
}
