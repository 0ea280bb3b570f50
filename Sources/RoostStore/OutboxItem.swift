public import RoostWire

/// Something a user did that the relay hasn't accepted yet.
public struct OutboxItem: Sendable, Equatable, Identifiable {
    /// The message that an item changes or marks.
    public enum Target: Sendable, Hashable {
        /// One that the relay has stored.
        case stored(SequenceNumber)
        /// One that waits in the outbox itself: its `id`. The item waits for it, and is discarded with it.
        case unsent(Int64)
    }

    /// The user's action.
    public enum Action: Sendable, Equatable {
        /// A message with a body in JSON. Without a kind it is a text.
        case send(kind: String?, body: [UInt8], replyTo: Target?)
        /// A new body for a message.
        case edit(Target, body: [UInt8])
        /// A message taken back.
        case delete(Target)
        /// A reaction, or one taken back.
        case react(Target, reaction: String, isOn: Bool)
        /// Everything up to this message was seen.
        case read(SequenceNumber)
    }

    /// Why an item, or a conversation, waits for its user.
    public struct Failure: Sendable, Equatable {
        /// The relay's code.
        public var code: ErrorCode
        /// One line for the developer.
        public var reason: String

        /// Creates a failure.
        public init(_ code: ErrorCode, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }

    /// A message that is sent on as it is: the relay takes its content, and says who wrote it.
    public struct Forward: Sendable, Equatable {
        /// The id of its conversation.
        public var conversation: String
        /// Its sequence.
        public var sequence: SequenceNumber
        /// The user who wrote it.
        public var origin: String

        /// Creates one.
        public init(conversation: String, sequence: SequenceNumber, origin: String) {
            self.conversation = conversation
            self.sequence = sequence
            self.origin = origin
        }
    }

    /// Its number: later acts have greater ones. Never given twice.
    public var id: Int64
    /// The id of the conversation, or a user as `@name` until the relay has named the conversation.
    public var destination: String
    /// The key on the wire. The relay carries out each key once, so sending an item again is harmless.
    public var key: String
    /// The action.
    public var action: Action
    /// Number of times that the relay couldn't be asked, or asked for a later try.
    public var tries = 0
    /// Names of the users mentioned in the message, or the edit; `@all` stands for all members.
    public var mentions: [String] = []
    /// The stored message with which the thread began that the message belongs to; nil if it is in none.
    public var thread: SequenceNumber?
    /// The original of a forwarded message; nil if it has a content of its own. The body is then only for showing it.
    public var forward: Forward?
    /// The version that the message must have, or an edit is refused with `conflict`; nil if any.
    public var ifVersion: Int64?
    /// Why it stepped aside; nil while it waits for its turn.
    public var failure: Failure?

    /// Whether others see what it does, so that its order with other such items matters. Reactions and read marks are
    /// invisible: they never hold anything up.
    public var isVisible: Bool {
        switch action {
        case .send, .edit, .delete: true
        case .react, .read: false
        }
    }

    /// Whether it is a message.
    public var isMessage: Bool {
        if case .send = action { true } else { false }
    }

    /// The message that it is about, or replies to.
    public var target: Target? {
        switch action {
        case .send(_, _, let replyTo): replyTo
        case .edit(let target, _), .delete(let target), .react(let target, _, _): target
        case .read: nil
        }
    }

    /// The item of the outbox that it waits for.
    public var parent: Int64? {
        if case .unsent(let id) = target { id } else { nil }
    }

    /// Bytes that count against `OutboxLimits.bytesMax`.
    var bytes: Int {
        let content =
            switch action {
            case .send(_, let body, _), .edit(_, let body): body.count
            case .react(_, let reaction, _): reaction.utf8.count
            case .delete, .read: 0
            }
        let source = forward.map { $0.conversation.utf8.count + $0.origin.utf8.count } ?? 0
        return content + source + destination.utf8.count + key.utf8.count + mentions.reduce(0) { $0 + $1.utf8.count }
    }
}

/// The effect of a refusal on waiting items.
public enum FailureScope: Sendable, Equatable {
    /// The same try may succeed later.
    case passing
    /// The item's own: it steps aside until its user chooses, or is dropped if it is invisible.
    case item
    /// The conversation's: all its items wait until its user chooses.
    case conversation

    /// Judges a refusal of an item. If the item names another message (the first of a thread, or a forwarded one) or
    /// members, those may be what is gone; and not every member may mention all.
    public init(_ code: ErrorCode, of item: OutboxItem) {
        let namesOthers = item.thread != nil || item.forward != nil || !item.mentions.isEmpty
        let isOfItem =
            switch code {
            case .notFound, .gone: namesOthers
            case .forbidden: item.mentions.contains("@all")
            default: false
            }
        self = isOfItem ? .item : FailureScope(code, of: item.action)
    }

    /// Judges a refusal of `action` (Docs/Protocol.md, section 10).
    public init(_ code: ErrorCode, of action: OutboxItem.Action) {
        switch code {
        case .rateLimited, .busy, .unavailable, .notReady, .unauthorized, .tokenExpired: self = .passing
        case .badJSON, .badRequest, .unknownType, .tooLarge, .conflict, .badPosition, .usernameTaken: self = .item
        case .forbidden, .notFound, .gone, .noRelationship, .blocked:
            // For what changes or marks one message, the message may be what is gone.
            if case .send = action { self = .conversation } else { self = .item }
        }
    }
}
