/// The answer to `feed`: events of all conversations in the order of the log.
public struct FeedPage: Sendable, Equatable {
    /// The events. There may be none although there are more.
    public var events: [FeedEvent]
    /// Everything up to here was looked at: the next page is after it, and an ack of it covers this page. Opaque.
    public var position: String
    /// The newest position. Opaque.
    public var head: String
    /// Whether there is more to look at now.
    public var hasMore: Bool
    /// Positions of events that the server can't read, because they are damaged in its store.
    public var damaged: [String]
}

extension FeedPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let page = members.object("feed"), let list = page.objects("events"),
            let position = page.string("position")
        else { return nil }
        events = list.compactMap(FeedEvent.init(reading:))
        self.position = position
        head = page.string("head") ?? position
        hasMore = page.flag("more") ?? false
        damaged = page.strings("damaged")
    }
}

/// A durable event, as a service gets it: with the device that sent it and its key, whichever user's they are.
public struct FeedEvent: Sendable, Equatable {
    /// The kind of event.
    public enum Content: Sendable, Equatable {
        /// A message with its present body.
        case message(Message)
        /// A message was edited. It has the present body, which a later edit may have given it.
        case edit(MessageEdit)
        /// A message was edited, and deleted later.
        case erasedEdit(MessageTarget)
        /// A message was deleted.
        case delete(MessageDeletion)
        /// A member reacted to a message, or took a reaction back.
        case react(MessageReaction)
        /// A conversation changed.
        case conversation(ConversationEvent)
    }

    /// The event.
    public var content: Content
    /// The device that sent it; nil if that isn't known any more.
    public var device: String?
    /// The sender's key for it; nil if there is none.
    public var key: String?

    /// Its place in the order of all events. Opaque.
    public var position: String {
        switch content {
        case .message(let message): message.position
        case .edit(let edit): edit.target.position
        case .erasedEdit(let target): target.position
        case .delete(let deletion): deletion.target.position
        case .react(let reaction): reaction.target.position
        case .conversation(let event): event.position
        }
    }
}

extension FeedEvent {
    /// Reads one; nil if it is of a type that this version doesn't know.
    public init?(reading members: JSONMembers) {
        let content: Content? =
            switch members.type {
            case .message: Message(reading: members).map { .message($0) }
            case .edit where members.body == nil: MessageTarget(reading: members).map { .erasedEdit($0) }
            case .edit: MessageEdit(reading: members).map { .edit($0) }
            case .delete:
                MessageTarget(reading: members).map {
                    .delete(MessageDeletion(target: $0, reason: members.word("reason")))
                }
            case .react: MessageReaction(reading: members).map { .react($0) }
            case .conversation: ConversationEvent(reading: members).map { .conversation($0) }
            default: nil
            }
        guard let content else { return nil }
        self.content = content
        device = members.string("device")
        key = members.string("key")
    }
}
