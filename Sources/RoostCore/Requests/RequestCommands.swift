import RoostFraming
import RoostWire

/// `request.accept` and `request.drop`: answers to a stranger's first message. It owns nothing. Loop thread only.
struct RequestCommands {
    /// The setting by which every device of the receiver learns that a request was dropped. Clients can't set it.
    static let key = "@requests"

    let conversations: ConversationCommands
    let prices: Prices

    func answer(
        _ name: Text, isAccepted: Bool, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        try conversations.journal.reserve(name.count + 2)
        let (conversation, _) = try conversations.directory.conversation(name, for: speaker.user)
        guard conversation.isRequest(to: speaker.user) else {
            throw Refusal(.conflict, "the conversation doesn't wait for you to accept it")
        }
        if isAccepted {
            try conversations.directory.policy.checkSpeaking(by: speaker.user, in: conversation)
            try prices.pay(deliveries: conversation.audienceCount, by: session, at: now)
            submit(conversation, by: speaker, Asker(session: session, user: speaker.user, id: id), now)
        } else {
            try prices.pay(deliveries: speaker.user.sessions.count, by: session, at: now)
            drop(conversation, by: speaker, id, session, now)
        }
    }

    /// Both get an event in the conversation, which ends the request when it is stored.
    private func submit(_ conversation: Conversation, by speaker: Speaker, _ asker: Asker?, _ now: Moment) {
        let builder = conversations.builder
        conversations.submit(.accept, of: conversation, by: speaker, asker, now) {
            builder.member("event", word: "accepted")
        }
    }

    /// The request between the user and the wanted contact, which the command may end; nil if there is none.
    /// - Throws: `unavailable` or `busy` if the log can't take that end.
    func reserve(for command: ContactCommand, by user: User) throws(Refusal) -> Conversation? {
        let directory = conversations.directory
        guard let other = command.wanted.flatMap(directory.naming.person(named:)),
            let direct = directory.direct(user, other), direct.isRequest
        else { return nil }
        try conversations.journal.reserve(0)
        return direct
    }

    /// Two new contacts don't wait for each other any more. The event is by the user who made them so: if the receiver
    /// has blocked the sender meanwhile, it is withheld like everything by the sender.
    func accept(_ request: Conversation, by speaker: Speaker, betweenContacts now: Moment) {
        let directory = conversations.directory
        guard let sender = request.opener,
            let receiver = request.opening.request.flatMap({ directory.user($0.receiver) }),
            directory.policy.isContact(receiver, of: sender)
        else { return }
        if request.standing(of: speaker.user.number) != nil {
            submit(request, by: Speaker(speaker.user), nil, now)
        } else if !receiver.hasBlocked(sender.number) {
            submit(request, by: Speaker(receiver), nil, now)
        }
    }

    /// The receiver's devices get it as a setting, so that other users don't. If the process dies before that is
    /// stored, the command is not answered, and a retry sends it.
    private func drop(
        _ conversation: Conversation, by speaker: Speaker, _ id: CommandID?, _ session: Session, _ now: Moment
    ) {
        let user = speaker.user
        if conversation.opening.request?.isDropped == false {
            conversation.opening.request?.isDropped = true
            conversations.journal.store(.dropRequest(conversation.number))
            conversations.directory.counters.gate.requests.dropped += 1
        }
        let hidden = user.openSettings(conversations.delivery.settle())
        var append = Append(.state, in: hidden.number, by: user.number, device: speaker.device, at: now.wall)
        append.label = RequestCommands.key
        append.body = [UInt8]("\"\(conversation.id)\"".utf8)
        conversations.journal.submit(append, session, id)
    }
}

extension ContactCommand {
    /// The contact that the user wants by it; nil for another command.
    var wanted: Text? {
        switch self {
        case .invite(let user, _, _), .accept(let user, _): user
        default: nil
        }
    }
}

/// Stored events of a request, which may be its end.
extension ConversationCommands {
    /// Ends the request in which the user wants to write more, if the two know each other by now in another way.
    func acceptOfKnown(
        _ request: Conversation, by speaker: Speaker, _ session: Session, _ now: Moment
    ) throws(Refusal) {
        guard request.isRequest, directory.policy.hasAsked(speaker.user, in: request),
            let receiver = request.opening.request.flatMap({ directory.user($0.receiver) }),
            request.standing(of: speaker.user.number) != nil,
            try gatekeeper.lets(speaker.user, reach: receiver, session, now)
        else { return }
        submit(.accept, of: request, by: speaker, nil, now) { builder.member("event", word: "accepted") }
    }

    /// Whatever the receiver does in it for the sender to see accepts it: the two see each other from now on. A sender
    /// who has left sees nothing, and is introduced when it is brought back.
    func noteRequest(
        _ event: StoredEvent, _ change: ConversationChange?, in conversation: Conversation, _ now: Moment
    ) {
        guard conversation.opening.request?.receiver == event.sender || change?.isAcceptance == true else { return }
        directory.requests.end(conversation)
        // The receiver's account was deleted.
        if case .leave = change { return }
        directory.counters.gate.requests.accepted += 1
        guard let pair = conversation.pair, conversation.members.count == 2 else { return }
        directory.pairUp(conversation)
        introduce(pair, now)
    }

    /// The receiver of a request is shown who has written.
    func introduceSender(of request: Request, in conversation: Conversation) {
        guard let sender = conversation.opener, let receiver = directory.user(request.receiver) else { return }
        profiles.show(sender, to: receiver)
    }
}
