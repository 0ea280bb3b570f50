import RoostCore
import RoostWire

/// The sequencer: decides the outcome of each event.
extension MemoryLog {
    func append(_ append: Append) -> Outcome {
        guard append.kind != .state else { return set(append) }
        var append = append
        let key = Key(sender: append.sender, text: append.key)
        if append.purpose == .opening {
            guard state.keys[key] == nil, opens(append) else { return .unchanged }
            if let source = append.source, content(of: source, for: append.sender, at: append.time).content == nil {
                return .unchanged
            }
            append.source = nil
            append.key = ""
        } else if !append.key.isEmpty, let first = present(state.keys[key]) {
            return append.outcome(repeating: first, isErased: state.conversations[first.conversation] == nil)
        }
        guard append.purpose != .probe else { return .refused(.notFound) }
        var supplement = Supplement.nothing
        if let source = append.source {
            let (content, refusal) = content(of: source, for: append.sender, at: append.time)
            guard let content else { return .refused(refusal) }
            append = append.forwarding(content)
            supplement = .content(content)
        }
        if case .create(let id, let kind, let name, let members) = append.change {
            guard state.conversations[append.conversation] == nil else { return .refused(.badRequest) }
            var entry = Snapshot.Conversation(append.conversation, id: id, kind: kind, name: name)
            entry.opener = append.sender
            if append.flag {
                entry.request = members.first { $0.user != append.sender }.map { StoredRequest(to: $0.user) }
            }
            entry.createdAt = append.time
            state.conversations[append.conversation] = Record(entry: entry)
        }
        let outcome = judge(append, supplement, at: Position(state.head.value + 1))
        guard case .stored(let position, let sequence, let told) = outcome else { return outcome }
        if outcome.isWithheld, append.withheldFrom == .none { append.withheldFrom = append.peer }
        state.head = position
        veil(for: append, at: position)
        if case .erase = append.change {
            // The event has a position but no row.
            state.conversations[append.conversation] = nil
            state.receipts[append.conversation] = nil
        } else {
            var label = ""
            if case .edited(let kind, _) = told { label = kind }
            store(append, position, sequence, label: label)
        }
        if !append.key.isEmpty {
            state.keys[key] = StoredEvent(append, position: position, sequence: sequence)
        }
        if let change = append.change { apply(change, of: append, at: position, author: outcome.author) }
        if state.conversations[append.conversation]?.entry.request?.receiver == append.sender
            || append.change?.isAcceptance == true
        {
            state.conversations[append.conversation]?.entry.request = nil
        }
        if append.kind == .message { noteOwn(sequence, append) }
        for user in append.mentioned {
            state.conversations[append.conversation]?.noteMention(of: user, in: sequence)
        }
        return outcome
    }

    /// Whether an opening changes anything.
    private func opens(_ append: Append) -> Bool {
        let record = state.conversations[append.conversation]
        switch append.change {
        case .create: return record == nil
        case .add(let members):
            if let veil = record?.entry.veil, veil.user == append.sender,
                let member = record?.members.first(where: { $0.user == veil.user && $0.role != nil }),
                veil.hidesAll(since: member.joinedAt)
            {
                return true
            }
            return !members.allSatisfy { new in
                record?.members.contains { $0.user == new.user && $0.role != nil } == true
            }
        default: return false
        }
    }

    /// The event stored under a key, in its present form.
    private func present(_ first: StoredEvent?) -> StoredEvent? {
        guard let first, first.kind == .message else { return first }
        return state.conversations[first.conversation]?.message(first.sequence) ?? first
    }

    /// The content of a message that is forwarded now, or why it can't be.
    private func content(
        of source: ForwardedMessage, for reader: UserNumber, at time: Timestamp
    ) -> (content: MessageContent?, refusal: ErrorCode) {
        guard let message = state.conversations[source.conversation]?.message(source.sequence)?.shown(at: time),
            !source.withheld.contains(message.sender), !message.isWithheld(from: reader)
        else { return (nil, .notFound) }
        guard message.deletedAt == .never, let author = state.users[message.sender]?.name else { return (nil, .gone) }
        return (message.content(by: author), .gone)
    }

