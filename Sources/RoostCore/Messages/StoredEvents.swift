import RoostFraming
import RoostWire

/// Applies durable events: first to the directory, then to everyone who should get them, then to the command that waits
/// for an answer. The relay's own events come back from the writer with an outcome. Events decided by an importer or
/// another node go the same way. No event is sent before it is here. Loop thread only.
final class StoredEvents {
    /// The limits of this part.
    struct Bounds {
        /// Bytes of events after which the host may write before more is gathered.
        var unwrittenBytes: Int
        /// Different reactions by one user, for the text of a refusal.
        var reactionsPerUser: Int
        /// Settings of one user, for the same.
        var statesPerUser: Int
        /// Pinned messages of a conversation, for the same.
        var pins: Int

        init(_ limits: Limits) {
            unwrittenBytes = limits.outboxSpillBytes / 4
            reactionsPerUser = limits.reactionsPerUser
            statesPerUser = limits.statesPerUser
            pins = limits.pinsPerConversation
        }
    }

    // Approximate bytes of an event's frame beside the body.
    private static let envelopeBytes = 256

    private let bounds: Bounds
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let catchUp: CatchUp
    private let receipts: Receipts
    private let conversations: ConversationCommands
    private let queries: QueryCommands
    private let erasures: ErasureCommands
    private let replies: Replies
    private let events: EventFrames
    private let counters: Counters
    private let times: DeliveryTimes
    private let mentions: Mentions
    private let badges: Badges
    private let forwarding: Forwarding
    let disappearing: Disappearing

    init(
        bounds: Bounds, directory: Directory, journal: Journal, delivery: Delivery, catchUp: CatchUp,
        receipts: Receipts, conversations: ConversationCommands, queries: QueryCommands, erasures: ErasureCommands,
        replies: Replies,
        events: EventFrames, counters: Counters, times: DeliveryTimes, mentions: Mentions,
        badges: Badges, forwarding: Forwarding, disappearing: Disappearing
    ) {
        self.bounds = bounds
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.catchUp = catchUp
        self.receipts = receipts
        self.conversations = conversations
        self.queries = queries
        self.erasures = erasures
        self.replies = replies
        self.events = events
        self.counters = counters
        self.times = times
        self.mentions = mentions
        self.badges = badges
        self.forwarding = forwarding
        self.disappearing = disappearing
    }

    // MARK: In

    /// Applies a batch that has become durable. A batch may be larger than one connection's outbox, so `write` is
    /// called in between for the host to write; a session that keeps up doesn't fall behind then.
    func settle(_ outcomes: [Outcome], at now: Moment, write: () -> Void) {
        // Outcomes of leases, and what has disappeared, follow after those of events.
        let events = outcomes.last?.isOfEvent == false ? outcomes.prefix { $0.isOfEvent } : outcomes[...]
        for case .leased(let kind, let numbers) in outcomes.dropFirst(events.count) {
            directory.add(numbers, of: kind)
        }
        journal.batchIsDurable(outcomes: events.count)
        var unwritten = 0
        for outcome in events {
            var next = journal.nextSettled()
            settle(&next, outcome, now)
            writeInTime(&unwritten, next.event, write)
        }
        for case .expired(let messages, let next) in outcomes.dropFirst(events.count) {
            disappearing.settle(messages, next: next, at: now)
            for message in messages {
                if let conversation = directory.conversation(message.conversation) {
                    badges.note(conversation, at: now)
                }
            }
        }
        delivery.settle()
    }

    /// Applies events that were made durable elsewhere, in order of position. Known events are skipped, so applying
    /// them twice does no harm.
    func learn(_ learned: [LearnedEvent], at now: Moment, write: () -> Void) {
        var unwritten = 0
        for next in learned where next.event.position > journal.head {
            for user in next.users { directory.learn(user.number, named: user.name) }
            directory.learn(next.change, of: next.event.conversation, by: next.event.sender)
            guard let conversation = directory.conversation(next.event.conversation) else {
                journal.reached(next.event.position)
                continue
            }
            apply(next.event, next.change, to: conversation, by: nil, answering: nil, now)
            writeInTime(&unwritten, next.event, write)
        }
        delivery.settle()
    }

