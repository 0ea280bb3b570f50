import RoostFraming
import RoostWire

/// The commands that change a conversation: `conversation.rename`, `.describe`, `.add`, `.remove`, `.role`, `.expiry`,
/// `.pin`, `.unpin`, `.ban`, `.unban`, `.timeout`, `.posting`, `.slow`, `.joining`, `.leave`.
extension ConversationCommands {
    /// Carries out one of these commands. If it is refused now and has a key, the log is asked first whether it was
    /// carried out before: a retry gets its first answer, whatever has changed since.
    func change(
        _ change: Command.Change, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(bounds.textBytes)
        let user = speaker.user
        let asker = Asker(session: session, user: user, id: id)
        do throws(Refusal) {
            let (conversation, role) = try directory.conversation(change.conversation, for: user)
            try directory.check(isCertain: conversation.isRoleCertain(of: user.number))
            let by = Actor(speaker: speaker, role: role, key: change.key?.string ?? "", asker: asker)
            if change.kind.isForMembersInGoodStanding {
                try directory.rules.checkWriting(by: user, in: conversation, at: now, isReaction: true)
            }
            switch change.kind {
            case .rename(let name): try rename(conversation, to: name.string, by, now)
            case .describe(let photo, let description):
                try describe(conversation, photo?.string, description?.string, by, now)
            case .add(let names): try add(names, to: conversation, by, now)
            case .remove(let names): try remove(names, from: conversation, by, now)
            case .role(let role, let name): try setRole(role, of: name, in: conversation, by, now)
            case .expiry(let time): try setExpiry(time, of: conversation, by, now)
            case .pin(let sequence): try pin(sequence, in: conversation, by, now)
            case .unpin(let sequence): try unpin(sequence, in: conversation, by, now)
            case .ban(let user, let reason): try moderation.ban(user, reason, in: conversation, by, now)
            case .unban(let user): try moderation.unban(user, in: conversation, by, now)
            case .timeout(let user, let time, let reason):
                try moderation.setTimeout(time, of: user, reason, in: conversation, by, now)
            case .posting(let rule): try moderation.setPosting(rule, of: conversation, by, now)
            case .slow(let time): try moderation.setSlow(time, of: conversation, by, now)
            case .joining(let rule): try moderation.setJoining(rule, of: conversation, by, now)
            case .leave(let keeps): try leave(conversation, keeps: keeps, by, now)
            }
        } catch {
            try look(for: change, speaker, asker, refusal: error, now)
        }
    }

    /// The author of a change.
    struct Actor {
        let speaker: Speaker
        let role: MemberRole
        let key: String
        let asker: Asker
        var user: User { speaker.user }
    }

    private func submit(
        _ change: ConversationChange, of conversation: Conversation, _ by: Actor, _ now: Moment, _ write: () -> Void
    ) {
        submit(change, of: conversation, by: by.speaker, by.asker, key: by.key, now, write)
    }

    /// Asks the log for a command that would be refused now.
    private func look(
        for change: Command.Change, _ speaker: Speaker, _ asker: Asker, refusal: Refusal, _ now: Moment
    ) throws(Refusal) {
        guard let key = change.key, !refusal.code.isTemporary else { throw refusal }
        let conversation = directory.anyConversation(change.conversation, of: speaker.user)
        var probe = Append(
            .conversation, in: conversation?.number ?? .none, by: speaker.user.number, device: speaker.device,
            at: now.wall)
        probe.purpose = .probe
        probe.key = key.string
        builder.beginBare()
        switch change.kind {
        case .rename: builder.member("event", word: "renamed")
        case .describe: builder.member("event", word: "described")
        case .add: builder.member("event", word: "added")
        case .remove(let names):
            var named: Set<String> = []
            write(removed: names.map(\.string).filter { named.insert($0).inserted })
        case .role(let role, let name): write(role, of: name.string)
        case .expiry(let time): builder.write(expiry: time)
        case .pin(let sequence): builder.write(sequence, pinned: true)
        case .unpin(let sequence): builder.write(sequence, pinned: false)
        // Those have no key.
        case .ban, .unban, .timeout, .posting, .slow, .joining: break
        case .leave: builder.member("event", word: "left")
        }
        probe.body = [UInt8](builder.written)
        journal.submit(probe, asker.session, asker.id, refusal: refusal)
    }