    private func judge(_ append: Append, _ supplement: Supplement, at position: Position) -> Outcome {
        guard let record = state.conversations[append.conversation] else { return .refused(.notFound) }
        let last = record.entry.lastSequence
        switch append.kind {
        case .message:
            guard append.reference == .none || record.message(append.reference, for: append) != nil else {
                return .refused(.notFound)
            }
            if append.extras.thread != .none {
                guard let root = record.message(append.extras.thread, for: append) else { return .refused(.notFound) }
                guard root.extras.thread == .none else { return .refused(.badRequest) }
            }
            return .stored(position, SequenceNumber(last.value + 1), supplement)
        case .conversation:
            if case .accept = append.change, record.entry.request == nil { return .unchanged }
            return record.judge(append.change, of: append, at: position) ?? .stored(position, last)
        case .edit:
            guard let message = record.message(append.reference, for: append) else { return .refused(.notFound) }
            guard message.deletedAt == .never else { return .refused(.gone) }
            guard message.sender == append.sender, message.extras?.origin == nil else { return .refused(.forbidden) }
            guard message.label != "text" || append.flag else { return .refused(.badRequest) }
            guard message.body != append.body || !message.extras.isUnchanged(by: append.extras) else {
                return .unchanged
            }
            guard append.mayEdit(message.extras.version) else { return .refused(.conflict) }
            let version = message.extras.edited(to: append.extras).version
            return .stored(position, append.reference, .edited(kind: message.label, version: version))
        case .delete:
            guard let message = record.message(append.reference, for: append) else { return .refused(.notFound) }
            guard message.sender == append.sender || append.flag else { return .refused(.forbidden) }
            guard message.deletedAt == .never else { return .unchanged }
            return .stored(position, append.reference, message.extras.isWithheld ? .withheld : .nothing)
        case .react:
            return judgeReaction(append, in: record, at: position)
        case .state: return .refused(.badRequest)
        }
    }

    private func judgeReaction(_ append: Append, in record: Record, at position: Position) -> Outcome {
        guard let message = record.message(append.reference, for: append) else { return .refused(.notFound) }
        guard message.deletedAt == .never else { return .refused(.gone) }
        let given = record.reactions[append.reference] ?? []
        let isGiven = given.contains { $0.isOf(append) }
        // The reaction exists already, or there is none to take back.
        guard isGiven == append.flag else { return .unchanged }
        let own = given.reduce(0) { $0 + ($1.user == append.sender ? 1 : 0) }
        guard append.flag || own < reactionsPerUser else { return .refused(.tooLarge) }
        // A user who can't see the message, or the removed reaction, doesn't get the event.
        let isWithheld = message.extras.isWithheld || append.flag && given.first { $0.isOf(append) }?.isWithheld == true
        return .stored(position, append.reference, isWithheld ? .withheld : .nothing)
    }

    private func store(_ append: Append, _ position: Position, _ sequence: SequenceNumber, label: String) {
        var row = StoredEvent(append, position: position, sequence: sequence)
        guard var record = state.conversations.removeValue(forKey: append.conversation) else { return }
        let target = record.place(of: append.reference)
        switch append.kind {
        case .message:
            row.extras = row.extras.expiring(at: append.time.expiry(after: record.entry.expiry))
            if let expires = row.extras?.expires, expires != .never {
                state.expiring.append(ExpiredMessage(append.conversation, sequence, expires))
            }
            if row.extras.thread != .none { record.threads[row.extras.thread, default: []].append(sequence) }
            record.messages.append(record.rows.count)
            record.entry.lastSequence = sequence
        case .edit:
            row.label = label
            row.body = []
            row.extras = nil
            if let target {
                record.rows[target].body = append.body
                record.rows[target].extras = record.rows[target].extras.edited(to: append.extras)
                record.rows[target].editedAt = append.time
            }
        case .delete:
            if let target {
                record.rows[target].body = []
                record.rows[target].extras = record.rows[target].extras.ofTombstone
                record.rows[target].deletedAt = append.time
                record.unpin(append.reference)
                record.entry.gone.insert(append.reference)
            }
        case .react:
            if append.flag {
                record.reactions[append.reference]?.removeAll { $0.isOf(append) }
            } else {
                record.reactions[append.reference, default: []].append(Reaction(append))
            }
        case .conversation, .state: break
        }
        record.rows.append(row)
        record.entry.lastPosition = position
        record.entry.lastTime = append.time
        state.conversations[append.conversation] = record
    }

