/// The members of `ok` for every command that was stored; nil where a member is absent.
public struct Answer: Sendable, Equatable {
    /// The id of the command.
    public var re: CommandID?
    /// The event's place in the order of all events. Opaque.
    public var position: String?
    /// When it was stored.
    public var time: Timestamp?
    /// Whether the command changed nothing, or was stored by an earlier try.
    public var isDuplicate: Bool
    /// When the token expires; only in the answer to `refresh`.
    public var expires: Timestamp?
    /// The version of the profile, or of the message; only in the answers to `profile.set`, `admin.profile` and `edit`.
    public var version: Int64?
    /// Those who were added; only in the first answer to `conversation.add`, and empty otherwise.
    public var added: [String]
    /// Number of closed connections; only in the answers to `admin.disconnect` and `admin.revoke`.
    public var closed: Int?
    /// Whether a restart would forget what was done, because the disk is full; only in the answer to `admin.revoke`.
    public var isUnstored: Bool
}

extension Answer {
    /// Reads an answer.
    public init(reading members: JSONMembers) {
        re = members.reply
        position = members.string("position")
        time = members.time("time")
        isDuplicate = members.flag("duplicate") ?? false
        expires = members.time("expires")
        version = members.integer("version")
        added = members.strings("users")
        closed = members.count("closed")
        isUnstored = members.flag("unstored") ?? false
    }
}

/// The answer to `ping`.
public struct Pong: Sendable, Equatable {
    /// The id of the command.
    public var re: CommandID?
    /// The server's time.
    public var time: Timestamp
}

extension Pong {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let time = members.time("time") else { return nil }
        re = members.reply
        self.time = time
    }
}

/// The answer to `send`: the message is durable.
public struct StoredMessage: Sendable, Equatable {
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
    /// When it disappears; nil if it stays.
    public var expires: Timestamp?
    /// When it was deleted, or has disappeared; nil if it wasn't. Only an earlier try can have that.
    public var deletedAt: Timestamp?
    /// The forwarded content; nil if the message is the sender's own, was deleted, or is in a conversation that the
    /// user has left.
    public var forwarded: ForwardedContent?

    /// The content of a forwarded message.
    public struct ForwardedContent: Sendable, Equatable {
        /// The kind of the body.
        public var kind: String
        /// The body.
        public var body: MessageBody
        /// The user who wrote it.
        public var origin: String

        /// Creates one.
        public init(kind: String, body: MessageBody, origin: String) {
            self.kind = kind
            self.body = body
            self.origin = origin
        }
    }

    /// Creates one.
    public init(
        conversation: String, sequence: SequenceNumber, position: String, time: Timestamp, isDuplicate: Bool,
        expires: Timestamp? = nil
    ) {
        self.conversation = conversation
        self.sequence = sequence
        self.position = position
        self.time = time
        self.isDuplicate = isDuplicate
        self.expires = expires
    }

    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let sequence = members.sequence("sequence"), let position = members.string("position"),
            let time = members.time("time")
        else { return nil }
        self.init(
            conversation: members.string("conversation") ?? "", sequence: sequence, position: position, time: time,
            isDuplicate: members.flag("duplicate") ?? false, expires: members.time("expires"))
        deletedAt = members.time("deletedAt")
        if let body = members.body, let origin = members.object("origin").flatMap(Origin.init(reading:)) {
            forwarded = ForwardedContent(kind: members.string("kind") ?? "text", body: body, origin: origin.from)
        }
    }
}

/// The answer to `history`: one page of messages, oldest first, and what else happened between them.
public struct HistoryPage: Sendable, Equatable {
    /// The id of the conversation.
    public var conversation: String
    /// The messages.
    public var messages: [Message]
    /// Messages between, before or after these that the server can't show, because they are damaged in its store.
    public var gaps: [MessageGap]
    /// The changes to the conversation between these messages, oldest first, if they were asked for: the newest ones of
    /// the page.
    public var events: [ConversationEvent] = []
    /// Whether there are more messages in the requested direction.
    public var hasMore: Bool

    /// The first sequence of the page, of a message or a gap. The page before it is `before` this.
    public var first: SequenceNumber? { [messages.first?.sequence, gaps.first?.from].compactMap { $0 }.min() }
    /// The last sequence of the page, of a message or a gap. The page after it is `after` this.
    public var last: SequenceNumber? { [messages.last?.sequence, gaps.last?.to].compactMap { $0 }.max() }
}

extension HistoryPage {
    /// Reads the answer; nil if it isn't one to this command.
    public init?(reading members: JSONMembers) {
        guard let conversation = members.string("conversation"), let messages = members.objects("messages") else {
            return nil
        }
        self.conversation = conversation
        self.messages = messages.compactMap(Message.init(reading:))
        gaps = (members.objects("gaps") ?? []).compactMap { MessageGap(in: conversation, reading: $0) }
        events = (members.objects("events") ?? []).compactMap(ConversationEvent.init(reading:))
        hasMore = members.flag("more") ?? false
    }
}

/// Why a command failed, as a client gets it: an `error`.
public struct CommandRefusal: Error, Sendable, Equatable {
    /// The id of the command, if it had one that could be read.
    public var re: CommandID?
    /// The code on the wire. `ErrorCode` has those that this version knows.
    public var code: String
    /// One line for the developer.
    public var reason: String
    /// Whether the same command may succeed later.
    public var isTemporary: Bool
    /// The wait before another try, if the server asked for one.
    public var retryAfter: Duration?
    /// The id of the conversation for which alone the wait is; nil if it is for everything.
    public var conversation: String?
}

extension CommandRefusal {
    /// Reads a refusal.
    public init(reading members: JSONMembers) {
        re = members.reply
        code = members.string("code") ?? "unknown"
        reason = members.string("reason") ?? ""
        isTemporary = members.flag("retry") ?? false
        retryAfter = members.integer("retryAfter").map { .milliseconds(max(0, $0)) }
        conversation = members.string("conversation")
    }

    /// Whether the refusal has this code.
    public func `is`(_ code: ErrorCode) -> Bool { self.code == "\(code.word)" }
}
