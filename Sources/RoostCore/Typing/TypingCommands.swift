import RoostFraming
import RoostWire

/// `typing`: the other members get its beginning, a move to another thread, and its end. Loop thread only.
final class TypingCommands {
    private let typing: Typing
    private let prices: Prices
    private let directory: Directory
    private let delivery: Delivery
    private let replies: Replies
    private let builder: FrameBuilder
    private let reads: Reads

    init(
        typing: Typing, prices: Prices, directory: Directory, delivery: Delivery, replies: Replies,
        builder: FrameBuilder, reads: Reads
    ) {
        self.reads = reads
        self.typing = typing
        self.prices = prices
        self.directory = directory
        self.delivery = delivery
        self.replies = replies
        self.builder = builder
    }

    func set(
        _ to: Text, _ isActive: Bool, in thread: SequenceNumber?, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let (user, _) = try session.speaker()
        let conversation = try directory.destination(to, of: session, user)
        // Neither gets the other's typing, and neither learns that.
        guard !conversation.isRequest else { return replies.accept(id, session) }
        try directory.policy.checkSpeaking(by: user, in: conversation)
        if isActive {
            try directory.rules.checkWriting(by: user, in: conversation, at: now)
            if let member = conversation.member(user.number) { typing.beginTurn(member) }
            if let thread {
                guard thread > conversation.hidden(from: user.number), thread <= conversation.lastSequence else {
                    throw Self.unseen
                }
                let asker = Asker(session: session, user: user, id: id)
                guard try sees(thread, in: conversation, asker, now) else { return }
            }
            // Others get nothing of an invisible user's actions, and so don't learn that the user is online.
            if user.presence.isInvisible { return replies.accept(id, session) }
            if let member = conversation.member(user.number) {
                try start(member, in: thread ?? SequenceNumber.none, since: now.monotonic, session, now)
            }
        } else {
            stop(user, in: conversation)
        }
        replies.accept(id, session)
    }

    private static let unseen = Refusal(.notFound, "replyTo: no such message in this conversation")

    /// Whether the user sees more than a placeholder of a message. Only the log knows the author of an old one, so it
    /// is asked if it makes a difference.
    /// - Returns: false if the log has to answer first.
    /// - Throws: `not_found`, or as a read does.
    private func sees(
        _ thread: SequenceNumber, in conversation: Conversation, _ asker: Asker, _ now: Moment
    ) throws(Refusal) -> Bool {
        let isDirect = conversation.kind == .direct
        guard isDirect || !asker.user.withheldReactions(in: conversation).isEmpty else { return true }
        if let author = delivery.window.author(of: thread, in: conversation.number) {
            let isHidden =
                isDirect ? author.isWithheld && author.user != asker.user.number : asker.user.hasBlocked(author.user)
            if isHidden { throw Self.unseen }
            return true
        }
        guard let member = conversation.member(asker.user.number) else { return true }
        try reads.check(asker.session)
        let request = LatestRequest(messages: [(conversation.number, thread)])
        let question = Question(asked: typing.beginAsking(member), thread: thread, at: now.monotonic)
        reads.ask(.latest(request), for: .typing(asker, question))
        return false
    }

    /// The query to the log before a user types in a thread.
    struct Question {
        fileprivate let asked: Typing.Asked
        fileprivate let thread: SequenceNumber
        /// When the command came, which is when typing begins.
        fileprivate let at: Int64
    }

    /// The log has answered who wrote the message in whose thread the user types.
    func answered(_ result: ReadResult, _ question: Question, _ asker: Asker, _ now: Moment) {
        let (user, session, member) = (asker.user, asker.session, question.asked.member)
        let isLatest = typing.endAsking(question.asked)
        guard session.phase == .ready else { return }
        let conversation = member.conversation
        do throws(Refusal) {
            if result.isFailed { throw Refusal(.unavailable, "the store could not be read") }
            if let event = result.events.first,
                event.isWithheld(from: user.number)
                    || directory.policy.withholds(.message, by: event.sender, in: conversation, from: user)
            {
                throw Self.unseen
            }
            // A message, or another sign of typing, that came meanwhile is the newer one.
            if isLatest, !user.presence.isInvisible, conversation.member(user.number) === member {
                try start(member, in: question.thread, since: question.at, session, now)
            }
            replies.accept(asker.id, session)
        } catch {
            replies.refuse(Refusal(error.code, error.reason, id: asker.id), session)
        }
    }

