import RoostWire

/// Changing a group: `rename`, `add`, `remove`, `role`, `leave`. Judged by what is under way as well as by what is
/// committed, so that two commands in a row mean what they say; applied when the event is stored.
extension Relay {
    func rename(
        _ name: Text, _ newName: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try reserve(newName.count)
        let (conversation, user, device) = try group(name, session, atLeast: .admin)
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.change = .rename(newName.string)
        builder.beginBare()
        builder.member("event", word: "renamed")
        builder.member("name", newName.string)
        append.body = [UInt8](builder.written)
        submit(append, session, id)
    }

    func add(
        _ names: [Text], to name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try reserve(0)
        let (conversation, user, device) = try group(name, session, atLeast: .admin)
        var new: [UserNumber] = []
        var named: Set<UserNumber> = []
        for name in names {
            let other = try introduce(name, by: session)
            guard conversation.standing(of: other.number) == nil, named.insert(other.number).inserted else { continue }
            try checkRoom(for: other)
            new.append(other.number)
        }
        guard !new.isEmpty else { throw Refusal(.conflict, "users: all of them are members already") }
        guard conversation.standingCount + new.count <= limits.membersMax else {
            throw Refusal(.tooLarge, "users: a group has at most \(limits.membersMax) members")
        }
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.change = .add(new.map { NewMember($0, .member) })
        for number in new { conversation.expect(number, role: .member) }
        append.body = details("added", of: conversation, naming: new)
        submit(append, session, id, expecting: new)
    }

    func remove(
        _ names: [Text], from name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try reserve(0)
        let (conversation, user, device) = try group(name, session, atLeast: .admin)
        let role = conversation.standing(of: user.number) ?? .member
        var gone: [UserNumber] = []
        var named: Set<UserNumber> = []
        for name in names {
            guard let other = users[name], let standing = conversation.standing(of: other.number) else {
                throw Refusal(.notFound, "users: one of them is no member")
            }
            guard other !== user else { throw Refusal(.badRequest, "users: to go yourself, leave") }
            guard standing < role else { throw Refusal(.forbidden, "users: an admin can't remove owner or admins") }
            if named.insert(other.number).inserted { gone.append(other.number) }
        }
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.change = .remove(gone)
        for number in gone { conversation.expect(number, role: nil) }
        builder.beginBare()
        builder.member("event", word: "removed")
        writeNames("users", gone)
        append.body = [UInt8](builder.written)
        submit(append, session, id, expecting: gone)
    }

    func setRole(
        _ role: Role, _ userName: Text, _ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try reserve(0)
        let (conversation, user, device) = try group(name, session, atLeast: .owner)
        guard let other = users[userName], let standing = conversation.standing(of: other.number) else {
            throw Refusal(.notFound, "user: no member")
        }
        guard other !== user else { throw Refusal(.badRequest, "user: name another owner to step down") }
        guard standing != role else { throw Refusal(.conflict, "user: has this role already") }
        var changes = [NewMember(other.number, role)]
        if role == .owner { changes.append(NewMember(user.number, .admin)) }
        for change in changes { conversation.expect(change.user, role: change.role) }
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.change = .roles(changes)
        builder.beginBare()
        builder.member("event", word: "role")
        builder.member("user", plain: other.name)
        builder.member("role", word: role.word)
        append.body = [UInt8](builder.written)
        submit(append, session, id, expecting: changes.map(\.user))
    }

    func leave(_ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try reserve(0)
        let (user, device) = try speaker(session)
        let (conversation, role) = try self.conversation(name, for: user)
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        let others = conversation.standings().filter { $0.user != user.number }
        var heir: UserNumber?
        if role == .owner { heir = (others.first { $0.role == .admin } ?? others.first)?.user }
        var expected = [user.number]
        conversation.expect(user.number, role: nil)
        if let heir {
            conversation.expect(heir, role: .owner)
            expected.append(heir)
        }
        append.change = others.isEmpty ? .erase : .leave(user.number, heir: heir)
        if others.isEmpty { conversation.isEnding = true }
        // The two may begin anew at once.
        if others.isEmpty, let pair = conversation.pair { directs[pair] = nil }
        builder.beginBare()
        builder.member("event", word: "left")
        if let heir { builder.member("owner", self.user(heir)?.name ?? "") }
        append.body = [UInt8](builder.written)
        submit(append, session, id, expecting: expected)
        stopTyping(user, in: conversation, at: now)
    }