    /// The store failed. Events on their way to it may or may not be there after a restart, so none of them is acked.
    func fail() {
        for next in journal.fail() { answer(next, refusal: Refusal(.unavailable, "the store has failed")) }
    }

    /// The disk is full. Nothing of these events is stored, and their commands may be tried again.
    func refuseWhatHasNoRoom() {
        let refused = journal.takeRefused()
        guard !refused.isEmpty else { return }
        for next in refused {
            let conversation = directory.conversation(next.event.conversation)
            if let conversation { settleMessage(next, in: conversation) }
            if let change = next.change { directory.settle(change, of: conversation) }
            forwarding.settle(next, in: conversation, isStored: false)
            undo(next.change, of: conversation)
            answer(next, refusal: journal.unavailable())
        }
        delivery.settle()
    }

    // Not after each event, because an outbox stays half full if its client doesn't read.
    private func writeInTime(_ unwritten: inout Int, _ event: borrowing StoredEvent, _ write: () -> Void) {
        unwritten += event.body.count + Self.envelopeBytes
        guard unwritten >= bounds.unwrittenBytes, delivery.wantsToWrite() else { return }
        unwritten = 0
        write()
    }

    // MARK: Outcomes

    private func settle(_ next: inout PendingAppend, _ outcome: Outcome, _ now: Moment) {
        let conversation = directory.conversation(next.event.conversation)
        if let conversation { settleMessage(next, in: conversation) }
        if let change = next.change { directory.settle(change, of: conversation) }
        if next.advance != nil, !outcome.isStored { forwarding.settle(next, in: conversation, isStored: false) }
        switch outcome {
        case .stored(let position, let sequence, let supplement):
            next.event.position = position
            next.event.sequence = sequence
            if supplement != .nothing { complete(&next, by: supplement, in: conversation) }
            times.noteStored(next.event, at: now)
            if next.event.kind == .message, let conversation { expire(&next.event, in: conversation, now) }
            guard let conversation else { return journal.reached(position) }
            apply(
                next.event, next.change, to: conversation, by: next.session, answering: next.expectedAnswer,
                author: next.author, now)
            if next.event.kind == .conversation { answerChange(next, of: conversation) }
            if next.reply == .erasure { answerErasure(next) }
        case .duplicate(let position, let sequence, let number, let time, let message):
            counters.duplicates += 1
            undo(next.change, of: conversation)
            answerDuplicate(next, position, sequence, number, time, message?.shown(at: now.wall))
        case .unchanged:
            undo(next.change, of: conversation)
            answerUnchanged(next, conversation)
        // Another command was faster.
        case .refused(let code) where next.reply == .erasure && !code.isTemporary: answerErasure(next)
        case .refused(let code):
            undo(next.change, of: conversation)
            answer(next, refusal: refusal(code, of: next))
        case .leased, .expired: preconditionFailure("what is leased comes behind what became of the events")
        }
    }

    private func complete(_ next: inout PendingAppend, by supplement: Supplement, in conversation: Conversation?) {
        switch supplement {
        case .nothing: return
        case .edited(let kind, let version):
            let extras = next.event.extras
            next.event.label = kind
            next.event.extras = Extras(
                mentions: extras?.mentions ?? [], version: version, isWithheld: extras.isWithheld)
        case .pin(let author, let isWithheld):
            next.author = author
            if isWithheld { next.event.extras = next.event.extras.withheld }
        case .withheld: next.event.extras = next.event.extras.withheld
        case .content(let content):
            next.event.label = content.kind
            next.event.body = content.body
            next.event.extras = Extras(
                thread: next.event.extras.thread, origin: content.origin, isWithheld: next.event.extras.isWithheld)
            forwarding.settle(next, in: conversation, isStored: true)
        }
    }

    /// The store decides in the same order, so it has the same time.
    private func expire(_ event: inout StoredEvent, in conversation: Conversation, _ now: Moment) {
        guard conversation.lifetime.expiry > 0 else { return }
        let expires = event.time.expiry(after: conversation.lifetime.expiry)
        event.extras = event.extras.expiring(at: expires)
        disappearing.note(expires, at: now)
    }

