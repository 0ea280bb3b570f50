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
    case members(conversation: Text, sequence: Sequence?)
    case leave(conversation: Text)

    /// `hello`.
    public struct Hello {
        public var token: Text
        public var device: Text?
        public var isBackground: Bool
        public var resume: Position?
    }

    /// `send`. `body` is raw JSON; for kind `text` it was checked to be a string within the limits.
    public struct Send {
        public var to: Text
        public var key: Text
        public var kind: Text?
        public var body: Text
        public var replyTo: Sequence?
    }

    /// `edit`. `body` is raw JSON; whether it has to be a text depends on the message, so `isText` says what it is.
    public struct Edit {
        public var target: Target
        public var body: Text
        public var isText: Bool
    }

    /// A message, or a watermark, in a conversation.
    public struct Target {
        public var conversation: Text
        public var sequence: Sequence
    }

    /// `react`.
    public struct React {
        public var target: Target
        public var reaction: Text
        public var isRemoval: Bool
    }

    /// `history`. At most one of `before` and `after`.
    public struct History {
        public var conversation: Text
        public var before: Sequence?
        public var after: Sequence?
        public var limit: Int?
    }

    /// `signal`. `body` is raw JSON.
    public struct Signal {
        public var to: Text
        public var kind: Text?
        public var body: Text
    }

    /// `conversation.create`.
    public struct Create {
        public var kind: ConversationKind
        public var name: Text?
        public var members: [Text]
        public var key: Text?
    }
}
