public import RoostWire

/// A message as the server tells it: live, on catch-up and in history.
public struct Message: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// Its number there, without holes.
    public var sequence: SequenceNumber
    /// Its place in the order of all events. Opaque.
    public var position: String
    /// The author.
    public var from: String
    /// The author's device; nil if somebody else is the author.
    public var device: String?
    /// The author's name for it.
    public var key: String?
    /// When it was stored.
    public var time: Timestamp
    /// `text`, or what the author's application calls it.
    public var kind: String
    /// The body; nil once deleted.
    public var body: Body?
    /// The message that it answers.
    public var replyTo: SequenceNumber?
    /// When it was last edited.
    public var editedAt: Timestamp?
    /// When it was deleted.
    public var deletedAt: Timestamp?
    /// Who reacted how; only in history.
    public var reactions: [ReactionCount]
}

/// What a message, an edit or a signal says: JSON, byte for byte as its author wrote it.
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

/// One reaction to a message, summed up.
public struct ReactionCount: Sendable, Equatable {
    /// What, usually an emoji.
    public var reaction: String
    /// How many.
    public var count: Int
    /// Whether one of them is the own user's.
    public var isMine: Bool
}

/// What happened to a message: its conversation, its number there, by whom and when.
public struct MessageTarget: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The message.
    public var sequence: SequenceNumber
    /// The place of this event in the order of all. Opaque.
    public var position: String
    /// Who did it.
    public var from: String
    /// When.
    public var time: Timestamp
}

/// A new body.
public struct MessageEdit: Sendable, Equatable {
    /// Which message.
    public var target: MessageTarget
    /// The kind of the message.
    public var kind: String
    /// The new body; nil if the message was deleted since.
    public var body: Body?
}

/// A message is gone; a tombstone stays in history.
public struct MessageDeletion: Sendable, Equatable {
    /// Which message.
    public var target: MessageTarget
}

/// A reaction to a message.
public struct Reaction: Sendable, Equatable {
    /// Which message.
    public var target: MessageTarget
    /// What, usually an emoji.
    public var reaction: String
    /// Whether it was taken back.
    public var isRemoved: Bool
}

/// What `send` gives back: the message is durable.
public struct SendReceipt: Sendable, Equatable {
    /// The id of the conversation, also if it was sent to a user. Empty if the user has left it since.
    public var conversation: String
    /// The number of the message there.
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
    /// Whether there is more in the direction that was asked for.
    public var hasMore: Bool
}

/// Sequences that were missed and won't come by themselves.
public struct Gap: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The first.
    public var from: SequenceNumber
    /// The last.
    public var to: SequenceNumber
}

/// Something from another device that isn't stored.
public struct Signal: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The user.
    public var from: String
    /// What the sender's application calls it.
    public var kind: String
    /// What it says.
    public var body: Body
}