    /// The outcome of a message is known.
    private func settleMessage(_ next: borrowing PendingAppend, in conversation: Conversation) {
        guard next.event.kind == .message, next.refusal == nil else { return }
        conversation.moderation.pace.settle(next.event.sender)
        if conversation.isRequest { conversation.opening.request?.messagesUnderWay -= 1 }
    }

    /// The change was not stored.
    private func undo(_ change: ConversationChange?, of conversation: Conversation?) {
        if let change, let conversation { directory.undo(change, of: conversation) }
    }

    private func refusal(_ code: ErrorCode, of next: borrowing PendingAppend) -> Refusal {
        let isEdit = next.event.kind == .edit
        if case .pin = next.change { return Refusal(code, pinReason(of: code)) }
        if next.event.kind == .state { return Refusal(code, settingReason(of: code)) }
        if let refusal = next.refusal, code == (isEdit ? .badRequest : .notFound) { return refusal }
        if next.event.kind == .message, code == .badRequest {
            return Refusal(code, "thread: the message is itself in a thread; name the one with which that began")
        }
        if next.advance != nil { return Refusal(code, forwardReason(of: code)) }
        let isKeyed = next.event.kind == .message || next.event.kind == .conversation
        return Refusal(code, isKeyed ? keyReason(of: code) : reason(of: code))
    }

    private func reason(of code: ErrorCode) -> String {
        switch code {
        case .notFound: "no such message in this conversation"
        case .gone: "the message was deleted, or is damaged in the store"
        case .forbidden: "only the author may do this"
        case .conflict: "ifVersion: the message has another version by now"
        case .tooLarge: "a user may give a message at most \(bounds.reactionsPerUser) different reactions"
        default: "the command was not accepted"
        }
    }

    private func pinReason(of code: ErrorCode) -> String {
        switch code {
        case .notFound: "sequence: no such message in this conversation"
        case .gone: "sequence: the message was deleted, or is damaged in the store"
        case .tooLarge: "sequence: as many messages are pinned as may be, \(bounds.pins)"
        default: "the command was not accepted"
        }
    }

    private func forwardReason(of code: ErrorCode) -> String {
        switch code {
        case .notFound: "forward, replyTo or thread: no such message"
        case .gone: "forward: the message was deleted or is damaged; or key: the conversation was erased since"
        default: keyReason(of: code)
        }
    }

    private func settingReason(of code: ErrorCode) -> String {
        switch code {
        case .conflict: "ifVersion: the key has another version by now"
        case .tooLarge: "key: a user may have at most \(bounds.statesPerUser) keys"
        default: "the command was not accepted"
        }
    }

    private func keyReason(of code: ErrorCode) -> String {
        switch code {
        case .notFound: "replyTo, thread: no such message in this conversation"
        case .gone: "key: the command was carried out before, and its conversation was erased since or is damaged"
        case .conflict: "key: you have used this key before, for another command"
        default: "the command was not accepted"
        }
    }

    // MARK: Events

