import RoostWire

/// The relay's data on this device, changed by events as Docs/Protocol.md, section 6, requires: applying an event again
/// changes nothing. It belongs to the thread of its database, and to a transaction of its caller's.
struct Cache {
    let conversations: ConversationTable
    let messages: MessageTable
    let pins: LocalPins
    let lines: LocalLines
    /// The user of this device.
    let user: String

    // MARK: Events

    /// Takes an event of the relay.
    /// - Returns: the conversation that it changed; nil for events that the cache doesn't keep.
    func take(_ event: Event) throws(LocalFailure) -> String? {
        switch event {
        case .message(let message): try take(message)
        case .edit(let edit): try take(edit)
        case .delete(let deletion):
            try delete(deletion.target.conversation, deletion.target.sequence, at: deletion.target.time)
            return deletion.target.conversation
        case .react(let reaction): try take(reaction)
        case .conversation(let change): try take(change)
        case .gap(let gap): try take(gap)
        case .receipt(let receipt): try take(receipt)
        default: return nil
        }
        return switch event {
        case .message(let message): message.conversation
        case .edit(let edit): edit.target.conversation
        case .react(let reaction): reaction.target.conversation
        case .conversation(let change): change.conversation
        case .gap(let gap): gap.conversation
        case .receipt(let receipt): receipt.conversation
        default: nil
        }
    }

    private func take(_ message: Message) throws(LocalFailure) {
        guard try insert(LocalMessage(message)) else { return }
        // A hidden message names no author.
        try noteMessage(
            LocalMessage(message), with: message.isHidden ? [] : [message.from], isReading: message.isReading)
    }

    // Keeps a message unless it is here already. One that is must be the same.
    private func insert(_ message: LocalMessage) throws(LocalFailure) -> Bool {
        if try messages.insert(message) { return true }
        if let kept = try messages.message(message.conversation, message.sequence) {
            messages.olderFiles.compare(kept, message)
        }
        return false
    }

    /// A message was deleted or has disappeared: it is neither pinned nor unread any more, and its thread has one less.
    func delete(_ conversation: String, _ sequence: SequenceNumber, at time: Timestamp) throws(LocalFailure) {
        let message = try messages.message(conversation, sequence)
        if let message { try messages.uncountReply(message) }
        try messages.delete(conversation, sequence, at: time)
        try pins.unpin(sequence, in: conversation)
        try countDeleted(message, sequence, in: conversation)
    }

    private func countDeleted(
        _ message: LocalMessage?, _ sequence: SequenceNumber, in conversation: String
    ) throws(LocalFailure) {
        guard message?.deletedAt == nil, message?.from != user, var one = try conversations.conversation(conversation),
            sequence > one.read
        else { return }
        if let message {
            one.unread = max(0, one.unread - 1)
            if message.mentions(user) { try countMentions(in: &one) }
        } else {
            // It may be the user's own, or not have counted: only the relay knows.
            one.isStale = true
        }
        try conversations.put(one, for: user)
    }

    private func take(_ edit: MessageEdit) throws(LocalFailure) {
        let (id, sequence) = (edit.target.conversation, edit.target.sequence)
        let before = try messages.message(id, sequence)
        try messages.edit(
            id, sequence, edit.body.json, mentions: edit.mentions, version: edit.version, at: edit.target.time)
        // An edit that newly mentions the user adds an unread mention; an earlier mention stays (section 5).
        guard let before, !before.mentions(user), let after = try messages.message(id, sequence),
            after.mentions(user), var one = try conversations.conversation(id), sequence > one.read
        else { return }
        one.mention(sequence)
        try conversations.put(one, for: user)
    }

    // The conversation has a new message, which is kept already. Its author has read what came before it or not.
    private func noteMessage(
        _ message: LocalMessage, with members: [String], isReading: Bool
    ) throws(LocalFailure) {
        let (id, sequence, from, time) = (message.conversation, message.sequence, message.from, message.time)
        var one = try known(id, with: members)
        if !from.isEmpty { one.noteDeed(by: from, of: user) }
        if sequence > one.sequence {
            one.sequence = sequence
            let isCounted = !one.leavesOut(message)
            if isCounted { one.time = max(one.time, time) }
            if from == user {
                // The author has read what was said before, unless the message says otherwise (section 7).
                if isReading {
                    one.read = sequence
                    one.unread = 0
                    (one.mentions, one.firstMention) = (0, nil)
                }
            } else if sequence > one.read, message.deletedAt == nil, isCounted {
                one.unread += 1
                if message.mentions(user) { one.mention(sequence) }
            }
        }
        try conversations.put(one, for: user)
        try messages.countReply(message, isEvent: true)
        // With a block, neither side gets the other's receipts.
        if from != user, !from.isEmpty, isReading {
            try conversations.raise(
                LocalWatermark(user: from, delivered: sequence, deliveredAt: time, read: sequence, readAt: time), in: id
            )
        }
        try messages.trim(id, newest: one.sequence)
    }