    private func start(
        _ member: Member, in thread: SequenceNumber, since begun: Int64, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        let conversation = member.conversation
        let step = typing.step(member, in: thread, at: begun)
        let tellings = typing.tellings(of: step, in: conversation)
        if tellings > 0 { try prices.pay(deliveries: tellings * conversation.audienceCount, by: session, at: now) }
        if typing.start(member, in: thread, at: begun) { tell(member) }
    }

    /// The user sent a message there, or left.
    func stop(_ user: User, in conversation: Conversation) {
        if let member = conversation.member(user.number) { stop(member) }
    }

    func stop(_ member: Member) {
        typing.beginTurn(member)
        if typing.stop(member) { tell(member) }
    }

    /// Ends typing in all conversations, because one of the user's sessions ended.
    func stop(_ user: User) {
        for member in user.typist.members { stop(member) }
    }

    /// Ends the user's typing for the viewer, because the user is hidden from it from now on. The other members see no
    /// end: it would show them, and through them the user, that a member hides.
    func hide(_ user: User, from viewer: User) {
        for member in user.typist.members.prefix(Self.endedAtOnce)
        where member.typing.isNamed && member.conversation.member(viewer.number) != nil {
            let key = Owed.typing(member.conversation.number, user.number)
            let frame = frame(user, nil, in: member.conversation)
            for session in viewer.sessions where isTold(session) { delivery.deliver(frame, key, to: session) }
        }
    }

    /// People don't type in more conversations by hand; each takes a look.
    private static let endedAtOnce = 64

    /// Number of timers that are set. For tests.
    var timerCount: Int { typing.timerCount }

    /// When to call `tick` next, in monotonic milliseconds.
    var nextDeadline: Int64? { typing.nextDeadline }

    /// Ends typing states that were not renewed in time, and sends one conversation's members whether several type.
    func tick(at now: Int64) {
        for member in typing.expire(at: now) { tell(member) }
        guard let conversation = typing.nextSeveral(at: now) else { return }
        let frame = frameOfSeveral(in: conversation)
        delivery.deliver(frame, .severalTyping(conversation.number), in: conversation) {
            isTold($0) && isToldSeveral($0, in: conversation)
        }
    }

    /// Sends the other members whether this one is typing.
    private func tell(_ member: Member) {
        let user = member.user
        let frame = frame(user, member, in: member.conversation)
        let key = Owed.typing(member.conversation.number, user.number)
        delivery.deliver(frame, key, in: member.conversation) {
            $0.user !== user && isTold($0) && isTold($0, of: member)
        }
    }

    /// Whether the session may see the user's typing. A viewer who has begun to hide from everyone since the user began
    /// to type gets the end.
    private func isTold(_ session: Session, of member: Member) -> Bool {
        guard let viewer = session.user, !member.conversation.isVeiled(from: viewer.number) else { return false }
        if directory.policy.showsPresence(of: member.user, to: viewer) { return true }
        return !member.typing.isNamed && member.typing.namedAt <= viewer.privacy.hidSince
            && directory.policy.showedPresence(of: member.user, to: viewer)
    }

    /// Whether the session gets typing: a background fetch shows the user nothing.
    func isTold(_ session: Session) -> Bool { session.presence.activity != .background }

    /// Whether the user is typing there, as far as the session may know. It was owed a change: if the user hides from
    /// it since, or has left, that is an end.
    func frame(_ user: User, in conversation: Conversation, for session: Session) -> Frame {
        var member = conversation.member(user.number)
        if let known = member, !isTold(session, of: known) { member = nil }
        return frame(user, member, in: conversation)
    }

    private func frame(_ user: User, _ member: Member?, in conversation: Conversation) -> Frame {
        builder.begin("typing")
        builder.member("conversation", plain: conversation.id)
        builder.member("user", plain: user.name)
        if let thread = member?.typing.thread, thread > SequenceNumber.none {
            builder.member("replyTo", thread.value)
        }
        builder.member("active", member?.typing.isNamed ?? false)
        return builder.finish()
    }

    /// A viewer who hides from everyone gets no typing, nor how many type, but the end of what it got before.
    private func isToldSeveral(_ session: Session, in conversation: Conversation) -> Bool {
        guard let privacy = session.user?.privacy else { return false }
        let typers = conversation.typers
        return privacy.settings.presence != .nobody
            || !typers.isSeveralTold && typers.severalSince <= privacy.hidSince
    }

    /// The event of whether several type there beyond those who are named, as the members last got it.
    func frameOfSeveral(in conversation: Conversation) -> Frame {
        builder.begin("typing")
        builder.member("conversation", plain: conversation.id)
        builder.member("several", true)
        builder.member("active", conversation.typers.isSeveralTold)
        return builder.finish()
    }
}
