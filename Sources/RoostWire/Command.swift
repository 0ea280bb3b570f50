/// A client's command, decoded but not yet judged. Every `Text` is borrowed from the frame and ends with the call that
/// handles the command. Docs/Protocol.md describes every member.
public enum Command {
    case hello(Hello)
    case refresh(token: Text)
    case ping
    case bye
    case devices
    case send(Send)
    case edit(Edit)
    /// With why, if an admin deletes what another member has written.
    case delete(Target, ReportReason?)
    case react(React)
    case history(History)
    case signal(Signal)
    case setState(SetState)
    case getState(GetState)
    case receipts(Receipts)
    case ack(Position)
    case read(Target)
    /// Messages of others from this one on that the user has read are unread again for the user alone.
    case unread(Target)
    case typing(to: Text, replyTo: SequenceNumber?, isActive: Bool)
    case presence(PresenceActivity)
    case status(StatusChoice?, text: Text?, after: Int64?)
    case privacy(PrivacyChange)
    /// Makes an exception from the settings for the users; nil removes it. It is never `blocked`.
    case except(users: [Text], PrivacyException?)
    case setProfile(ProfileChange)
    case getUsers([Text])
    case findUsers(Find)
    case block(users: [Text])
    case unblock(users: [Text])
    case report(Report)
    case watch(users: [Text], conversations: [Text])
    case unwatch(users: [Text], conversations: [Text])
    case contact(ContactCommand)
    /// `invite.*` and `join.*`.
    case invite(InviteCommand)
    case create(Create)
    case get(conversation: Text)
    /// With `requests`, those that strangers have begun and that wait to be accepted.
    case list(before: Text?, limit: Int?, requests: Bool)
    /// A request is accepted, or dropped.
    case answer(request: Text, isAccepted: Bool)
    case change(Change)
    case members(Members)
    case pins(Pins)
    case bans(Bans)
    case `operator`(OperatorCommand)

    /// `hello`.
    public struct Hello {
        /// The JWT.
        public var token: Text
        /// The device, if `hello` names one.
        public var device: Text?
        /// Whether this is a background fetch.
        public var isBackground: Bool
        /// Whether the session is to be an operator's, which belongs to no user.
        public var isOperator: Bool
        /// The position up to which the device has processed everything.
        public var resume: Position?
        /// The time between pings that the client asks for, in seconds, and how long it may take to answer one.
        public var pingSeconds, pongSeconds: Int64?

        /// Creates one.
        @inlinable
        public init(
            token: Text, device: Text?, isBackground: Bool, isOperator: Bool = false, resume: Position?,
            pingSeconds: Int64?, pongSeconds: Int64?
        ) {
            self.token = token
            self.device = device
            self.isBackground = isBackground
            self.isOperator = isOperator
            self.resume = resume
            self.pingSeconds = pingSeconds
            self.pongSeconds = pongSeconds
        }
    }

    /// `receipts`.
    public struct Receipts {
        /// The message.
        public var target: Target
        /// The page begins after this member.
        public var after: Text?
        /// Most members that are looked at.
        public var limit: Int?

        /// Creates one.
        @inlinable
        public init(target: Target, after: Text?, limit: Int?) {
            self.target = target
            self.after = after
            self.limit = limit
        }
    }

    /// `state.set`.
    public struct SetState {
        /// The key.
        public var key: Text
        /// The value, raw JSON; nil to remove the key.
        public var value: Text?
        /// The version that the key must have, or 0 if it must not be there.
        public var ifVersion: Int64?

        /// Creates one.
        @inlinable
        public init(key: Text, value: Text?, ifVersion: Int64?) {
            self.key = key
            self.value = value
            self.ifVersion = ifVersion
        }
    }

    /// `state.get`.
    public struct GetState {
        /// The requested keys.
        public enum Selection {
            case all
            /// These, as far as they are there.
            case keys([Text])
            /// Those that begin so.
            case prefix(Text)
        }

        /// The requested keys.
        public var selection: Selection
        /// Only keys behind this one.
        public var after: Text?
        /// Most keys of the answer.
        public var limit: Int?

        /// Creates one.
        @inlinable
        public init(_ selection: Selection, after: Text?, limit: Int?) {
            self.selection = selection
            self.after = after
            self.limit = limit
        }
    }

