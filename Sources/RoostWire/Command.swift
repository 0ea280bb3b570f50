/// What a client may ask for, decoded but not yet judged. All `Text` is borrowed from the frame: it ends with the
/// call that handles the command. Docs/Protocol.md is the reference for every member.
public enum Command {
    case hello(Hello)
    case refresh(token: Text)
    case ping
    case bye
    case send(Send)
    case edit(Edit)
    case delete(Target)
    case react(React)
    case history(History)
    case signal(Signal)
    case ack(Position)
    case read(Target)
    case typing(to: Text, isActive: Bool)
    case presence(Activity)
    case watch(users: [Text])
    case unwatch(users: [Text])
    case create(Create)
    case list(before: Text?, limit: Int?)
    case rename(conversation: Text, name: Text)
    case add(conversation: Text, users: [Text])
    case remove(conversation: Text, users: [Text])
    case setRole(conversation: Text, user: Text, role: Role)
    case members(conversation: Text, sequence: SequenceNumber?)
    case leave(conversation: Text)

    /// `hello`.
    public struct Hello {
        /// The JWT.
        public var token: Text
        /// The device, if `hello` names it.
        public var device: Text?
        /// A background fetch.
        public var isBackground: Bool
        /// The position up to which the device says it has everything.
        public var resume: Position?

        /// Puts one together.
        @inlinable
        public init(token: Text, device: Text?, isBackground: Bool, resume: Position?) {
            self.token = token
            self.device = device
            self.isBackground = isBackground
            self.resume = resume
        }
    }

    /// `send`. `body` is raw JSON; for kind `text` it was checked to be a string within the limits.
    public struct Send {
        /// A conversation, or `@user`.
        public var to: Text
        /// The client's own name for this message.
        public var key: Text
        /// nil stands for `text`.
        public var kind: Text?
        /// Raw JSON, byte for byte.
        public var body: Text
        /// The message replied to.
        public var replyTo: SequenceNumber?

        /// Puts one together.
        @inlinable
        public init(to: Text, key: Text, kind: Text?, body: Text, replyTo: SequenceNumber?) {
            self.to = to
            self.key = key
            self.kind = kind
            self.body = body
            self.replyTo = replyTo
        }
    }

    /// `edit`. `body` is raw JSON; whether it has to be a text depends on the message, so `isText` says what it is.
    public struct Edit {
        /// The message meant.
        public var target: Target
        /// The new body: raw JSON.
        public var body: Text
        /// Whether the body is a string within the limits of a text.
        public var isText: Bool

        /// Puts one together.
        @inlinable
        public init(target: Target, body: Text, isText: Bool) {
            self.target = target
            self.body = body
            self.isText = isText
        }
    }

    /// A message, or a watermark, in a conversation.
    public struct Target {
        /// A conversation, or `@user`.
        public var conversation: Text
        /// 1 or above.
        public var sequence: SequenceNumber

        /// Puts one together.
        @inlinable
        public init(conversation: Text, sequence: SequenceNumber) {
            self.conversation = conversation
            self.sequence = sequence
        }
    }

    /// `react`.
    public struct React {
        /// The message meant.
        public var target: Target
        /// 1–32 bytes, usually an emoji.
        public var reaction: Text
        /// Take it back.
        public var isRemoval: Bool

        /// Puts one together.
        @inlinable
        public init(target: Target, reaction: Text, isRemoval: Bool) {
            self.target = target
            self.reaction = reaction
            self.isRemoval = isRemoval
        }
    }

    /// `history`. At most one of `before` and `after`.
    public struct History {
        /// A conversation, or `@user`.
        public var conversation: Text
        /// Messages below this one.
        public var before: SequenceNumber?
        /// Messages above this one.
        public var after: SequenceNumber?
        /// Messages at most.
        public var limit: Int?

        /// Puts one together.
        @inlinable
        public init(conversation: Text, before: SequenceNumber?, after: SequenceNumber?, limit: Int?) {
            self.conversation = conversation
            self.before = before
            self.after = after
            self.limit = limit
        }
    }

    /// `signal`. `body` is raw JSON.
    public struct Signal {
        /// A conversation, or `@user`.
        public var to: Text
        /// nil stands for `signal`.
        public var kind: Text?
        /// Raw JSON.
        public var body: Text

        /// Puts one together.
        @inlinable
        public init(to: Text, kind: Text?, body: Text) {
            self.to = to
            self.kind = kind
            self.body = body
        }
    }

    /// `conversation.create`.
    public struct Create {
        /// Direct or group.
        public var kind: ConversationKind
        /// Of a group.
        public var name: Text?
        /// User names, without the creator.
        public var members: [Text]
        /// Makes a retry safe.
        public var key: Text?

        /// Puts one together.
        @inlinable
        public init(kind: ConversationKind, name: Text?, members: [Text], key: Text?) {
            self.kind = kind
            self.name = name
            self.members = members
            self.key = key
        }
    }
}
