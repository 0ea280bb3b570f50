import RoostFraming
import RoostWire

/// The commands that change a group: `conversation.rename`, `.add`, `.remove`, `.role`, `.leave`.
extension ConversationCommands {
    func rename(
        _ name: Text, _ newName: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(newName.count)
        let (conversation, user, device, _) = try group(name, session, atLeast: .admin)
        let newName = newName.string
        submit(.rename(newName), of: conversation, by: user, device, Asker(session: session, id: id), now) {
            builder.member("event", word: "renamed")
            builder.member("name", newName)
        }
    }

    func add(
        _ names: [Text], to name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(0)
        let (conversation, user, device, _) = try group(name, session, atLeast: .admin)
        var new: [UserNumber] = []
        var named: Set<UserNumber> = []
        for name in names {
            let other = try directory.introduce(name, by: session)
            guard conversation.standing(of: other.number) == nil, named.insert(other.number).inserted else { continue }
            try directory.checkRoom(for: other)
            new.append(other.number)
        }
        guard !new.isEmpty else { throw Refusal(.conflict, "users: all of these users are already members") }
        guard conversation.standingCount + new.count <= bounds.members else {
            throw Refusal(.tooLarge, "users: a group has at most \(bounds.members) members")
        }
        let change = ConversationChange.add(new.map { NewMember($0, .member) })
        submit(change, of: conversation, by: user, device, Asker(session: session, id: id), now) {
            writeDetails("added", of: conversation, naming: new)
        }
    }

    func remove(
        _ names: [Text], from name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(0)
        let (conversation, user, device, role) = try group(name, session, atLeast: .admin)
        var gone: [UserNumber] = []
        var named: Set<UserNumber> = []
        for name in names {
            guard let other = directory.user(named: name), let standing = conversation.standing(of: other.number) else {
                throw Refusal(.notFound, "users: one of these users is not a member")
            }
            guard other !== user else {
                throw Refusal(.badRequest, "users: you can't remove yourself; use conversation.leave")
            }
            try directory.policy.checkRemoval(of: standing, by: role)
            if named.insert(other.number).inserted { gone.append(other.number) }
        }
        submit(.remove(gone), of: conversation, by: user, device, Asker(session: session, id: id), now) {
            builder.member("event", word: "removed")
            builder.names("users", self.names(of: gone))
        }
    }

    func setRole(
        _ role: Role, _ userName: Text, _ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(0)
        let (conversation, user, device, _) = try group(name, session, atLeast: .owner)
        guard let other = directory.user(named: userName), let standing = conversation.standing(of: other.number) else {
            throw Refusal(.notFound, "user: this user is not a member")
        }
        guard other !== user else {
            throw Refusal(.badRequest, "user: you can't change your own role; make another member owner instead")
        }
        guard standing != role else { throw Refusal(.conflict, "user: this user already has the role") }
        var changes = [NewMember(other.number, role)]
        if role == .owner { changes.append(NewMember(user.number, .admin)) }
        submit(.roles(changes), of: conversation, by: user, device, Asker(session: session, id: id), now) {
            builder.member("event", word: "role")
            builder.member("user", plain: other.name)
            builder.member("role", word: role.word)
        }
    }

    func leave(_ name: Text, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try journal.reserve(0)
        let (user, device) = try session.speaker()
        let (conversation, role) = try directory.conversation(name, for: user)
        let others = conversation.standings().filter { $0.user != user.number }
        var heir: UserNumber?
        if role == .owner { heir = (others.first { $0.role == .admin } ?? others.first)?.user }
        let change = others.isEmpty ? ConversationChange.erase : .leave(user.number, heir: heir)
        submit(change, of: conversation, by: user, device, Asker(session: session, id: id), now) {
            builder.member("event", word: "left")
            if let heir { builder.member("owner", directory.user(heir)?.name ?? "") }
        }
        typing.stop(user, in: conversation)
    }

    /// The group that a command wants to change, and the user, device and role that want it.
    private func group(
        _ name: Text, _ session: Session, atLeast needed: Role
    ) throws(Refusal) -> (conversation: Conversation, user: User, device: Device, role: Role) {
        let (user, device) = try session.speaker()
        let (conversation, role) = try directory.conversation(name, for: user)
        try directory.policy.checkChange(of: conversation, by: role, needing: needed)
        return (conversation, user, device, role)
    }
}