    /// `send`. `body` is raw JSON. For the kind `text` it was checked to be a string within the limits. Of a message
    /// that is forwarded, it is empty.
    public struct Send {
        /// A conversation, or `@user`.
        public var to: Text
        /// The client's own name for this command.
        public var key: Text
        /// The kind; nil means `text`.
        public var kind: Text?
        /// Raw JSON, byte for byte.
        public var body: Text
        /// The message that this one replies to.
        public var replyTo: SequenceNumber?
        /// The message with which the thread began that it belongs to.
        public var thread: SequenceNumber?
        /// Mentions: users, or `@all`.
        public var mentions: [Text]
        /// The message whose kind and body it has.
        public var forward: Target?
        /// Whether its sender has read what came before it.
        public var isReading: Bool

        /// Creates one.
        @inlinable
        public init(
            to: Text, key: Text, kind: Text?, body: Text, replyTo: SequenceNumber?, thread: SequenceNumber? = nil,
            mentions: [Text] = [], forward: Target? = nil, isReading: Bool = true
        ) {
            self.isReading = isReading
            self.thread = thread
            self.mentions = mentions
            self.forward = forward
            self.to = to
            self.key = key
            self.kind = kind
            self.body = body
            self.replyTo = replyTo
        }
    }

    /// `edit`. `body` is raw JSON. Whether it must be a text depends on the message.
    public struct Edit {
        /// The message to react to.
        public var target: Target
        /// The new body as raw JSON.
        public var body: Text
        /// Why the body can't be that of a text; nil if it can.
        public var textFault: TextFault?
        /// The message's mentions from now on: users, or `@all`.
        public var mentions: [Text]
        /// The version that the message must have; nil if any.
        public var ifVersion: Int64?

        /// Creates one.
        @inlinable
        public init(
            target: Target, body: Text, textFault: TextFault?, mentions: [Text] = [], ifVersion: Int64? = nil
        ) {
            self.mentions = mentions
            self.ifVersion = ifVersion
            self.target = target
            self.body = body
            self.textFault = textFault
        }
    }

    /// Why a body can't be that of a text.
    public enum TextFault: Sendable {
        case notString, blank, long
    }

    /// A message in a conversation, or a watermark.
    public struct Target {
        /// A conversation, or `@user`.
        public var conversation: Text
        /// The sequence, 1 or more.
        public var sequence: SequenceNumber

        /// Creates one.
        @inlinable
        public init(conversation: Text, sequence: SequenceNumber) {
            self.conversation = conversation
            self.sequence = sequence
        }
    }

    /// `react`.
    public struct React {
        /// The message to react to.
        public var target: Target
        /// The reaction: 1–32 bytes, usually an emoji. It is kept as `ReactionForm` says.
        public var reaction: Text
        /// Whether the reaction is taken back.
        public var isRemoval: Bool

        /// Creates one.
        @inlinable
        public init(target: Target, reaction: Text, isRemoval: Bool) {
            self.target = target
            self.reaction = reaction
            self.isRemoval = isRemoval
        }
    }

    /// `history`. At most one of `before` and `after` is set.
    public struct History {
        /// A conversation, or `@user`.
        public var conversation: Text
        /// Only messages of the thread that began with this one.
        public var thread: SequenceNumber?
        /// Only messages with a lower sequence.
        public var before: SequenceNumber?
        /// Only messages with a higher sequence.
        public var after: SequenceNumber?
        /// Most messages in the answer.
        public var limit: Int?
        /// Whether it says, too, what else happened to the conversation between these messages.
        public var hasEvents: Bool

        /// Creates one.
        @inlinable
        public init(
            conversation: Text, thread: SequenceNumber? = nil, before: SequenceNumber?, after: SequenceNumber?,
            limit: Int?, hasEvents: Bool = false
        ) {
            self.hasEvents = hasEvents
            self.conversation = conversation
            self.thread = thread
            self.before = before
            self.after = after
            self.limit = limit
        }
    }

    /// `conversation.members`.
    public struct Members {
        /// A conversation, or `@user`.
        public var conversation: Text
        /// The message of which the answer counts who has got and read it.
        public var sequence: SequenceNumber?
        /// The last user of the page before.
        public var after: Text?
        /// Most members in the answer.
        public var limit: Int?
        /// Whether the answer says how the members are.
        public var hasPresence: Bool