    // MARK: The changes

    private func rename(
        _ conversation: Conversation, to name: String, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        if by.key.isEmpty, conversation.isAppearanceSettled, conversation.name == name { return acceptUnchanged(by) }
        submit(.rename(name), of: conversation, by, now) { builder.member("event", word: "renamed") }
    }

    private func describe(
        _ conversation: Conversation, _ photo: String?, _ description: String?, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        let shown = conversation.appearance
        if by.key.isEmpty, conversation.isAppearanceSettled, photo ?? shown.photo == shown.photo,
            description ?? shown.description == shown.description
        {
            return acceptUnchanged(by)
        }
        submit(.describe(photo: photo, description: description), of: conversation, by, now) {
            builder.member("event", word: "described")
        }
    }

    /// The conversation is so already, and a command without a key has no first answer to be asked for.
    private func acceptUnchanged(_ by: Actor) { replies.acceptUnchanged(by.asker.id, by.asker.session) }

    private func add(
        _ names: [Text], to conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        // The event contains the members, and a new member keeps them.
        try directory.check(isCertain: conversation.isCertain)
        let named = directory.naming.find(names).filter { one in
            one.known.map { conversation.standing(of: $0.number) == nil } ?? true
        }
        try directory.policy.checkThere(named)
        try directory.rules.checkAdmission(of: named, to: conversation, at: now)
        guard !named.isEmpty else { throw Refusal(.conflict, "users: all of these users are already members") }
        guard conversation.standingCount + named.count <= bounds.members else {
            throw Refusal(.tooLarge, "users: a group has at most \(bounds.members) members")
        }
        try gatekeeper.check(named, by: by.user, .add, by.asker.session, now)
        try directory.naming.checkAdding(named, by: by.user)
        let new = try directory.naming.introduce(named, by: by.user, at: now).map(\.number)
        submit(.add(new.map { NewMember($0, .member) }), of: conversation, by, now) {
            writeDetails("added", of: conversation, naming: new)
        }
    }

