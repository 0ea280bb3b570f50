import RoostFraming
import RoostWire

/// `send`, `edit`, `delete`, `react` and `signal`: turns a command into an event for the log or, for a signal, sends it
/// straight to the other members. Loop thread only.
final class MessageCommands {
    private let directory: Directory
    private let journal: Journal
    private let delivery: Delivery
    private let conversations: ConversationCommands
    private let typing: TypingCommands
    private let builder: FrameBuilder
    private let counters: Counters

    init(
        directory: Directory, journal: Journal, delivery: Delivery, conversations: ConversationCommands,
        typing: TypingCommands, builder: FrameBuilder, counters: Counters
    ) {
        self.directory = directory
        self.journal = journal
        self.delivery = delivery
        self.conversations = conversations
        self.typing = typing
        self.builder = builder
        self.counters = counters
    }

    func send(_ send: Command.Send, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        let (user, device) = try session.speaker()
        try journal.reserve(send.body.count)
        let known = session.directory.destination.conversation(named: send.to)
        let conversation = if let known { known } else { try toSend(send.to, session, user, device, now) }
        if let replyTo = send.replyTo, replyTo > conversation.lastSequence, journal.pendingEvents == 0 {
            throw Refusal(.notFound, "replyTo: no such message in this conversation")
        }
        var append = Append(.message, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.key = send.key.string
        append.isProbe = known == nil && conversation.standing(of: user.number) == nil
        append.label = send.kind?.string ?? "text"
        append.reference = send.replyTo ?? .none
        append.body = send.body.array
        journal.submit(append, session, id)
        if conversation.typers.count > 0 { typing.stop(user, in: conversation) }
    }

    /// The conversation to send to. `@user` creates the direct conversation or brings it back.
    private func toSend(
        _ to: Text, _ session: Session, _ user: User, _ device: Device, _ now: Moment
    ) throws(Refusal) -> Conversation {
        let found = try find(to, session, user, device, now)
        session.directory.destination.note(to, is: found, for: user)
        return found
    }

    private func find(
        _ to: Text, _ session: Session, _ user: User, _ device: Device, _ now: Moment
    ) throws(Refusal) -> Conversation {
        if let name = to.peer {
            let peer = try directory.introduce(name, by: session)
            try directory.policy.checkWriting(by: user, to: peer)
            return try conversations.direct(with: peer, user, device, now)
        }
        let found = try directory.policy.checkWriting(by: user, to: directory.conversation(named: to))
        if found.kind == .direct { try conversations.rejoin(found, user, device, nil, now) }
        return found
    }

    func edit(_ edit: Command.Edit, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try journal.reserve(edit.body.count)
        var append = try event(.edit, on: edit.target, session, now).append
        append.body = edit.body.array
        append.flag = edit.isText
        journal.submit(append, session, id)
    }

    func delete(_ target: Command.Target, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try journal.reserve(0)
        var (append, role) = try event(.delete, on: target, session, now)
        append.flag = directory.policy.mayDeleteOfOthers(role)
        journal.submit(append, session, id)
    }

    func react(_ react: Command.React, _ id: CommandID?, _ session: Session, _ now: Moment) throws(Refusal) {
        try journal.reserve(0)
        var append = try event(.react, on: react.target, session, now).append
        append.label = react.reaction.string
        append.flag = react.isRemoval
        journal.submit(append, session, id)
    }

    private func event(
        _ kind: EventKind, on target: Command.Target, _ session: Session, _ now: Moment
    ) throws(Refusal) -> (append: Append, role: Role) {
        let (user, device) = try session.speaker()
        let (conversation, role) = try directory.conversation(target.conversation, for: user)
        let since = conversation.member(user.number)?.since ?? conversation.lastSequence
        guard target.sequence > since else { throw Refusal(.notFound, "no such message in this conversation") }
        var append = Append(kind, in: conversation.number, by: user.number, device: device.name, at: now.wall)
        append.reference = target.sequence
        return (append, role)
    }

    func signal(_ signal: Command.Signal, _ id: CommandID?, _ session: Session) throws(Refusal) {
        let (user, _) = try session.speaker()
        let conversation = try directory.destination(signal.to, of: session, user)
        session.directory.destination.beginSignal(to: conversation, from: user, in: builder)
        if let kind = signal.kind { builder.member("kind", plain: kind.string) }
        builder.member("body", raw: signal.body.bytes)
        counters.signals += 1
        delivery.gatherSignal(in: conversation, except: session, answering: id)
    }
}