    // The conversation, or a stand-in until the relay has sent it.
    private func known(_ id: String, with members: [String]) throws(LocalFailure) -> LocalConversation {
        if let one = try conversations.conversation(id) { return one }
        let others = members.filter { $0 != user }
        var one = LocalConversation(
            id: id, kind: .direct, count: others.count + 1, members: [user] + others, sequence: .none, time: .never)
        one.isStale = true
        return one
    }

    // A reaction or an edit of the receiver accepts a request, too.
    private func noteDeed(by name: String, in id: String) throws(LocalFailure) {
        guard var one = try conversations.conversation(id), one.request != nil else { return }
        one.noteDeed(by: name, of: user)
        try conversations.put(one, for: user)
    }

    private func take(_ reaction: MessageReaction) throws(LocalFailure) {
        let (target, text) = (reaction.target, reaction.reaction)
        try noteDeed(by: target.from, in: target.conversation)
        if target.from == user {
            try messages.react(
                target.conversation, target.sequence, { $0.setMine(text, isOn: !reaction.isRemoved) }, isStale: false)
        } else {
            // A repetition can't be distinguished from a new reaction, so `history` is asked for the count.
            try messages.react(
                target.conversation, target.sequence, { $0.change(text, by: reaction.isRemoved ? -1 : 1) },
                isStale: true)
        }
    }

    private func take(_ gap: MessageGap) throws(LocalFailure) {
        try messages.forget(gap.conversation, from: gap.isReset ? .none : gap.from, to: gap.to)
        try messages.doubtReplies(in: gap.conversation, before: gap.from)
        var one = try known(gap.conversation, with: [])
        one.sequence = max(one.sequence, gap.to)
        if gap.isReset { one.first = gap.from }
        // How many of them are unread, only the relay knows.
        one.isStale = true
        try conversations.put(one, for: user)
    }

    private func take(_ receipt: Receipt) throws(LocalFailure) {
        guard receipt.user == user else {
            return try conversations.raise(LocalWatermark(receipt), in: receipt.conversation)
        }
        guard var one = try conversations.conversation(receipt.conversation), receipt.read >= one.read else { return }
        one.read = receipt.read
        if let unread = receipt.unread { one.unread = unread }
        if let mentions = receipt.mentions { (one.mentions, one.firstMention) = (mentions, receipt.firstMention) }
        try conversations.put(one, for: user)
    }

    private func take(_ event: ConversationEvent) throws(LocalFailure) {
        let id = event.conversation
        switch event.change {
        case .created(let outline): return try begin(event, outline)
        case .added(let users, let outline?) where users.contains(user): return try begin(event, outline)
        case .removed(let users) where users.contains(user): return try conversations.forget(id)
        case .left where event.by == user: return try conversations.forget(id)
        default: break
        }
        var one = try known(id, with: [])
        switch event.change {
        case .created: break
        case .renamed(let name): one.name = name
        // The app asks for these when it shows them.
        case .described: break
        // How far they got before stays true, so that the state of a message never falls.
        case .added(let users, _): one.add(users)
        case .removed(let users): one.remove(users)
        case .left(let owner):
            one.remove([event.by])
            if owner == user { one.role = .owner }
        case .accepted: one.request = nil
        case .pinned(let sequence):
            // Messages from before this user came (back) aren't shown.
            if sequence >= one.first { try pins.pin(sequence, in: id, by: event.by, at: event.time) }
        case .unpinned(let sequence): try pins.unpin(sequence, in: id)
        case .expiry(let milliseconds): one.expiry = LocalConversation.sound(milliseconds)
        case .posting(let rule): one.posting = rule
        case .joining(let rule): one.joining = rule
        case .slow(let milliseconds): one.slow = LocalConversation.sound(milliseconds)
        case .timeout(let named, let timeout): if named == user { one.timeout = timeout }
        // They aren't in it.
        case .banned, .unbanned: break
        case .role(let named, let role):
            if named == user { one.role = role }
            // The owner who names another one becomes an admin (section 4).
            if role == .owner, event.by == user, named != user { one.role = .admin }
            // The relay sends the number to new admins, and no end of it to those who are none any more.
            if one.role == .member { one.waiting = 0 }
        }
        one.noteDeed(by: event.by, of: user)
        one.time = max(one.time, event.time)
        try conversations.put(one, for: user)
        try lines.take(event)
    }

