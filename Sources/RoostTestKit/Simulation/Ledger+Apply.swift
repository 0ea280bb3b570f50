import RoostCore
import RoostWire

/// A batch became durable.
extension Ledger {
    /// - Parameter time: monotonic milliseconds.
    func apply(_ batch: [Mutation], _ outcomes: [Outcome], at time: Int64) {
        appliedAt = time
        written.invites.begin(batch, users)
        defer {
            let left = written.invites.usesLeft
            if left > 0 { blame("invitations count \(left) uses of nobody") }
        }
        var next = 0
        for mutation in batch {
            switch mutation {
            case .user(let number, let name):
                if name.hasPrefix(Script.typo) { blame("somebody was made of the typo \(name)") }
                if let index = Int(name.dropFirst()) { users[number.value] = index }
            case .forgetUser(let number):
                forget(number)
            case .device(let number, let user, let name, let cursor):
                guard let user = users[user.value] else { continue }
                devices[number.value] = (user, name)
                written.came.insert(user)
                cursors[number.value] = cursor.value
            case .forgetDevice(let number):
                devices[number.value] = nil
                cursors[number.value] = nil
            case .cursor(let number, let position):
                cursors[number.value] = position.value
            case .watermark(let conversation, let user, let watermark):
                guard let conversation = conversationsByNumber[conversation.value], let user = users[user.value] else {
                    continue
                }
                let mark = Mark(delivered: watermark.delivered.value, read: watermark.read.value)
                if conversations[conversation].members[user] != nil { marks[Pair(conversation, user)] = mark }
            case .presence(let user, let stored):
                if let user = users[user.value] { presence[user] = stored }
            case .status(let user, let stored):
                if let user = users[user.value] { status[user] = stored }
            case .privacy(let user, let settings):
                if let user = users[user.value] { privacy[user] = settings }
            case .profile(let user, let profile):
                if let user = users[user.value] { note(profile, of: user) }
            case .exception(let user, let other, let exception):
                if let user = users[user.value], let other = users[other.value] {
                    exceptions[Pair(user, other)] = exception
                }
            case .contact(let pair, let contact):
                guard let low = users[pair.low.value], let high = users[pair.high.value] else { continue }
                let key = Pair(min(low, high), max(low, high))
                contacts[key] = contact.map { $0.inviter.flatMap { users[$0.value] } }
                hiddenContacts.withheld.remove(key)
                hiddenContacts.linked.remove(key)
                if contact?.isWithheld == true { hiddenContacts.withheld.insert(key) }
                if contact?.isByLink == true { hiddenContacts.linked.insert(key) }
            case .prospect(let user, _, let prospect):
                if let user = users[user.value], let prospect {
                    written.prospects[user, default: []].insert(prospect.name)
                }
            case .report(let report): written.reports.insert(report.text)
            case .forgetReport, .invite: continue
            case .dropRequest(let conversation):
                noteDropped(conversation)
            case .lease, .expire, .answered, .steps, .end, .revoke, .endSignIn, .forgetSignIns, .feedCursor: continue
            case .alive(let time):
                aliveAt = time.milliseconds
            case .append(let append):
                guard next < outcomes.count else { return blame("an append without outcome") }
                apply(append, outcomes[next])
                next += 1
            }
        }
    }

    /// Each version is stored once, with one content. Of several changes in one batch the last is stored.
    private func note(_ profile: StoredProfile, of user: Int) {
        let last = profiles[user]?.keys.max() ?? 0
        if profile.version <= last { blame("version \(profile.version) of u\(user)'s profile follows \(last)") }
        profiles[user, default: [:]][profile.version] = profile.name
        if profile.isDeleted { deleted.insert(user) }
    }

    /// A user who has connected, or is or was in an existing conversation, must not be forgotten.
    private func forget(_ number: UserNumber) {
        guard let user = users.removeValue(forKey: number.value) else { return }
        for pair in exceptions.keys where pair.other == user { exceptions[pair] = nil }
        if devices.values.contains(where: { $0.user == user }) { blame("u\(user) is forgotten and has a device") }
        for conversation in conversations where conversation.members[user] != nil {
            blame("u\(user) is forgotten and is in \(conversation.id)")
        }
    }

