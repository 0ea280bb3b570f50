/// A message as the server sends it: live, during catch-up and in history.
public struct Message: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// Its number in the conversation, without holes.
    public var sequence: SequenceNumber
    /// Its place in the order of all events. Opaque.
    public var position: String
    /// The author; empty if the message is hidden.
    public var from: String
    /// The author's device; nil if the author is another user.
    public var device: String?
    /// The author's key for it.
    public var key: String?
    /// When it was stored.
    public var time: Timestamp
    /// `text`, or a kind of the author's application.
    public var kind: String
    /// The body; nil if the message was deleted or is hidden.
    public var body: MessageBody?
    /// The message that it replies to.
    public var replyTo: SequenceNumber?
    /// The message with which the thread began that it belongs to; nil if it is in none.
    public var thread: SequenceNumber?
    /// Names of the mentioned users; `@all` stands for all members.
    public var mentions: [String] = []
    /// The author of the forwarded original; nil if the message isn't forwarded.
    public var origin: Origin?
    /// Whether its author had read what came before it.
    public var isReading = true
    /// When it disappears; nil if it stays.
    public var expires: Timestamp?
    /// When it was last edited.
    public var editedAt: Timestamp?
    /// Its version: 1, and one more for each edit.
    public var version: Int64 = 1
    /// When it was deleted.
    public var deletedAt: Timestamp?
    /// The reactions; only in history.
    public var reactions: [ReactionCount]
    /// The thread that began with it; only in history and in lists of conversations and pins, and nil if it has no
    /// messages.
    public var replies: ThreadSummary?
    /// Whether there is a block between the reader and the author: then only a placeholder is sent.
    public var isHidden = false
}

extension Message {
    /// Reads a message; nil if a member is missing that every message has.
    public init?(reading members: JSONMembers) {
        guard let target = MessageTarget(reading: members) else { return nil }
        conversation = target.conversation
        sequence = target.sequence
        position = target.position
        from = target.from
        device = members.string("device")
        key = members.string("key")
        time = target.time
        kind = members.string("kind") ?? "text"
        body = members.body
        replyTo = members.sequence("replyTo")
        thread = members.sequence("thread")
        mentions = members.strings("mentions")
        origin = members.object("origin").flatMap(Origin.init(reading:))
        isReading = members.flag("read") ?? true
        expires = members.time("expires")
        editedAt = members.time("editedAt")
        version = members.integer("version") ?? 1
        deletedAt = members.time("deletedAt")
        reactions = (members.objects("reactions") ?? []).compactMap(ReactionCount.init(reading:))
        replies = members.object("replies").flatMap(ThreadSummary.init(reading:))
        isHidden = members.flag("hidden") ?? false
    }
}

/// Where a forwarded message comes from.
public struct Origin: Sendable, Equatable {
    /// The user who wrote it.
    public var from: String
}

extension Origin {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let from = members.string("from") else { return nil }
        self.from = from
    }
}

/// The content of a message, an edit or a signal: JSON, byte for byte as its author wrote it.
public struct MessageBody: Sendable, Equatable {
    /// The JSON value.
    public let json: [UInt8]
    /// The text, if the value is a string.
    public let text: String?

    init(_ value: JSONValue) {
        json = value.raw
        text = value.string
    }

    /// The content in these bytes; nil if they aren't one JSON value.
    public init?(json: [UInt8]) {
        guard JSONValue.isValid(json) else { return nil }
        let object = Array("{\"body\":".utf8) + json + Array("}".utf8)
        guard let body = object.withUnsafeBytes({ JSONMembers(parsing: $0) })?.body else { return nil }
        self = body
    }

    /// A text as content.
    public init(text: String) {
        let writer = JSONWriter()
        writer.beginBare()
        writer.element(text)
        json = Array(writer.written)
        self.text = text
    }
}

/// A reaction to a message, with the number of members who gave it.
public struct ReactionCount: Sendable, Equatable {
    /// The reaction, usually an emoji.
    public var reaction: String
    /// Number of members who gave it.
    public var count: Int
    /// Whether the user is one of them.
    public var isMine: Bool