    // The user's membership begins, perhaps not for the first time: what is kept from before is out of date.
    private func begin(_ event: ConversationEvent, _ outline: ConversationOutline) throws(LocalFailure) {
        let before = try conversations.conversation(event.conversation)
        // A repetition of the event that began it, after messages that came with it.
        if let before, before.time >= event.time, before.first.value == event.sequence.value + 1 { return }
        try conversations.forget(event.conversation)
        var one = LocalConversation(
            id: event.conversation, kind: outline.kind, name: outline.name, count: outline.count,
            members: outline.members, first: SequenceNumber(event.sequence.value + 1), sequence: event.sequence,
            time: event.time)
        one.role = outline.kind == .group && event.by == user && event.isCreation ? .owner : .member
        one.unread = Int(clamping: event.unread ?? 0)
        one.read = event.read ?? .none
        if outline.isRequest { one.request = event.by == user ? .sent : .received }
        one.inviter = outline.inviter
        // The event doesn't contain the posting rule of an existing group.
        one.isStale = outline.kind == .group && !event.isCreation
        try conversations.put(one, for: user)
        // A chat of two just is there.
        if outline.kind == .group { try lines.take(event) }
    }

    // MARK: Answers

    /// A conversation as the relay shows it now.
    func take(_ summary: ConversationSummary) throws(LocalFailure) {
        let before = try conversations.conversation(summary.id)
        var one = LocalConversation(
            id: summary.id, kind: summary.kind, name: summary.name, role: summary.role, count: summary.count,
            members: summary.members, first: before?.first ?? SequenceNumber(1),
            sequence: max(summary.sequence, before?.sequence ?? .none), time: max(summary.time, before?.time ?? .never))
        one.read = max(summary.read, before?.read ?? .none)
        // This device's read mark is on its way to the relay.
        let isRead = one.read > summary.read && one.read >= summary.sequence
        one.unread = isRead ? 0 : summary.unread
        (one.mentions, one.firstMention) = isRead ? (0, nil) : (summary.mentions, summary.firstMention)
        one.expiry = LocalConversation.sound(summary.expiry)
        one.slow = LocalConversation.sound(summary.slow)
        (one.joining, one.waiting) = (summary.joining, summary.waiting)
        (one.posting, one.timeout) = (summary.posting, summary.timeout)
        one.request = summary.request
        // Only the event contains it.
        one.inviter = before?.inviter
        try conversations.put(one, for: user)
        if let message = summary.message {
            var kept = LocalMessage(message)
            // Only `history` contains the reactions.
            kept.isStale = true
            if try insert(kept) { try messages.countReply(kept, isEvent: false) }
        }
        try pins.take(summary.pins, of: summary.id)
    }

    /// A page of history: messages as they are now, and what else has happened between them.
    /// - Parameters:
    ///   - before: the sequence that it was asked for; nil if there was another question.
    ///   - asked: how many doubts there were then.
    func take(_ page: HistoryPage, before: SequenceNumber?, asked: Int) throws(LocalFailure) {
        for message in page.messages {
            let kept = try messages.message(message.conversation, message.sequence)
            if let kept { messages.olderFiles.compare(kept, LocalMessage(message)) }
            // An answer may be taken before an event that came earlier, which then finds a deleted message.
            if kept != nil, let deletedAt = message.deletedAt {
                try delete(message.conversation, message.sequence, at: deletedAt)
            }
            // And after events that the relay stored when it had read the page.
            if var kept, kept.isNewer(than: message) {
                guard kept.deletedAt == nil else { continue }
                kept.isStale = true
                messages.doubts.note(kept.conversation, kept.sequence)
                try messages.replace(kept)
                continue
            }
            var now = LocalMessage(message)
            if let kept, messages.doubts.has(kept.conversation, kept.sequence, since: asked), now.deletedAt == nil {
                // A reaction has come since: the present state is nearer to the truth, until the next answer.
                now.isStale = true
                now.reactions = kept.reactions
            }
            try messages.countLaterReplies(of: &now)
            try messages.replace(now)
            if kept == nil { try messages.countReply(LocalMessage(message), isEvent: false) }
        }
        for gap in page.gaps {
            // They count toward the page (section 5), so that there are no more of them than of messages.
            let last = min(gap.to.value, gap.from.value &+ Int64(Limits().historyMax))
            for sequence in gap.from.value...max(gap.from.value, last) {
                try messages.replace(LocalMessage(lost: SequenceNumber(sequence), in: page.conversation))
            }
        }
        for event in page.events { try lines.take(event) }
        guard before != nil, !page.hasMore, var one = try conversations.conversation(page.conversation) else { return }
        // There is nothing before it that this user may see.
        one.first = page.first ?? min(before ?? one.first, SequenceNumber(one.sequence.value + 1))
        try conversations.put(one, for: user)
    }