    private func apply(_ append: Append, _ outcome: Outcome) {
        guard let sender = users[append.sender.value] else {
            return blame("an event by a user that isn't stored")
        }
        if append.kind == .state {
            if let mistake = settings.apply(append, outcome, by: sender) { blame(mistake) }
            if case .stored(let position, _, _) = outcome { reach(position.value) }
            return
        }
        let key = KeyOf(sender: sender, key: append.key)
        if append.purpose == .opening {
            guard case .stored(let position, let sequence, _) = outcome else { return }
            if !append.key.isEmpty, keys[key] != nil { blame("the repeated key \(append.key) opened a conversation") }
            var unkeyed = append
            unkeyed.key = ""
            return store(unkeyed, key, sender, position.value, sequence.value)
        }
        let first = append.key.isEmpty ? nil : keys[key]
        switch outcome {
        case .duplicate(let position, let sequence, _, _, _):
            guard let first else { return blame("key \(append.key) is new and was called a duplicate") }
            let event = events[first]
            if first != position.value || event?.sequence != sequence.value || event?.kind != append.kind {
                blame("key \(append.key) was stored at \(first) and is now said to be at \(position.value)")
            }
        case .stored(let position, let sequence, let supplement):
            if let first {
                blame("key \(append.key) of \(sender) is stored twice: \(first), \(position.value)")
            }
            var event = forwarded(append, supplement, by: sender)
            let found = conversationsByNumber[append.conversation.value]
            if let mistake = found.flatMap({
                conversations[$0].withhold(&event, outcome, by: sender, from: users[append.peer.value])
            }) {
                blame(mistake)
            }
            store(event, key, sender, position.value, sequence.value)
        case .unchanged, .refused, .leased, .expired: break
        }
    }

    /// A forwarded message has the content of a message that its sender may read, and names the author.
    private func forwarded(_ append: Append, _ supplement: Supplement, by sender: Int) -> Append {
        guard let source = append.source else { return append }
        guard case .content(let content) = supplement else {
            blame("the log doesn't say what \(append.key) forwards")
            return append
        }
        let number = source.sequence.value
        guard let index = conversationsByNumber[source.conversation.value],
            let member = conversations[index].members[sender], number > member.since,
            number <= Int64(conversations[index].messages.count)
        else {
            blame("user \(sender) forwards message \(number), which isn't there or is hidden")
            return append
        }
        let message = conversations[index].messages[Int(number) - 1]
        let author = message.origin ?? message.sender
        if message.isDeleted || message.bodies.last != content.body {
            blame("\(append.key) forwards what message \(number) of \(conversations[index].id) doesn't say")
        }
        if content.origin != "u\(author)" {
            blame("\(append.key) forwards what u\(author) wrote, and not \(content.origin)")
        }
        return append.forwarding(content)
    }

    /// No user names an event that is hidden from it.
    private func checkReference(_ append: Append, _ sender: Int, in conversation: ConversationTruth) {
        guard append.reference != .none, let member = conversation.members[sender] else { return }
        if append.reference.value <= member.since, !append.isErasing {
            blame("user \(sender) named message \(append.reference.value) of \(conversation.id), which is hidden")
        }
    }

    private func store(_ append: Append, _ key: KeyOf, _ sender: Int, _ position: Int64, _ sequence: Int64) {
        var found = conversationsByNumber[append.conversation.value].map { conversations[$0] }
        if case .create(let id, let kind, _, _) = append.change {
            found = add(append.conversation.value, id, kind)
            found?.request = request(append, by: sender)
        }
        guard let conversation = found, !conversation.isErased else {
            return blame("an event in a conversation that isn't there")
        }
        let event = Event(
            kind: append.kind, conversation: conversation.index, sequence: sequence, sender: sender,
            key: append.key, body: append.body, label: append.label, isRemoval: append.flag,
            change: append.change, time: append.time, isErasing: append.isErasing,
            withheldFrom: users[append.withheldFrom.value])
        record(event, at: position)
        if append.change?.isErasure != true { veil(event, at: position, in: conversation) }
        if !append.key.isEmpty { keys[key] = position }
        judge(append, sender, in: conversation)
        checkWaiting(append, sender, in: conversation)
        checkReference(append, sender, in: conversation)
        ModerationCheck(ledger: self).check(append, sender, in: conversation)
        conversation.lastPosition = position
        if append.kind == .message {
            if sequence != Int64(conversation.messages.count) + 1 {
                blame("sequence \(sequence) follows \(conversation.messages.count) in \(conversation.id)")
            }
            if let mistake = conversation.mistake(inThreadOf: append, by: sender) { blame(mistake) }
            var message = Message(
                position: position, sender: sender, key: append.key,
                origin: append.extras?.origin.flatMap { Int($0.dropFirst()) }, bodies: [append.body])
            message.thread = append.extras.thread.value
            message.isReading = !append.flag
            if conversation.expiry > 0 { message.expires = append.time.milliseconds + conversation.expiry }
            conversation.messages.append(message)
        }
        if sequence >= 1, sequence <= Int64(conversation.messages.count) {
            change(&conversation.messages[Int(sequence) - 1], append, sender, position)
            if append.kind == .delete {
                conversation.takePin(sequence)
                conversation.gone.insert(SequenceNumber(sequence))
            }
        }
        noteWithheld(event, at: position, in: conversation)
        pin(append.change, by: sender, withheldFrom: event.withheldFrom, in: conversation)
        if append.kind == .message, !append.flag {
            // The author of a message has read everything before it, unless the command says otherwise.
            let pair = Pair(conversation.index, sender)
            marks[pair] = Mark(delivered: max(sequence, marks[pair]?.delivered ?? 0), read: sequence)
        }
        if conversation.kind == .direct, append.change != nil { conversation.changedAt = append.time.milliseconds }
        admit(append.change, to: conversation, at: position)
        conversation.show(append.change, at: position)
        checkDetails(append, of: conversation)
        feed(event, position, in: conversation)
        dismiss(append, from: conversation)
        noteAnswer(append, sender, in: conversation)
        let owners = conversation.members.values.reduce(0) { $0 + ($1.role == .owner ? 1 : 0) }
        if conversation.kind == .group, !conversation.isErased, owners != 1 {
            blame("\(conversation.id) has \(owners) owners at \(position)")
        }
    }

