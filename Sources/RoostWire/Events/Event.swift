/// One text message of a server, an answer or news, as Docs/Protocol.md describes it. Members that this version doesn't
/// know are ignored.
public enum Event: Sendable, Equatable {
    /// The answer to `hello`.
    case welcome(Welcome)
    /// The answer to `hello` in an operator's session.
    case operatorWelcome(OperatorWelcome)
    /// A command succeeded. The other members of the answer depend on the command: see `StoredMessage`, `HistoryPage`,
    /// `ConversationPage`, `CreatedConversation`, `MemberList` and `UserPresence`.
    case ok(Answer)
    /// A command failed.
    case error(CommandRefusal)
    /// The answer to `ping`.
    case pong(Pong)
    /// A message.
    case message(Message)
    /// A message has a new body.
    case edit(MessageEdit)
    /// A message was deleted.
    case delete(MessageDeletion)
    /// A member reacted to a message, or took a reaction back.
    case react(MessageReaction)
    /// A user with a block on the reader, or blocked by it, edited a message or reacted to one: only the placeholder is
    /// sent.
    case hidden(MessageTarget)
    /// A conversation changed: its name, its members, their roles.
    case conversation(ConversationEvent)
    /// A setting of the user's own was set or removed.
    case state(StateChange)
    /// A signal, which isn't stored.
    case signal(Signal)
    /// Messages were left out; `history` returns them.
    case gap(MessageGap)
    /// Everything that this device missed has been sent. An ack of this position covers it all.
    case live(position: String)
    /// A member's receipts.
    case receipt(Receipt)
    /// A user began or stopped typing.
    case typing(TypingChange)
    /// The presence of users changed. `late` is the extra delay of this report if the server has too many changes to
    /// send.
    case presence([UserPresence], late: Duration? = nil)
    /// The number of online members of watched conversations has changed.
    case onlineCounts([OnlineCount])
    /// Number of the user's unread messages in all conversations that aren't muted, now.
    case badge(unread: Int)
    /// The profile of a watched user, of the other member of a direct conversation, or of the user has changed.
    case profile(UserProfile)
    /// The user has changed its own status, on some device.
    case status(OwnStatus)
    /// The user has changed the privacy settings, on some device. Exceptions may have changed, too: `privacy` returns
    /// them.
    case privacy(PrivacySettings)
    /// A contact of the user, or an invitation, has changed.
    case contact(ContactChange)
    /// The user's prospects were changed on another device; `count` is their number, and `prospect.list` returns them.
    case prospects(count: Int)
    /// Number of people who wait to be let into a group of which the user is an admin or, without a conversation, of
    /// groups that the user itself waits for: `join.list` lists them.
    case joins(conversation: String?, waiting: Int)
    /// The relay is about to stop; come back after this time.
    case drain(Duration)
    /// The relay's statistics, for operators who asked for them.
    case statistics(RelayStatistics)

    /// Reads an event; nil if the type is unknown, or a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let type = members.type, let event = Event(type, members) else { return nil }
        self = event
    }

    private init?(_ type: EventType, _ members: JSONMembers) {
        let event: Event? =
            switch type {
            case .welcome where members["operator"] != nil:
                OperatorWelcome(reading: members).map { .operatorWelcome($0) }
            case .welcome: Welcome(reading: members).map { .welcome($0) }
            case .ok: .ok(Answer(reading: members))
            case .error: .error(CommandRefusal(reading: members))
            case .pong: Pong(reading: members).map { .pong($0) }
            case .message: Message(reading: members).map { .message($0) }
            case .edit where members.flag("hidden") == true, .react where members.flag("hidden") == true:
                MessageTarget(reading: members).map { .hidden($0) }
            case .edit: MessageEdit(reading: members).map { .edit($0) }
            case .delete:
                MessageTarget(reading: members).map {
                    .delete(MessageDeletion(target: $0, reason: members.word("reason")))
                }
            case .react: MessageReaction(reading: members).map { .react($0) }
            case .conversation: ConversationEvent(reading: members).map { .conversation($0) }
            case .state: StateChange(reading: members).map { .state($0) }
            case .signal: Signal(reading: members).map { .signal($0) }
            case .gap: MessageGap(reading: members).map { .gap($0) }
            case .live: members.string("position").map { .live(position: $0) }
            case .receipt: Receipt(reading: members).map { .receipt($0) }
            case .typing: TypingChange(reading: members).map { .typing($0) }
            case .presence where members.objects("conversations") != nil:
                .onlineCounts(OnlineCount.list(reading: members))
            case .presence:
                .presence(
                    UserPresence.list(reading: members), late: members.integer("late").map { .milliseconds($0) })
            case .badge: members.integer("unread").map { .badge(unread: Int(clamping: $0)) }
            case .profile: UserProfile(reading: members).map { .profile($0) }
            case .status: OwnStatus(reading: members).map { .status($0) }
            case .privacy: PrivacySettings(reading: members).map { .privacy($0) }
            case .contact: ContactChange(reading: members).map { .contact($0) }
            case .prospects: members.integer("count").map { .prospects(count: Int(clamping: $0)) }
            case .joins:
                members.count("waiting").map { .joins(conversation: members.string("conversation"), waiting: $0) }
            case .drain: members.integer("after").map { .drain(.milliseconds(max(0, $0))) }
            case .statistics: RelayStatistics(reading: members).map { .statistics($0) }
            }
        guard let event else { return nil }
        self = event
    }

    /// Position and time of a durable event, which together identify it; nil for others.
    public var logged: (position: String, time: Timestamp)? {
        switch self {
        case .message(let message): (message.position, message.time)
        case .edit(let edit): (edit.target.position, edit.target.time)
        case .delete(let deletion): (deletion.target.position, deletion.target.time)
        case .react(let reaction): (reaction.target.position, reaction.target.time)
        case .hidden(let target): (target.position, target.time)
        case .conversation(let event): (event.position, event.time)
        case .state(let change): (change.position, change.time ?? .never)
        default: nil
        }
    }
}
