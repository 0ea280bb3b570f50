import RoostFraming
import RoostWire

/// `send`, `edit`, `delete`, `react` and `signal`: turns a command into an event for the log or, for a signal, sends it
/// straight to the other members. Loop thread only.
final class MessageCommands {
    private let prices: Prices
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let conversations: ConversationCommands
    private let typing: TypingCommands
    private let builder: FrameBuilder
    private let counters: Counters
    private let mentions: Mentions
    let forwarding: Forwarding
    /// Most Unicode scalars of a text.
    private let textScalars: Int

    init(
        _ limits: Limits, _ prices: Prices, _ directory: Directory, _ journal: Journal, _ delivery: Delivery,
        _ conversations: ConversationCommands, _ typing: TypingCommands, _ builder: FrameBuilder,
        _ counters: Counters, _ mentions: Mentions
    ) {
        self.prices = prices
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.conversations = conversations
        self.typing = typing
        self.builder = builder
        self.counters = counters
        self.mentions = mentions
        forwarding = Forwarding(prices, directory, longest: limits.frameBytes)
        textScalars = limits.textScalars
    }

    func send(
        _ send: Command.Send, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let user = speaker.user
        var advance = send.forward == nil ? nil : Advance(bytes: forwarding.longest)
        try journal.reserve(advance?.bytes ?? send.body.count, by: user)
        var conversation = session.directory.destination.conversation(named: send.to)
        let named = mentions.ids(send.mentions)
        var mentioned: [UserNumber] = []
        var refusal: Refusal?
        var source: ForwardedMessage?
        do throws(Refusal) {
            if let forward = send.forward { source = try forwarding.source(forward, for: user) }
            if let known = conversation {
                try conversations.acceptOfKnown(known, by: speaker, session, now)
                try directory.policy.checkSpeaking(by: user, in: known)
                try directory.rules.checkWriting(by: user, in: known, at: now)
                try directory.rules.checkPace(of: user, in: known, at: now)
                try checkReferences(send, in: known, by: user)
                try pay(for: send, to: known, session, now, &advance)
            } else {
                let found = try find(send.to, speaker, session, now)
                conversation = found.conversation
                try checkReferences(send, in: found.conversation, by: user)
                if let known = found.conversation {
                    try directory.rules.checkWriting(by: user, in: known, at: now)
                    try directory.rules.checkPace(of: user, in: known, at: now)
                }
                if let known = found.conversation { try pay(for: send, to: known, session, now, &advance) }
                conversation = try open(found, send, source, session, speaker, now)
            }
            if !named.isEmpty { mentioned = try mentions.users(named, in: conversation, by: user) }
        } catch {
            // The log is asked whether it was sent before: a retry gets its first answer, whatever has changed since.
            guard !error.code.isTemporary || error.conversation != nil else {
                if let advance { prices.settle(advance: advance.price, deliveries: 0, bytes: 0, to: session) }
                throw error
            }
            refusal = error
            conversation = directory.anyConversation(send.to, of: user)
        }
        var append = Append(
            .message, in: conversation?.number ?? .none, by: user.number, device: speaker.device, at: now.wall)
        append.key = send.key.string
        append.purpose = refusal == nil ? .event : .probe
        append.label = send.kind?.string ?? "text"
        append.reference = send.replyTo ?? .none
        append.body = send.body.array
        append.flag = !send.isReading
        if let forward = send.forward { append.source = source ?? ForwardedMessage(.none, forward.sequence) }
        if !named.isEmpty || send.thread != nil {
            append.extras = Extras(mentions: named, thread: send.thread ?? .none)
            append.mentioned = mentioned
        }
        if refusal == nil, let conversation {
            append.withheldFrom = user.blocker(in: conversation)
            if send.replyTo != nil || send.thread != nil {
                append.hiddenAuthors = user.hiddenAuthors(in: conversation)
            }
            if conversation.isRequest { conversation.opening.request?.messagesUnderWay += 1 }
            conversation.moderation.pace.begin(user.number)
        }
        journal.submit(append, session, id, refusal: refusal, advance: advance)
        if let conversation, !user.typist.members.isEmpty || conversation.typers.asking > 0 {
            typing.stop(user, in: conversation)
        }
    }

    @inline(__always)
    private func pay(
        for send: Command.Send, to conversation: Conversation, _ session: Session, _ now: Moment,
        _ advance: inout Advance?
    ) throws(Refusal) {
        guard advance == nil else {
            advance?.price = try forwarding.pay(to: conversation, session, now)
            return
        }
        try pay(for: send.body.count, to: conversation, session, now)
    }

    /// Takes the cost of the deliveries in the conversation.
    @inline(__always)
    private func pay(
        for bytes: Int, to conversation: Conversation, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try prices.pay(deliveries: conversation.audienceCount, bytes: bytes, by: session, at: now)
    }

    /// Where a message is to go. A direct conversation with `peer` may not exist yet.
    private struct Goal {
        var conversation: Conversation?
        var peer: NamedUser?
    }

    private func find(
        _ to: Text, _ speaker: Speaker, _ session: Session, _ now: Moment
    ) throws(Refusal) -> Goal {
        let user = speaker.user
        if let name = to.peer {
            let peer = directory.naming.find(name)
            guard let known = peer.known else { return Goal(peer: peer) }
            try directory.policy.checkThere([peer])
            try directory.policy.checkWriting(by: user, to: known)
            let direct = directory.direct(user, known)
            if let direct {
                try conversations.acceptOfKnown(direct, by: speaker, session, now)
                try directory.policy.checkSpeaking(by: user, in: direct)
            }
            return Goal(conversation: direct, peer: peer)
        }
        let named = directory.conversation(named: to)
        try directory.check(isCertain: named?.isMembershipCertain(of: user.number) ?? true)
        let peer = named?.pair.flatMap { directory.user($0.other(than: user.number)) }.map(NamedUser.known)
        if let named, named.member(user.number) != nil {
            if let peer { try directory.policy.checkThere([peer]) }
            try conversations.acceptOfKnown(named, by: speaker, session, now)
        }
        let found = try directory.policy.checkWriting(by: user, to: named)
        return Goal(conversation: found, peer: peer)
    }