    private func change(_ message: inout Message, _ append: Append, _ sender: Int, _ position: Int64) {
        let reaction = Reaction(user: sender, text: append.label)
        for user in append.mentioned { message.mentioned.insert(user == .none ? -1 : users[user.value] ?? -2) }
        switch append.kind {
        case .edit:
            if message.sender != sender { blame("user \(sender) edited what others wrote") }
            if message.isDeleted { blame("a deleted message was edited") }
            if message.origin != nil { blame("a forwarded message was edited") }
            if let version = append.ifVersion, version != message.bodies.count {
                blame("an edit of version \(version) was stored, which isn't the newest")
            }
            message.bodies.append(append.body)
            message.editedAt = position
        case .delete:
            message.isDeleted = true
            message.deletedAt = position
            message.reactions.removeAll()
        case .react where append.flag:
            message.reactions.removeAll { $0 == reaction }
            message.withheldReactions.removeAll { $0 == reaction }
        case .react:
            message.reactions.append(reaction)
            if append.withheldFrom != .none { message.withheldReactions.append(reaction) }
        case .message, .conversation, .state: break
        }
    }

    /// Only what is there is pinned, and only what is pinned can be taken away.
    private func pin(
        _ change: ConversationChange?, by sender: Int, withheldFrom user: Int?, in conversation: ConversationTruth
    ) {
        switch change {
        case .pin(let sequence):
            let number = sequence.value
            let isThere = (1...Int64(max(1, conversation.messages.count))).contains(number)
            if !isThere || conversation.messages.isEmpty || conversation.messages[Int(number) - 1].isDeleted {
                blame("message \(number) of \(conversation.id) is pinned, which isn't there")
            }
            if let member = conversation.members[sender], number <= member.since {
                blame("user \(sender) pinned message \(number) of \(conversation.id), which is hidden")
            }
            if conversation.pins(of: sender).contains(number) {
                blame("message \(number) of \(conversation.id) is pinned twice")
            }
            conversation.pin(number, by: sender, withheldFrom: user)
        case .unpin(let sequence):
            if !conversation.pins(of: sender).contains(sequence.value) {
                blame("message \(sequence.value) of \(conversation.id) is unpinned, which isn't pinned")
            }
            conversation.unpin(sequence.value, by: sender, withheldFrom: user)
        default: return
        }
    }

    /// The sender had the right to do it, in the order of the log.
    private func judge(_ append: Append, _ sender: Int, in conversation: ConversationTruth) {
        let role = conversation.members[sender]?.role
        switch append.change {
        case .create: return
        case .add where conversation.kind == .direct: return
        case .add(let members) where role == nil && members.count == 1 && users[members[0].user.value] == sender:
            if conversation.moderation.asks {
                blame("user \(sender) joins \(conversation.id), whose admins weren't asked")
            }
            guard !written.invites.takesUse(in: conversation) else { break }
            blame("user \(sender) joins \(conversation.id) without an invitation")
        case .add(let members) where members.count == 1 && InviteLedger.isByLink(append):
            // An admin has accepted a waiting user. It is a use of the link.
            let isWaiting = written.invites.isWaiting(members[0].user.value, for: conversation.number)
            if (role ?? .member) < .admin || !isWaiting || !written.invites.takesUse(in: conversation) {
                blame("user \(sender) accepts a user in \(conversation.id) who didn't wait")
            }
        case .rename, .describe, .add, .remove, .slow, .joining:
            if (role ?? .member) < .admin { blame("user \(sender) changed a group without being admin") }
        case .restrict(let user, let restriction):
            let check = ModerationCheck(ledger: self)
            check.judge(restriction, of: users[user.value], by: sender, in: conversation)
        case .roles:
            if role != .owner { blame("user \(sender) changed roles without being owner") }
        case .expiry where conversation.kind == .group, .pin where conversation.kind == .group,
            .unpin where conversation.kind == .group:
            if (role ?? .member) < .admin { blame("user \(sender) changed a group without being admin") }
        case .leave, .erase, .expiry, .pin, .unpin, .accept, nil:
            if role == nil, !append.isErasing {
                blame("user \(sender) acts in \(conversation.id) without being a member")
            }
        }
        for mentioned in append.mentioned {
            let index = users[mentioned.value] ?? -1
            let isAllowed = mentioned == .none ? (role ?? .member) >= .admin : conversation.members[index] != nil
            if !isAllowed { blame("user \(sender) mentions whom it may not in \(conversation.id)") }
        }
        if case .erase = append.change, conversation.members.count > 1 {
            blame("\(conversation.id) is erased, and \(conversation.members.count) users are in it")
        }
    }