    /// A withheld event begins a veil for its user, and another event ends the veil of a user who may see it.
    private func veil(for append: Append, at position: Position) {
        guard let entry = state.conversations[append.conversation]?.entry, entry.kind == .direct else { return }
        var veil = entry.veil
        if let former = veil, former.user != append.withheldFrom {
            veil = nil
            changeMember(former.user, of: append.conversation) { member in
                guard !former.hidesAll(since: member.joinedAt) else {
                    member.since = entry.lastSequence
                    member.joinedAfter = entry.lastSequence
                    member.joinedAt = position
                    return
                }
                if let messages = former.messages(upTo: entry.lastSequence) { member.watermark.pass(messages) }
            }
        }
        if append.withheldFrom != .none, veil == nil {
            veil = Veil(append.withheldFrom, after: entry.lastSequence, entry.lastPosition, entry.lastTime)
        }
        state.conversations[append.conversation]?.entry.veil = veil
    }

    /// The author of a message has read everything before it, unless the event says otherwise.
    private func noteOwn(_ message: SequenceNumber, _ append: Append) {
        changeMember(append.sender, of: append.conversation) { member in
            guard let sequence = append.flag ? member.watermark.own.insert(message) : message else { return }
            member.watermark.read = sequence
            member.watermark.readAt = append.time
            member.watermark.own.keep(above: sequence)
            member.watermark.marked.keep(above: sequence)
            if member.watermark.delivered < sequence {
                member.watermark.delivered = sequence
                member.watermark.deliveredAt = append.time
            }
        }
    }

    // MARK: The directory

    private func apply(
        _ change: ConversationChange, of append: Append, at position: Position, author: UserNumber
    ) {
        let conversation = append.conversation
        switch change {
        case .create(_, _, _, let members), .add(let members):
            for member in members { admit(member, to: conversation, at: position) }
        case .rename(let name):
            state.conversations[conversation]?.entry.name = name
        case .describe(let photo, let description):
            if let photo { state.conversations[conversation]?.entry.photo = photo }
            if let description { state.conversations[conversation]?.entry.description = description }
        case .remove(let users):
            for user in users { dismiss(user, from: conversation, at: position) }
        case .leave(let user, let heir):
            dismiss(user, from: conversation, at: position)
            if let heir { changeMember(heir, of: conversation) { $0.role = .owner } }
        case .roles(let members):
            for member in members { changeMember(member.user, of: conversation) { $0.role = member.role } }
        case .expiry(let time): state.conversations[conversation]?.entry.expiry = time
        case .slow(let time): state.conversations[conversation]?.entry.slow = time
        case .joining(let rule): state.conversations[conversation]?.entry.joining = rule
        case .pin(let sequence):
            let pin = StoredPin(
                sequence, of: author, by: append.sender, at: append.time, position, hiddenFrom: append.withheldFrom)
            state.conversations[conversation]?.changePins { $0.pin(pin) }
        case .unpin(let sequence):
            state.conversations[conversation]?.changePins {
                $0.unpin(sequence, by: append.sender, isWithheld: append.withheldFrom != .none)
            }
        case .restrict(let user, let restriction):
            if let entry = state.conversations[conversation]?.entry {
                var list = RestrictionList(entry.restrictions)
                list.set(restriction, of: user, at: append.time)
                state.conversations[conversation]?.entry.restrictions = list.all
            }
            if let banned = change.banned { dismiss(banned, from: conversation, at: position) }
        case .accept, .erase: break
        }
    }

    /// Erases the bodies of messages whose time has come, the oldest first.
    func expire(upTo time: Timestamp) -> Outcome {
        let due = state.expiring.filter { $0.expires <= time }.sorted { $0.expires < $1.expires }
            .prefix(Limits().expiredAtOnce)
        state.expiring.removeAll { due.contains($0) }
        var gone: [ExpiredMessage] = []
        for message in due {
            guard let place = state.conversations[message.conversation]?.place(of: message.sequence) else { continue }
            gone.append(message)
            state.conversations[message.conversation]?.expire(message, at: place)
        }
        return .expired(gone, next: state.expiring.map(\.expires).min() ?? .never)
    }

    // Present members stay as they are.
    private func admit(_ new: NewMember, to conversation: ConversationNumber, at position: Position) {
        guard let record = state.conversations[conversation] else { return }
        let members = record.members
        let before = members.firstIndex { $0.user == new.user }
        if let before, members[before].role != nil { return }
        state.receipts[conversation]?[new.user] = nil
        var member = Snapshot.Member(conversation, new.user, role: new.role)
        member.since = new.since(after: record.entry.lastSequence)
        member.joinedAt = position
        member.joinedAfter = record.entry.lastSequence
        if let before { state.conversations[conversation]?.members.remove(at: before) }
        state.conversations[conversation]?.members.append(member)
    }

    private func dismiss(_ user: UserNumber, from conversation: ConversationNumber, at position: Position) {
        changeMember(user, of: conversation) {
            $0.role = nil
            $0.leftAt = position
        }
        state.conversations[conversation]?.mentions[user] = nil
    }