    /// Applies a durable event and sends it to everyone concerned.
    private func apply(
        _ event: StoredEvent, _ change: ConversationChange?, to conversation: Conversation, by origin: Session?,
        answering id: CommandID?, author: UserNumber = .none, _ now: Moment
    ) {
        journal.reached(event.position)
        if let pair = conversation.pair { veil(event, change, in: conversation, pair, now) }
        let last = event.kind == .message ? event.sequence : conversation.lastSequence
        conversation.reach(last, event.position, event.time)
        catchUp.forgetPages(changedBy: event, change)
        let sender = directory.user(event.sender)
        if conversation.isRequest {
            conversations.noteRequest(event, change, in: conversation, now)
            if !conversation.isRequest { badges.note(conversation, at: now) }
        }
        switch event.kind {
        case .message:
            counters.messages += 1
            if let member = conversation.member(event.sender) {
                noteOwn(event, by: member, now)
            }
            mentions.note(event, in: conversation)
            conversation.moderation.pace.note(event.sender, at: event.time)
            badges.note(conversation, at: now)
            // History shows how long the thread is.
            if event.extras.thread != .none { conversation.noteChange(at: event.position) }
            directory.noteAnswer(by: event.sender, in: conversation)
            delivery.gather(event, from: sender, in: conversation, except: origin, answering: id)
        case .edit, .delete, .react:
            if event.kind == .edit { mentions.note(event, in: conversation) }
            if event.kind == .delete { noteDeletion(of: event.reference, in: conversation, now) }
            directory.noteAnswer(by: event.sender, in: conversation)
            conversation.noteChange(at: event.position)
            delivery.gather(event, from: sender, in: conversation, except: origin, answering: id)
        case .state:
            if let sender { noteMute(event, of: sender, now) }
            delivery.gather(event, from: sender, in: conversation, except: origin, answering: id)
        case .conversation:
            noteLeaving(change, of: conversation, now)
            // Members added here must not see earlier events, and members removed here must see them: the directory
            // asks for `Settled` when it changes the members.
            conversations.apply(change, event, to: conversation, except: origin, author: author, now)
            // A user who left is no member any more, so leaving isn't an answer.
            directory.noteAnswer(by: event.sender, in: conversation)
        }
    }

    /// A deleted message is neither pinned nor unread any more.
    private func noteDeletion(of message: SequenceNumber, in conversation: Conversation, _ now: Moment) {
        conversation.highlights.pins.remove(message)
        conversation.lifetime.gone.insert(message)
        badges.note(conversation, at: now)
    }

    /// A withheld event begins a veil for its user, and another one ends the veil of a user who may see it. The store
    /// does the same.
    private func veil(
        _ event: borrowing StoredEvent, _ change: ConversationChange?, in conversation: Conversation,
        _ pair: UserPair, _ now: Moment
    ) {
        if case .erase = change { return }
        let other = event.withheldFrom(in: pair)
        let wasThere = !(conversation.veiling.veil.map { conversation.isVeiled(from: $0.user) } ?? false)
        if let over = conversation.lift(except: other, at: event.position, delivery.settle()),
            let member = conversation.member(over.user)
        {
            if let messages = over.messages(upTo: conversation.lastSequence) {
                receipts.pass(member, messages, at: now)
                badges.note(conversation, at: now)
            }
            if !wasThere {
                member.user.veil(pair.other(than: over.user), false)
                // An opening introduces the two when it is applied.
                if !(change?.isOpening ?? false) {
                    conversations.show(pair.other(than: over.user), to: member.user, in: conversation, now)
                }
            }
        }
        if other != .none { conversation.withhold(from: other) }
    }

    /// The author has read what came before, unless the command said otherwise.
    private func noteOwn(_ message: borrowing StoredEvent, by member: Member, _ now: Moment) {
        if message.flag {
            receipts.noteOwn(member, message.sequence, writtenAt: message.time, at: now)
        } else {
            receipts.advanceOwn(member, to: message.sequence, writtenAt: message.time, at: now)
        }
        member.mentions.forget(upTo: member.readFloor)
    }

    /// A setting may say that a conversation is muted, or that it no longer is.
    private func noteMute(_ event: StoredEvent, of user: User, _ now: Moment) {
        guard let id = Mute.conversation(of: event.label), let conversation = directory.conversations[id] else {
            return
        }
        badges.note(Mute(event.body), of: conversation, by: user, at: now)
    }

    /// Members are about to leave.
    private func noteLeaving(_ change: ConversationChange?, of conversation: Conversation, _ now: Moment) {
        func note(_ users: [UserNumber]) {
            for user in users { if let user = directory.user(user) { badges.noteLeaving(user, at: now) } }
        }
        switch change {
        case .remove(let users): note(users)
        case .leave(let user, _): note([user])
        case .erase: note(conversation.members.map(\.user.number))
        default: return
        }
    }

    // MARK: Answers