    private func remove(
        _ names: [Text], from conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .admin)
        var gone: [UserNumber] = []
        var named: Set<UserNumber> = []
        for name in names {
            let other = directory.naming.person(named: name)
            guard let other, let standing = try standing(of: other, in: conversation) else {
                throw Refusal(.notFound, "users: one of these users is not a member")
            }
            guard other !== by.user else {
                throw Refusal(.badRequest, "users: you can't remove yourself; use conversation.leave")
            }
            try directory.policy.checkRemoval(of: standing, by: by.role)
            if named.insert(other.number).inserted { gone.append(other.number) }
        }
        submit(.remove(gone), of: conversation, by, now) { write(removed: self.names(of: gone)) }
    }

    private func setRole(
        _ role: MemberRole, of name: Text, in conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkChange(of: conversation, by: by.role, needing: .owner)
        let other = directory.naming.person(named: name)
        guard let other, let standing = try standing(of: other, in: conversation) else {
            throw Refusal(.notFound, "user: this user is not a member")
        }
        guard other !== by.user else {
            throw Refusal(.badRequest, "user: you can't change your own role; make another member owner instead")
        }
        guard standing != role else { throw Refusal(.conflict, "user: this user already has the role") }
        var changes = [NewMember(other.number, role)]
        if role == .owner { changes.append(NewMember(by.user.number, .admin)) }
        submit(.roles(changes), of: conversation, by, now) { write(role, of: other.name) }
    }

    private func setExpiry(
        _ time: Int64, of conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkShared(conversation, by: by.user, as: by.role)
        submit(.expiry(time), of: conversation, by, now) { builder.write(expiry: time) }
    }

    /// Whether the message is there, and may be pinned, the log decides. It may still be on its way there.
    private func pin(
        _ sequence: SequenceNumber, in conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkShared(conversation, by: by.user, as: by.role)
        guard conversation.mayName(sequence, by.user) else {
            throw Refusal(.notFound, "sequence: no such message in this conversation")
        }
        submit(.pin(sequence), of: conversation, by, now) { builder.write(sequence, pinned: true) }
    }

    private func unpin(
        _ sequence: SequenceNumber, in conversation: Conversation, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        try directory.policy.checkShared(conversation, by: by.user, as: by.role)
        guard conversation.mayName(sequence, by.user),
            !conversation.highlights.pins.hides(sequence, from: by.user, in: conversation)
        else { throw Refusal(.notFound, "sequence: no such message in this conversation") }
        submit(.unpin(sequence), of: conversation, by, now) { builder.write(sequence, pinned: false) }
    }

    /// The role of a user in a change; nil if the user isn't a member.
    func standing(of user: User, in conversation: Conversation) throws(Refusal) -> MemberRole? {
        try directory.check(isCertain: conversation.isRoleCertain(of: user.number))
        return conversation.standing(of: user.number)
    }

    private func leave(
        _ conversation: Conversation, keeps: Bool, _ by: Actor, _ now: Moment
    ) throws(Refusal) {
        // Those who stay decide who becomes owner, and whether the conversation is erased.
        try directory.check(isCertain: conversation.isCertain)
        let isLast = conversation.standingCount == 1
        try directory.policy.checkLeaving(of: by.user, from: conversation, isLast: isLast)
        guard !keeps || !isLast else {
            throw Refusal(.forbidden, "keep: the conversation would be erased, because nobody else is in it")
        }
        submitLeave(conversation, by: by.speaker, as: by.role, by.asker, key: by.key, now)
    }

    /// A user whose account was deleted leaves, also what waits for the user to accept it.
    /// - Throws: `busy` or `unavailable` if it can't be handed in now.
    func leave(_ conversation: Conversation, asDeleted user: User, _ now: Moment) throws(Refusal) {
        try journal.reserve(bounds.textBytes)
        try directory.check(isCertain: conversation.isCertain)
        guard let role = conversation.standing(of: user.number) else { return }
        submitLeave(conversation, by: Speaker(user), as: role, nil, key: "", now)
    }

    private func submitLeave(
        _ conversation: Conversation, by speaker: Speaker, as role: MemberRole, _ asker: Asker?, key: String,
        _ now: Moment
    ) {
        let user = speaker.user
        let isLast = conversation.standingCount == 1
        let heir = role == .owner && !isLast ? conversation.heir(of: user.number) : nil
        let change = isLast ? ConversationChange.erase : .leave(user.number, heir: heir)
        submit(change, of: conversation, by: speaker, asker, key: key, now) {
            builder.member("event", word: "left")
            if let heir { builder.member("owner", directory.user(heir)?.name ?? "") }
        }
        typing.stop(user, in: conversation)
    }

    // MARK: Their events

    private func write(removed names: [String]) {
        builder.member("event", word: "removed")
        builder.names("users", names)
    }

    private func write(_ role: MemberRole, of name: String) {
        builder.member("event", word: "role")
        builder.member("user", plain: name)
        builder.member("role", word: role.word)
    }
}

extension Command.Change.Kind {
    /// Whether a member who is timed out can't do it. Everybody may leave.
    fileprivate var isForMembersInGoodStanding: Bool {
        if case .leave = self { false } else { true }
    }
}

extension FrameBuilder {
    fileprivate func write(expiry time: Int64) {
        member("event", word: "expiry")
        member("after", time)
    }

    fileprivate func write(_ sequence: SequenceNumber, pinned isPinned: Bool) {
        member("event", word: isPinned ? "pinned" : "unpinned")
        member("pin", sequence.value)
    }
}