    /// Creates a count.
    public init(_ reaction: String, count: Int, isMine: Bool) {
        self.reaction = reaction
        self.count = count
        self.isMine = isMine
    }

    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let reaction = members.string("reaction"), let count = members.count("count") else { return nil }
        self.init(reaction, count: count, isMine: members.flag("mine") ?? false)
    }
}

/// The size of a thread, and its last message. Messages that were deleted or have disappeared don't count.
public struct ThreadSummary: Sendable, Equatable {
    /// Number of its messages, up to `Limits.repliesCounted`, which stands for that many or more.
    public var count: Int
    /// The last of them.
    public var last: SequenceNumber
    /// When the last of them was stored.
    public var time: Timestamp

    /// Creates a summary.
    public init(count: Int, last: SequenceNumber, time: Timestamp) {
        self.count = count
        self.last = last
        self.time = time
    }

    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let count = members.count("count"), let last = members.sequence("last"), let time = members.time("time")
        else { return nil }
        self.init(count: count, last: last, time: time)
    }
}

/// The message that an event changes, with the user who changed it and the time.
public struct MessageTarget: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The message.
    public var sequence: SequenceNumber
    /// The event's place in the order of all events. Opaque.
    public var position: String
    /// The user who caused the event; empty if there is a block between that one and the reader.
    public var from: String
    /// When it happened.
    public var time: Timestamp
}

extension MessageTarget {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let sequence = members.sequence("sequence"),
            let position = members.string("position"),
            let from = members.string("from") ?? (members.flag("hidden") == true ? "" : nil),
            let time = members.time("time")
        else { return nil }
        self.conversation = conversation
        self.sequence = sequence
        self.position = position
        self.from = from
        self.time = time
    }
}

/// An edit of a message.
public struct MessageEdit: Sendable, Equatable {
    /// The message.
    public var target: MessageTarget
    /// The kind of the message.
    public var kind: String
    /// The new body.
    public var body: MessageBody
    /// Names of the users that the message mentions from now on.
    public var mentions: [String] = []
    /// The version of the message from now on.
    public var version: Int64 = 1
}

extension MessageEdit {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let target = MessageTarget(reading: members), let body = members.body else { return nil }
        self.target = target
        kind = members.string("kind") ?? "text"
        self.body = body
        mentions = members.strings("mentions")
        version = members.integer("version") ?? 1
    }
}

/// A message was deleted. A tombstone stays in history.
public struct MessageDeletion: Sendable, Equatable {
    /// The message, and who deleted it: its author, or an admin of the group.
    public var target: MessageTarget
    /// Why, if an admin said so.
    public var reason: ReportReason?
}

/// A reaction to a message.
public struct MessageReaction: Sendable, Equatable {
    /// The message.
    public var target: MessageTarget
    /// The reaction, usually an emoji.
    public var reaction: String
    /// Whether it was taken back.
    public var isRemoved: Bool
}

extension MessageReaction {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let target = MessageTarget(reading: members), let reaction = members.string("reaction") else {
            return nil
        }
        self.target = target
        self.reaction = reaction
        isRemoved = members.flag("removed") ?? false
    }
}

/// Sequences of messages that were left out. In an event they belong to a backlog that was too long, or are damaged in
/// the server's store; in history they are damaged.
public struct MessageGap: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The first sequence left out.
    public var from: SequenceNumber
    /// The last sequence left out.
    public var to: SequenceNumber
    /// Whether changes were left out as well: what this device has of the conversation may be out of date.
    public var isReset: Bool
}

extension MessageGap {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation") else { return nil }
        self.init(in: conversation, reading: members)
    }

    init?(in conversation: String, reading members: JSONMembers) {
        guard let from = members.sequence("from"), let to = members.sequence("to") else { return nil }
        self.init(conversation: conversation, from: from, to: to, isReset: members.flag("reset") ?? false)
    }
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
    public var body: MessageBody
}

extension Signal {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let from = members.string("from"),
            let body = members.body
        else { return nil }
        self.conversation = conversation
        self.from = from
        kind = members.string("kind") ?? "signal"
        self.body = body
    }
}
