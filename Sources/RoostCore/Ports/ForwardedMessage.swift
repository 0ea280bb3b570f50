import RoostWire

/// A message that another one forwards. The log reads it in the order of events, so that what is forwarded is what the
/// message is then.
public struct ForwardedMessage: Sendable {
    /// Its conversation; `.none` in a probe whose command names none that the sender may read.
    public var conversation: ConversationNumber
    /// The message.
    public var sequence: SequenceNumber
    /// Users whose messages are hidden from the sender: of theirs, none is there.
    public var withheld: Set<UserNumber>

    /// Creates one.
    public init(_ conversation: ConversationNumber, _ sequence: SequenceNumber, withheld: Set<UserNumber> = []) {
        self.conversation = conversation
        self.sequence = sequence
        self.withheld = withheld
    }
}

/// Facts about a stored event that the log adds, because the command doesn't have them.
public enum Supplement: Sendable, Equatable {
    /// Nothing, as of most.
    case nothing
    /// Edit: the kind of the message, and its version from now on.
    case edited(kind: String, version: Int64)
    /// A pin: who wrote the message, and whether the event is withheld from the other user.
    case pin(author: UserNumber, isWithheld: Bool)
    /// The event is withheld from the other user, who can't see what it is about.
    case withheld
    /// A message that forwards another one: what it has from there.
    indirect case content(MessageContent)
}

/// The content of a forwarded message.
public struct MessageContent: Sendable, Equatable {
    /// The kind of its body.
    public var kind: String
    /// The body, raw JSON.
    public var body: [UInt8]
    /// The author.
    public var origin: String

    /// Creates a content.
    public init(kind: String, body: [UInt8], origin: String) {
        self.kind = kind
        self.body = body
        self.origin = origin
    }
}

extension Append {
    /// The message that forwards this, as it is stored.
    public func forwarding(_ content: MessageContent) -> Append {
        var event = self
        event.label = content.kind
        event.body = content.body
        event.extras = Extras(
            thread: event.extras.thread, origin: content.origin, isWithheld: event.extras.isWithheld)
        return event
    }
}

extension StoredEvent {
    /// The content for a user who forwards this message, whose author has this name.
    public func content(by author: String) -> MessageContent {
        MessageContent(kind: label, body: body, origin: extras?.origin ?? author)
    }
}