    /// Changes a member's row. Does nothing if the user isn't a member now.
    func changeMember(
        _ user: UserNumber,
        of conversation: ConversationNumber,
        _ change: (inout Snapshot.Member) -> Void
    ) {
        guard var record = state.conversations.removeValue(forKey: conversation) else { return }
        if let index = record.members.firstIndex(where: { $0.user == user && $0.role != nil }) {
            change(&record.members[index])
        }
        state.conversations[conversation] = record
    }
}

extension MemoryLog.Record {
    mutating func expire(_ message: ExpiredMessage, at place: Int) {
        entry.gone.insert(message.sequence)
        unpin(message.sequence)
        guard rows[place].deletedAt == .never else { return }
        rows[place].deletedAt = message.expires
        rows[place].extras = rows[place].extras.ofTombstone
        rows[place].body = []
    }

    /// The outcome of a pin or unpin; nil for another change, or for a removed pin.
    func judge(_ change: ConversationChange?, of append: Append, at position: Position) -> Outcome? {
        switch change {
        case .pin(let sequence):
            guard let message = message(sequence, for: append)?.shown(at: append.time) else {
                return .refused(.notFound)
            }
            guard message.deletedAt == .never else { return .refused(.gone) }
            let hiddenFrom = PinList(entry.pins).hiddenFrom(sequence)
            guard hiddenFrom == nil || hiddenFrom == append.sender else { return .unchanged }
            let shown = entry.pins.filter { $0.hiddenFrom != append.sender }
            guard shown.count < Limits().pinsPerConversation else { return .refused(.tooLarge) }
            let isWithheld = hiddenFrom != nil || message.extras.isWithheld
            return .stored(position, entry.lastSequence, .pin(author: message.sender, isWithheld: isWithheld))
        case .expiry(let time): return entry.expiry == time ? .unchanged : nil
        case .slow(let time): return entry.slow == time ? .unchanged : nil
        case .joining(let rule): return entry.joining == rule ? .unchanged : nil
        case .restrict(let user, let restriction):
            return RestrictionList(entry.restrictions).isUnchanged(by: restriction, of: user) ? .unchanged : nil
        case .unpin(let sequence):
            guard let hiddenFrom = PinList(entry.pins).hiddenFrom(sequence), hiddenFrom != append.sender else {
                return .unchanged
            }
            return hiddenFrom == .none ? nil : .stored(position, entry.lastSequence, .withheld)
        default: return nil
        }
    }

    mutating func unpin(_ sequence: SequenceNumber) { changePins { $0.remove(sequence) } }

    mutating func changePins(_ change: (inout PinList) -> Void) {
        var list = PinList(entry.pins)
        change(&list)
        entry.pins = list.pins
    }

    /// Notes a mention. Beyond the bound, the oldest is dropped.
    mutating func noteMention(of user: UserNumber, in sequence: SequenceNumber) {
        guard let author = message(sequence)?.sender, author != user else { return }
        let others = (mentions[user] ?? []).filter { $0.sequence != sequence }
        let all = (others + [Mention(sequence, by: author)]).sorted { $0.sequence < $1.sequence }
        mentions[user] = all.suffix(Limits().mentionsKept)
    }

    /// The index of a message in `rows`.
    func place(of sequence: SequenceNumber) -> Int? {
        guard sequence.value >= 1, sequence.value <= Int64(messages.count) else { return nil }
        return messages[Int(sequence.value) - 1]
    }

    func message(_ sequence: SequenceNumber) -> StoredEvent? { place(of: sequence).map { rows[$0] } }

    /// The message that a command names: one of which its sender sees only the place isn't there.
    func message(_ sequence: SequenceNumber, for append: Append) -> StoredEvent? {
        guard let message = message(sequence), !append.hiddenAuthors.contains(message.sender),
            !message.isWithheld(from: append.sender)
        else { return nil }
        return message
    }
}

extension Snapshot.Conversation {
    func with(mentionsOfAll: [Mention]) -> Self {
        var conversation = self
        conversation.mentionsOfAll = mentionsOfAll
        return conversation
    }
}

extension Snapshot.Member {
    /// With those of the mentions that the member hasn't read.
    func with(mentions: [Mention]) -> Self {
        guard role != nil else { return self }
        var member = self
        let read = max(watermark.read, joinedAfter, since)
        member.mentions = mentions.filter { $0.sequence > read }
        return member
    }
}
