public import RoostWire

/// A message as the server sends it: live, during catch-up and in history.
public struct Message: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// Its number in the conversation, without holes.
    public var sequence: SequenceNumber
    /// Its place in the order of all events. Opaque.
    public var position: String
    /// The author.
    public var from: String
    /// The author's device; nil if the author is another user.
    public var device: String?
    /// The author's key for it.
    public var key: String?
    /// When it was stored.
    public var time: Timestamp
    /// `text`, or a kind of the author's application.
    public var kind: String
    /// The body; nil if the message was deleted.
    public var body: Body?
    /// The message that it replies to.
    public var replyTo: SequenceNumber?
    /// When it was last edited.
    public var editedAt: Timestamp?
    /// When it was deleted.
    public var deletedAt: Timestamp?
    /// The reactions; only in history.
    public var reactions: [ReactionCount]
}

/// The content of a message, an edit or a signal: JSON, byte for byte as its author wrote it.
public struct Body: Sendable, Equatable {
    /// The JSON value.
    public let json: [UInt8]
    /// The text, if the value is a string.
    public let text: String?

    init(_ value: JSONValue) {
        json = value.raw
        text = value.string
    }
}

/// How many members gave a message one reaction.
public struct ReactionCount: Sendable, Equatable {
    /// The reaction, usually an emoji.
    public var reaction: String
    /// Number of members who gave it.
    public var count: Int
    /// Whether the user is one of them.
    public var isMine: Bool
}

/// The message that an event changes, with the user who changed it and the time.
public struct MessageTarget: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The message.
    public var sequence: SequenceNumber
    /// The event's place in the order of all events. Opaque.
    public var position: String
    /// The user who caused the event.
    public var from: String
    /// When it happened.
    public var time: Timestamp
}

/// An edit of a message.
public struct MessageEdit: Sendable, Equatable {
    /// Which message.
    public var target: MessageTarget
    /// The kind of the message.
    public var kind: String
    /// The new body; nil if the message was deleted since.
    public var body: Body?
}

/// A message was deleted. A tombstone stays in history.
public struct MessageDeletion: Sendable, Equatable {
    /// Which message.
    public var target: MessageTarget
}

/// A reaction to a message.
public struct Reaction: Sendable, Equatable {
    /// Which message.
    public var target: MessageTarget
    /// The reaction, usually an emoji.
    public var reaction: String
    /// Whether it was taken back.
    public var isRemoved: Bool
}

/// The result of `send`: the message is durable.
public struct SendReceipt: Sendable, Equatable {
    /// The id of the conversation, even if the message was sent to a user. Empty if the user has left it since.
    public var conversation: String
    /// The number of the message in the conversation.
    public var sequence: SequenceNumber
    /// Its place in the order of all events. Opaque.
    public var position: String
    /// When it was stored.
    public var time: Timestamp
    /// Whether an earlier try had stored it already.
    public var isDuplicate: Bool
}

/// One page of history, oldest first.
public struct HistoryPage: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The messages.
    public var messages: [Message]
    /// Messages between, before or after these that the server can't show, because they are damaged in its store.
    public var gaps: [Gap]
    /// Whether there are more messages in the requested direction.
    public var hasMore: Bool

    /// The first sequence of the page, of a message or a gap. The page before it is `before` this.
    public var first: SequenceNumber? { [messages.first?.sequence, gaps.first?.from].compactMap { $0 }.min() }
    /// The last sequence of the page, of a message or a gap. The page after it is `after` this.
    public var last: SequenceNumber? { [messages.last?.sequence, gaps.last?.to].compactMap { $0 }.max() }
}

/// Sequences of messages that were left out. In an event they belong to a backlog that was too long, or are damaged in
/// the server's store; in history they are damaged.
public struct Gap: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The first sequence left out.
    public var from: SequenceNumber
    /// The last sequence left out.
    public var to: SequenceNumber
}

/// A signal from another device. Signals aren't stored.
public struct Signal: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The user.
    public var from: String
    /// The kind, named by the sender's application.
    public var kind: String
    /// The content.
    public var body: Body
}