    /// Stores a message of this device that the relay has stored.
    /// - Parameter peer: the user it was written to as `@user`; nil if to a conversation.
    func take(own message: LocalMessage, to peer: String?) throws(LocalFailure) {
        guard try insert(message) else { return }
        try noteMessage(message, with: peer.map { [$0] } ?? [], isReading: true)
    }

    /// The user has seen a conversation up to a message.
    func read(_ conversation: String, upTo sequence: SequenceNumber) throws(LocalFailure) {
        guard var one = try conversations.conversation(conversation), one.isUnread(sequence) else { return }
        one.read = max(one.read, sequence)
        one.unread = try sequence >= one.sequence ? 0 : min(one.unread, unread(in: one))
        if let first = one.firstMention, first <= sequence { try countMentions(in: &one) }
        try conversations.put(one, for: user)
    }

    private func countMentions(in one: inout LocalConversation) throws(LocalFailure) {
        let left = try messages.mentioning(in: one.id, after: one.read).filter { $0.mentions(user) }
        (one.mentions, one.firstMention) = (left.count, left.first?.sequence)
    }

    // MARK: Time

    /// Takes the content of messages whose time has come, on disk too: at most so many.
    /// - Returns: their conversations, and how many messages there were.
    func expire(by now: Timestamp, limit: Int) throws(LocalFailure) -> (conversations: Set<String>, count: Int) {
        let due = try messages.due(by: now, limit: limit)
        for message in due {
            try delete(message.conversation, message.sequence, at: message.expires ?? now)
        }
        return (Set(due.map(\.conversation)), due.count)
    }

    // Messages of others after the watermark, as far as they are here; those of a gap count, too.
    private func unread(in one: LocalConversation) throws(LocalFailure) -> Int {
        let leftOut = one.kind == .direct ? try messages.hidden(in: one.id, after: one.read) : 0
        return max(0, Int(clamping: one.sequence.value - one.read.value) - leftOut)
    }
}

extension ConversationEvent {
    fileprivate var isCreation: Bool {
        if case .created = change { true } else { false }
    }
}

extension LocalConversation {
    // Events name up to 500 users; the names of the first 50 members are kept (Docs/Protocol.md, section 4).
    fileprivate mutating func add(_ users: [String]) {
        let new = users.filter { !members.contains($0) }
        count += new.count
        members.append(contentsOf: new.prefix(max(0, 50 - members.count)))
    }

    // 100 years: what the relay says beyond is wrong, and would overflow.
    private static let expiryMax: Int64 = 3_155_760_000_000

    static func sound(_ milliseconds: Int64) -> Int64 { min(max(0, milliseconds), expiryMax) }

    // An unread message mentions the user.
    fileprivate mutating func mention(_ sequence: SequenceNumber) {
        mentions += 1
        firstMention = min(firstMention ?? sequence, sequence)
    }

    fileprivate mutating func remove(_ users: [String]) {
        members.removeAll { users.contains($0) }
        count = max(0, count - users.count)
    }
}

extension LocalWatermark {
    // Read messages are also delivered (Docs/Protocol.md, section 7).
    fileprivate init(_ receipt: Receipt) {
        self.init(
            user: receipt.user, delivered: max(receipt.delivered, receipt.read),
            deliveredAt: receipt.deliveredAt ?? receipt.readAt, read: receipt.read, readAt: receipt.readAt)
    }
}

extension LocalMessage {
    /// Whether an event was taken that an answer with the message doesn't know yet.
    fileprivate func isNewer(than message: Message) -> Bool {
        message.deletedAt == nil && (deletedAt != nil || version > message.version)
    }

    /// A message as the relay shows it.
    init(_ message: Message) {
        self.init(
            conversation: message.conversation, sequence: message.sequence, key: message.key, from: message.from,
            time: message.time, kind: message.kind, body: message.body, replyTo: message.replyTo,
            editedAt: message.editedAt, deletedAt: message.deletedAt, reactions: message.reactions, isStale: false)
        version = message.version
        mentions = message.mentions
        expires = message.expires
        isHidden = message.isHidden
        thread = message.thread
        replies = message.replies
        origin = message.origin?.from
    }

    /// A message that the relay can't show any more.
    init(lost sequence: SequenceNumber, in conversation: String) {
        self.init(
            conversation: conversation, sequence: sequence, from: "", time: .never, kind: "text", reactions: [],
            isStale: false)
    }
}