    private func answerChange(_ next: borrowing PendingAppend, of conversation: Conversation) {
        let event = next.event
        if let session = next.session, next.reply == .conversation {
            let created = Created(
                conversation: conversation.number, position: event.position, time: event.time, isDuplicate: false)
            answer(created, next, to: session)
        } else if let session = next.session, let id = next.expectedAnswer {
            delivery.tellAhead(event.position, to: session)
            events.beginAnswer(to: id, event, in: conversation)
            if case .add(let members) = next.change {
                events.builder.names("users", members.compactMap { directory.user($0.user)?.name })
            }
            delivery.reply(events.builder.finish(), to: session)
        }
    }

    private func answerErasure(_ next: borrowing PendingAppend) {
        if let session = next.session { erasures.answer(session, next.id) }
    }

    private func answer(_ created: Created, _ next: borrowing PendingAppend, to session: Session) {
        guard let user = directory.user(next.event.sender) else { return }
        queries.answerCreated(created, to: Asker(session: session, user: user, id: next.id))
    }

    /// Nothing had to be changed: the direct conversation that was asked for is there, or the message is already so.
    private func answerUnchanged(_ next: borrowing PendingAppend, _ conversation: Conversation?) {
        guard let session = next.session, next.reply != .none else { return }
        if next.reply == .erasure { return answerErasure(next) }
        if next.reply == .conversation, let conversation {
            let end = conversation.end(for: next.event.sender)
            let created = Created(
                conversation: conversation.number, position: end.position, time: end.time, isDuplicate: true)
            return answer(created, next, to: session)
        }
        events.builder.begin("ok")
        events.builder.reply(to: next.id)
        events.builder.member("duplicate", true)
        delivery.reply(events.builder.finish(), to: session)
    }

    /// Repeats the first answer, with what the message is by now.
    private func answerDuplicate(
        _ next: borrowing PendingAppend, _ position: Position, _ sequence: SequenceNumber,
        _ number: ConversationNumber, _ time: Timestamp, _ message: RepeatedMessage?
    ) {
        guard let session = next.session else { return }
        guard next.reply != .conversation else {
            let created = Created(conversation: number, position: position, time: time, isDuplicate: true)
            return answer(created, next, to: session)
        }
        let conversation = next.event.kind == .message ? directory.conversation(number) : nil
        delivery.tellAhead(position, ofMessageIn: conversation, to: session)
        let builder = events.builder
        builder.begin("ok")
        builder.reply(to: next.id)
        if next.event.kind == .message, let id = directory.conversation(number)?.id {
            builder.member("conversation", plain: id)
            builder.member("sequence", sequence.value)
        }
        builder.member("position", position)
        builder.member("time", time.milliseconds)
        if next.event.kind == .state { builder.member("version", position.value) }
        if var message {
            // Senders who have left since aren't shown what they forwarded.
            let sender = directory.user(next.event.sender)
            if sender.map({ conversation?.mayName(sequence, $0) == true }) != true { message.content = nil }
            events.writeAnswer(message)
        }
        builder.member("duplicate", true)
        delivery.reply(builder.finish(), to: session)
    }

    private func answer(_ next: borrowing PendingAppend, refusal: Refusal) {
        guard let session = next.session, next.reply != .none else { return }
        if next.reply == .erasure { erasures.forget(session) }
        var refusal = refusal
        refusal.id = next.id
        replies.refuse(refusal, session)
        // A service may have acted as a user without any other relation.
        if session.user == nil, let user = directory.user(next.event.sender) { directory.forgetIfNobody(user) }
    }
}

/// A durable event that was decided elsewhere: by an importer, or by another node that writes to the same log.
public struct LearnedEvent: Sendable {
    /// The stored event, with its position.
    public var event: StoredEvent
    /// Its change of the conversation.
    public var change: ConversationChange?
    /// Users named in it who may be unknown here.
    public var users: [(number: UserNumber, name: String)]

    /// Creates the event.
    public init(
        _ event: StoredEvent, change: ConversationChange? = nil, users: [(number: UserNumber, name: String)] = []
    ) {
        self.event = event
        self.change = change
        self.users = users
    }
}