    /// The conversation to send to. A direct one is created or brought back if necessary.
    private func open(
        _ goal: Goal, _ send: Command.Send, _ source: ForwardedMessage?, _ session: Session, _ speaker: Speaker,
        _ now: Moment
    ) throws(Refusal) -> Conversation {
        if let peer = goal.peer {
            // A message that is refused opens nothing.
            guard send.mentions.isEmpty else { throw Mentions.inDirect }
            guard let direct = goal.conversation, direct.isAtRest, !direct.isVeiled(from: speaker.user.number) else {
                return try conversations.open(
                    goal.conversation, with: peer, speaker, for: send.key.string, forwarding: source, nil, session, now)
            }
        }
        guard let found = goal.conversation, found.standing(of: speaker.user.number) != nil else {
            throw Refusal(.notFound, "no such conversation")
        }
        if directory.naming.stays(send.to) { session.note(send.to, is: found, for: speaker.user) }
        return found
    }

    /// Whether the messages that this one replies to exist, and the user may see them. The newest may still be on their
    /// way to the log, which then decides.
    private func checkReferences(
        _ send: Command.Send, in conversation: Conversation?, by user: User
    ) throws(Refusal) {
        for (named, member) in [(send.replyTo, "replyTo"), (send.thread, "thread")] {
            guard let named else { continue }
            guard let conversation, conversation.mayName(named, user),
                named <= conversation.lastSequence || journal.pendingEvents > 0
            else {
                throw Refusal(.notFound, "\(member): no such message in this conversation")
            }
        }
    }

    func edit(
        _ edit: Command.Edit, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(edit.body.count, by: speaker.user)
        var (append, _, conversation) = try event(
            .edit, on: edit.target, by: speaker, bytes: edit.body.count, session, now)
        append.body = edit.body.array
        let named = mentions.ids(edit.mentions)
        if !named.isEmpty {
            append.mentioned = try mentions.users(named, in: conversation, by: speaker.user)
            append.extras = Extras(mentions: named, isWithheld: append.withheldFrom != .none)
        }
        append.flag = edit.textFault == nil
        append.ifVersion = edit.ifVersion
        journal.submit(append, session, id, refusal: refusal(for: edit.textFault))
    }

    /// The refusal if the message turns out to be a text.
    private func refusal(for fault: Command.TextFault?) -> Refusal? {
        switch fault {
        case .notString: Refusal(.badRequest, "body must be a string, because the message is a text")
        case .blank: Refusal(.badRequest, "body must not be empty or all white space")
        case .long: Refusal(.tooLarge, "body must be at most \(textScalars) Unicode scalars")
        case nil: nil
        }
    }

    /// Whether the reason counts, the log knows: an author needs none.
    func delete(
        _ target: Command.Target, _ reason: ReportReason?, by speaker: Speaker, _ id: CommandID?, _ session: Session,
        _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(0)
        var (append, role, _) = try event(.delete, on: target, by: speaker, session, now)
        append.flag = directory.policy.mayDeleteOfOthers(role)
        if let reason { append.label = "\(reason.word)" }
        journal.submit(append, session, id)
    }

    func react(
        _ react: Command.React, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try journal.reserve(0)
        var append = try event(.react, on: react.target, by: speaker, session, now).append
        append.label = ReactionForm.kept(react.reaction.string)
        append.flag = react.isRemoval
        journal.submit(append, session, id)
    }

    private func event(
        _ kind: EventKind, on target: Command.Target, by speaker: Speaker, bytes: Int = 0, _ session: Session,
        _ now: Moment
    ) throws(Refusal) -> (append: Append, role: MemberRole, conversation: Conversation) {
        let user = speaker.user
        let (conversation, role) = try directory.conversation(target.conversation, for: user)
        if kind == .delete {
            try directory.check(isCertain: conversation.isRoleCertain(of: user.number))
        } else {
            try directory.policy.checkSpeaking(by: user, in: conversation)
            try directory.rules.checkWriting(by: user, in: conversation, at: now, isReaction: kind == .react)
        }
        guard conversation.mayName(target.sequence, user) else {
            throw Refusal(.notFound, "no such message in this conversation")
        }
        try pay(for: bytes, to: conversation, session, now)
        var append = Append(kind, in: conversation.number, by: user.number, device: speaker.device, at: now.wall)
        append.reference = target.sequence
        append.withheldFrom = user.blocker(in: conversation)
        if kind != .edit { append.peer = user.peer(in: conversation) }
        // A place can be deleted by an admin, and nothing else be made of it.
        if kind == .react { append.hiddenAuthors = user.hiddenAuthors(in: conversation) }
        return (append, role, conversation)
    }

    func signal(
        _ signal: Command.Signal, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let user = speaker.user
        let conversation = try directory.destination(signal.to, of: session, user)
        try directory.policy.checkSignal(by: user, in: conversation)
        try directory.rules.checkWriting(by: user, in: conversation, at: now)
        try pay(for: signal.body.count, to: conversation, session, now)
        session.directory.destination.beginSignal(to: conversation, from: user, in: builder)
        if let kind = signal.kind { builder.member("kind", plain: kind.string) }
        builder.member("body", raw: signal.body.bytes)
        counters.signals += 1
        delivery.gatherSignal(from: user, in: conversation, except: session, answering: id)
    }
}
