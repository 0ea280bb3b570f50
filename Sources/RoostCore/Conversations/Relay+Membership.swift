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
            let other = try directory.introduce(name, by: session)
            guard conversation.standing(of: other.number) == nil, named.insert(other.number).inserted else { continue }
            try directory.checkRoom(for: other)
            new.append(other.number)
        }
        guard !new.isEmpty else { throw Refusal(.conflict, "users: all of them are members already") }
        guard conversation.standingCount + new.count <= limits.membersMax else {
            throw Refusal(.tooLarge, "users: a group has at most \(limits.membersMax) members")
        }
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        let change = ConversationChange.add(new.map { NewMember($0, .member) })
        append.change = change
        directory.expect(change, of: conversation)
        append.body = details("added", of: conversation, naming: new)
        submit(append, session, id)
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
            guard let other = directory.user(named: name), let standing = conversation.standing(of: other.number) else {
                throw Refusal(.notFound, "users: one of them is no member")
            }
            guard other !== user else { throw Refusal(.badRequest, "users: to go yourself, leave") }
            try directory.policy.checkRemoval(of: standing, by: role)
            if named.insert(other.number).inserted { gone.append(other.number) }
        }
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        let change = ConversationChange.remove(gone)
        append.change = change
        directory.expect(change, of: conversation)
        builder.beginBare()
        builder.member("event", word: "removed")
        writeNames("users", gone)
        append.body = [UInt8](builder.written)
        submit(append, session, id)
    }

    func setRole(
        _ role: Role, _ userName: Text, _ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try reserve(0)
        let (conversation, user, device) = try group(name, session, atLeast: .owner)
        guard let other = directory.user(named: userName), let standing = conversation.standing(of: other.number) else {
            throw Refusal(.notFound, "user: no member")
        }
        guard other !== user else { throw Refusal(.badRequest, "user: name another owner to step down") }
        guard standing != role else { throw Refusal(.conflict, "user: has this role already") }
        var changes = [NewMember(other.number, role)]
        if role == .owner { changes.append(NewMember(user.number, .admin)) }
        let change = ConversationChange.roles(changes)
        directory.expect(change, of: conversation)
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.change = change
        builder.beginBare()
        builder.member("event", word: "role")
        builder.member("user", plain: other.name)
        builder.member("role", word: role.word)
        append.body = [UInt8](builder.written)
        submit(append, session, id)
    }

    func leave(_ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try reserve(0)
        let (user, device) = try speaker(session)
        let (conversation, role) = try directory.conversation(name, for: user)
        var append = Append(.conversation, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        let others = conversation.standings().filter { $0.user != user.number }
        var heir: UserNumber?
        if role == .owner { heir = (others.first { $0.role == .admin } ?? others.first)?.user }
        let change = others.isEmpty ? ConversationChange.erase : .leave(user.number, heir: heir)
        append.change = change
        directory.expect(change, of: conversation)
        builder.beginBare()
        builder.member("event", word: "left")
        if let heir { builder.member("owner", directory.user(heir)?.name ?? "") }
        append.body = [UInt8](builder.written)
        submit(append, session, id)
        stopTyping(user, in: conversation, at: now)
    }

    /// A group that a command wants to change.
    private func group(
        _ name: Text, _ session: Session, atLeast needed: Role
    ) throws(Refusal) -> (conversation: Conversation, user: User, device: Device) {
        let (user, device) = try speaker(session)
        let (conversation, role) = try directory.conversation(name, for: user)
        try directory.policy.checkChange(of: conversation, by: role, needing: needed)
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
            directory.admit(members, to: conversation, at: event.position)
            fanOut(event, in: conversation, except: origin, at: now)
            if let pair = conversation.pair {
                introduce(pair, at: now)
            }
        case .rename(let name):
            conversation.rename(name)
            fanOut(event, in: conversation, except: origin, at: now)
        case .remove(let users):
            fanOut(event, in: conversation, except: origin, at: now)
            end(directory.dismiss(users, from: conversation, at: event.position), now)
        case .leave(let user, let heir):
            fanOut(event, in: conversation, except: origin, at: now)
            if let heir { conversation.member(heir)?.role = .owner }
            end(directory.dismiss([user], from: conversation, at: event.position), now)
        case .erase:
            fanOut(event, in: conversation, except: origin, at: now)
            end(directory.erase(conversation, at: event.position), now)
        case .roles(let changes):
            for change in changes { conversation.member(change.user)?.role = change.role }
            fanOut(event, in: conversation, except: origin, at: now)
        case nil:
            fanOut(event, in: conversation, except: origin, at: now)
        }
    }

    /// The two of a direct conversation begin to watch each other: how things stand now.
    private func introduce(_ pair: UserPair, at now: Moment) {
        guard let low = directory.user(pair.low), let high = directory.user(pair.high) else { return }
        for session in low.sessions { reply(presenceFrame(of: [high]), to: session, at: now) }
        for session in high.sessions { reply(presenceFrame(of: [low]), to: session, at: now) }
    }

    /// Ends what hung on memberships that ended.
    private func end(_ memberships: [Member], _ now: Moment) {
        for member in memberships {
            stopTyping(member, at: now)
            presence.endWatches(of: member.user, under: directory.policy)
        }
    }
}