    /// An event's details for new members of a group are true at its place in the log, and contain nothing that may
    /// change.
    private func checkDetails(_ append: Append, of conversation: ConversationTruth) {
        if AppearanceTruth.isIn(append) { blame("the log keeps what \(conversation.id) is called") }
        guard case .add = append.change, conversation.kind == .group else { return }
        let object = Array("{".utf8) + append.body + Array("}".utf8)
        let told = object.withUnsafeBytes { JSONValue(parsing: $0) }
        if told?["count"]?.integer != Int64(conversation.members.count) {
            blame("new members of \(conversation.id) aren't told that it has \(conversation.members.count)")
        }
    }

    private func admit(_ change: ConversationChange?, to conversation: ConversationTruth, at position: Int64) {
        let new: [NewMember]
        switch change {
        case .create(_, _, _, let members), .add(let members): new = members
        default: return
        }
        for member in new {
            guard let user = users[member.user.value] else { continue }
            if conversation.members[user] != nil {
                // Two openings under way at once may name the same user.
                if conversation.kind == .direct { continue }
                blame("user \(user) joined \(conversation.id) twice")
            }
            let last = Int64(conversation.messages.count)
            conversation.members[user] = Membership(
                role: member.role, joinedAt: position, since: member.since(after: SequenceNumber(last)).value,
                joinedAfter: last)
            conversation.order.append(user)
            conversation.generations[user, default: 0] += 1
            marks[Pair(conversation.index, user)] = Mark()
        }
    }

    private func feed(_ event: Event, _ position: Int64, in conversation: ConversationTruth) {
        for user in conversation.order {
            guard let member = conversation.members[user], isEntitled(user, member, to: event, in: conversation) else {
                continue
            }
            feeds[user].append(
                Entry(
                    position: position, conversation: conversation.index, sequence: event.sequence,
                    kind: event.kind, generation: conversation.generations[user] ?? 0))
        }
    }

    /// A user gets placeholders of withheld messages, unless the conversation isn't there for it; and gets no pin of a
    /// message that it may not see.
    private func isEntitled(
        _ user: Int, _ member: Membership, to event: Event, in conversation: ConversationTruth
    ) -> Bool {
        if user == event.withheldFrom {
            guard event.kind != .conversation, !conversation.isVeiled(from: user) else { return false }
        }
        switch event.change {
        case .pin(let sequence), .unpin(let sequence): return sequence.value > member.since
        default: return event.kind == .conversation || event.sequence > member.since
        }
    }

    private func dismiss(_ append: Append, from conversation: ConversationTruth) {
        let change = append.change
        switch change {
        case .remove(let users): for user in users { dismiss(user, from: conversation) }
        case .restrict(let user, let restriction):
            let index = users[user.value]
            conversation.moderation.apply(restriction, of: index, at: append.time)
            guard let index, change?.banned != nil, conversation.members[index] != nil else { return }
            dismiss(user, from: conversation)
        case .leave(let user, let heir):
            dismiss(user, from: conversation)
            if let heir = heir.flatMap({ users[$0.value] }) { conversation.members[heir]?.role = .owner }
        case .erase:
            conversation.members.removeAll()
            conversation.order.removeAll()
            conversation.isErased = true
        case .roles(let members):
            for member in members {
                guard let user = users[member.user.value] else { continue }
                conversation.members[user]?.role = member.role
            }
        case .expiry(let time): conversation.expiry = time
        case .slow(let time): conversation.moderation.apply(slow: time)
        case .joining(let rule): conversation.moderation.asks = rule == .ask
        case .create, .rename, .describe, .add, .pin, .unpin, .accept, nil: break
        }
    }

    private func dismiss(_ number: UserNumber, from conversation: ConversationTruth) {
        guard let user = users[number.value] else { return }
        if conversation.members.removeValue(forKey: user) == nil {
            blame("user \(user) went from \(conversation.id) without being a member")
        }
        conversation.order.removeAll { $0 == user }
    }
}

extension ConversationChange {
    fileprivate var isErasure: Bool {
        if case .erase = self { true } else { false }
    }
}