        /// Creates one.
        @inlinable
        public init(
            conversation: Text, sequence: SequenceNumber?, after: Text?, limit: Int?, hasPresence: Bool
        ) {
            self.hasPresence = hasPresence
            self.conversation = conversation
            self.sequence = sequence
            self.after = after
            self.limit = limit
        }
    }

    /// `conversation.pins`.
    public struct Pins {
        /// A conversation, or `@user`.
        public var conversation: Text
        /// `next` of the page before.
        public var before: Text?
        /// Most messages in the answer.
        public var limit: Int?

        /// Creates one.
        @inlinable
        public init(conversation: Text, before: Text?, limit: Int?) {
            self.conversation = conversation
            self.before = before
            self.limit = limit
        }
    }

    /// `conversation.bans`.
    public struct Bans {
        /// A conversation.
        public var conversation: Text
        /// The last user of the page before.
        public var after: Text?
        /// Most users in the answer.
        public var limit: Int?

        /// Creates one.
        @inlinable
        public init(conversation: Text, after: Text?, limit: Int?) {
            self.conversation = conversation
            self.after = after
            self.limit = limit
        }
    }

    /// `user.find`.
    public struct Find {
        /// The beginning of the username, or of a word of the name.
        public var prefix: Text
        /// Where the page before ended.
        public var after: Text?
        /// Most users in the answer.
        public var limit: Int?

        /// Creates one.
        @inlinable
        public init(prefix: Text, after: Text?, limit: Int?) {
            self.prefix = prefix
            self.after = after
            self.limit = limit
        }
    }

    /// `contact.report`.
    public struct Report {
        /// The subject of the report.
        public enum Subject {
            case user(Text)
            case message(Target)
        }

        /// The subject of the report.
        public var subject: Subject
        /// Why.
        public var reason: ReportReason
        /// The user's own words about it.
        public var text: Text?

        /// Creates one.
        @inlinable
        public init(_ subject: Subject, _ reason: ReportReason, text: Text?) {
            self.subject = subject
            self.reason = reason
            self.text = text
        }
    }

    /// `signal`. `body` is raw JSON.
    public struct Signal {
        /// A conversation, or `@user`.
        public var to: Text
        /// The kind; nil means `signal`.
        public var kind: Text?
        /// Raw JSON.
        public var body: Text

        /// Creates one.
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
        /// The name of a group.
        public var name: Text?
        /// The names of the members, without the creator.
        public var members: [Text]
        /// The client's own name for this command, which makes a retry safe.
        public var key: Text?

        /// Creates one.
        @inlinable
        public init(kind: ConversationKind, name: Text?, members: [Text], key: Text?) {
            self.kind = kind
            self.name = name
            self.members = members
            self.key = key
        }
    }

    /// `conversation.rename`, `.describe`, `.add`, `.remove`, `.role`, `.expiry`, `.pin`, `.unpin`, `.ban`, `.unban`,
    /// `.timeout`, `.posting`, `.slow`, `.joining` or `.leave`.
    public struct Change {
        /// The change.
        public enum Kind {
            case rename(Text)
            /// A member that isn't named stays; an empty text removes it.
            case describe(photo: Text?, description: Text?)
            case add([Text])
            case remove([Text])
            case role(MemberRole, user: Text)
            /// Milliseconds after which messages disappear; 0 if they stay.
            case expiry(Int64)
            /// This message is shown at the top.
            case pin(SequenceNumber)
            case unpin(SequenceNumber)
            /// The user leaves the group, and can't come back until `unban`.
            case ban(user: Text, ReportReason?)
            case unban(user: Text)
            /// The member can't write for this number of milliseconds; 0 ends that.
            case timeout(user: Text, after: Int64, ReportReason?)
            case posting(PostingRule)
            /// Milliseconds between two messages of a member; 0 for none.
            case slow(Int64)
            case joining(JoiningRule)
            /// `keeps`: refused if the user is the last member, whose leaving erases the conversation.
            case leave(keeps: Bool)
        }

        /// A conversation, or `@user`.
        public var conversation: Text
        /// The change.
        public var kind: Kind
        /// The client's own name for this command, which makes a retry safe.
        public var key: Text?

        /// Creates one.
        @inlinable
        public init(_ kind: Kind, of conversation: Text, key: Text?) {
            self.kind = kind
            self.conversation = conversation
            self.key = key
        }
    }
}