    /// A group that a command wants to change.
    private func group(
        _ name: Text, _ session: Session, atLeast needed: Role
    ) throws(Refusal) -> (conversation: Conversation, user: User, device: Device) {
        let (user, device) = try speaker(session)
        let (conversation, role) = try self.conversation(name, for: user)
        guard conversation.kind == .group else {
            throw Refusal(.conflict, "a direct conversation can't be changed")
        }
        guard role >= needed else {
            throw Refusal(.forbidden, needed == .owner ? "owner only" : "owner and admins only")
        }
        return (conversation, user, device)
    }

    // MARK: As stored

    /// Makes a stored change true and tells everyone concerned, those who were removed too.
    func applyChange(
        _ change: ConversationChange?, _ event: StoredEvent, to conversation: Conversation,
        except origin: Session?, at now: Moment
    ) {
        switch change {
        case .create(_, _, _, let members), .add(let members):
            admit(members, to: conversation, by: event)
            fanOut(event, in: conversation, except: origin, at: now)
            if let pair = conversation.pair {
                pairUp(conversation)
                introduce(pair, at: now)
            }
        case .rename(let name):
            conversation.name = name
            fanOut(event, in: conversation, except: origin, at: now)
        case .remove(let users):
            fanOut(event, in: conversation, except: origin, at: now)
            dismiss(users, from: conversation, at: event.position, now)
        case .leave(let user, let heir):
            fanOut(event, in: conversation, except: origin, at: now)
            if let heir { conversation.member(heir)?.role = .owner }
            dismiss([user], from: conversation, at: event.position, now)
        case .erase:
            fanOut(event, in: conversation, except: origin, at: now)
            dismiss(conversation.members.map(\.user.number), from: conversation, at: event.position, now)
            for number in conversation.formerMembers { user(number)?.departures[conversation.number] = nil }
            unregister(conversation)
        case .roles(let changes):
            for change in changes { conversation.member(change.user)?.role = change.role }
            fanOut(event, in: conversation, except: origin, at: now)
        case nil:
            fanOut(event, in: conversation, except: origin, at: now)
        }
    }

    /// The two of a direct conversation begin to watch each other: how things stand now.
    private func introduce(_ pair: UserPair, at now: Moment) {
        guard let low = user(pair.low), let high = user(pair.high) else { return }
        for session in low.sessions { reply(presenceFrame(of: [high]), to: session, at: now) }
        for session in high.sessions { reply(presenceFrame(of: [low]), to: session, at: now) }
    }

    private func admit(_ members: [NewMember], to conversation: Conversation, by event: StoredEvent) {
        for new in members {
            guard let user = user(new.user) else { continue }
            // What was said before is not unread to whoever joins.
            var watermark = Watermark()
            watermark.read = conversation.lastSequence
            watermark.delivered = conversation.lastSequence
            let member = Member(
                user, of: conversation, role: new.role, since: new.since, joinedAt: event.position,
                watermark: watermark)
            conversation.admit(member)
            user.conversations[conversation.number] = member
            user.departures[conversation.number] = nil
        }
    }

    private func dismiss(
        _ users: [UserNumber], from conversation: Conversation, at position: Position, _ now: Moment
    ) {
        if let pair = conversation.pair { part(pair) }
        for member in conversation.dismiss(users) {
            let user = member.user
            stopTyping(member, at: now)
            user.conversations[conversation.number] = nil
            user.departures[conversation.number] = Departure(
                joinedAt: member.joinedAt, leftAt: position, since: member.since)
            presence.endWatches(of: user, under: policy)
        }
    }
}
