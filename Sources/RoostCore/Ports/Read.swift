import RoostProtocol

/// A question to the log, answered on another thread. `ticket` comes back with the answer.
public struct Read: Sendable {
    public var ticket: UInt64
    public var question: Question

    public enum Question: Sendable {
        case page(PageRequest)
        case history(HistoryRequest)
        case latest(LatestRequest)
    }

    public init(ticket: UInt64, _ question: Question) {
        self.ticket = ticket
        self.question = question
    }
}

/// One page of catch-up: what a device has not got, in the order of positions, over several conversations.
public struct PageRequest: Sendable {
    /// What of a conversation is wanted: positions above `after` up to `upTo`.
    public struct Span: Sendable, Equatable {
        public var conversation: ConversationNumber
        public var after: Position
        public var upTo: Position
        /// Messages up to this one are not shown to the device's user.
        public var since: Sequence

        public init(_ conversation: ConversationNumber, after: Position, upTo: Position, since: Sequence = .none) {
            self.conversation = conversation
            self.after = after
            self.upTo = upTo
            self.since = since
        }
    }

    public var spans: [Span]
    /// Rows at most.
    public var rows: Int
    /// Bytes of bodies at which the page ends early (it has at least one row).
    public var bytes: Int
    /// On the first page: messages per span above which only the newest `rows` are given, and a gap. Else nil.
    public var backlogMax: Int?

    public init(spans: [Span], rows: Int, bytes: Int, backlogMax: Int?) {
        self.spans = spans
        self.rows = rows
        self.bytes = bytes
        self.backlogMax = backlogMax
    }
}

/// A page of history, by sequence. Only messages.
public struct HistoryRequest: Sendable {
    public var conversation: ConversationNumber
    /// Whose reactions are `mine`.
    public var reader: UserNumber
    /// Messages strictly above `after` and strictly below `before`.
    public var after: Sequence
    public var before: Sequence
    /// Whether the newest (true) or the oldest of those are wanted when there are more than `rows`.
    public var isNewest: Bool
    public var rows: Int
    public var bytes: Int

    public init(
        conversation: ConversationNumber, reader: UserNumber, after: Sequence, before: Sequence, isNewest: Bool,
        rows: Int, bytes: Int
    ) {
        self.conversation = conversation
        self.reader = reader
        self.after = after
        self.before = before
        self.isNewest = isNewest
        self.rows = rows
        self.bytes = bytes
    }
}

/// The messages with the given sequences, one per conversation; what isn't there is left out.
public struct LatestRequest: Sendable {
    public var messages: [(conversation: ConversationNumber, sequence: Sequence)]
    public init(messages: [(conversation: ConversationNumber, sequence: Sequence)]) { self.messages = messages }
}

/// An answer.
public struct ReadResult: Sendable {
    public var ticket: UInt64
    /// Page: ascending by position. History: ascending by sequence. Latest: in the order asked.
    public var events: [StoredEvent]
    /// Page: what is left out of too long a backlog.
    public var gaps: [Gap]
    /// Page: rows remain in the spans. History: messages remain on the side that was cut.
    public var hasMore: Bool
    /// The read failed: everything else is empty.
    public var isFailed: Bool

    public init(
        ticket: UInt64, events: [StoredEvent] = [], gaps: [Gap] = [], hasMore: Bool = false, isFailed: Bool = false
    ) {
        self.ticket = ticket
        self.events = events
        self.gaps = gaps
        self.hasMore = hasMore
        self.isFailed = isFailed
    }
}

/// Sequences of a conversation that a device is not sent, and the position after which its rows go on.
public struct Gap: Sendable, Equatable {
    public var conversation: ConversationNumber
    public var from: Sequence
    public var to: Sequence
    public var floor: Position

    public init(_ conversation: ConversationNumber, from: Sequence, to: Sequence, floor: Position) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.floor = floor
    }
}

/// A row of the log, with what became of it since.
public struct StoredEvent: Sendable {
    public var kind: EventKind
    public var conversation: ConversationNumber
    public var position: Position
    /// Message: its own. Edit, delete, react: that of the message meant. Conversation: the last one before it.
    public var sequence: Sequence
    public var sender: UserNumber
    public var device: String
    public var key: String
    /// As in `Append`; for an edit the message's kind.
    public var label: String
    /// Message: the message replied to.
    public var reference: Sequence
    public var body: [UInt8]
    /// React: taken back.
    public var flag: Bool
    public var time: Timestamp
    public var editedAt: Timestamp
    public var deletedAt: Timestamp
    /// History only.
    public var reactions: [ReactionCount]

    public init(_ append: Append, position: Position, sequence: Sequence) {
        kind = append.kind
        conversation = append.conversation
        self.position = position
        self.sequence = sequence
        sender = append.sender
        device = append.device
        key = append.key
        label = append.label
        reference = append.reference
        body = append.body
        flag = append.flag
        time = append.time
        editedAt = .never
        deletedAt = .never
        reactions = []
    }
}

/// How many members gave a message one reaction.
public struct ReactionCount: Sendable, Equatable {
    public var reaction: String
    public var count: Int
    public var isMine: Bool

    public init(_ reaction: String, count: Int, isMine: Bool) {
        self.reaction = reaction
        self.count = count
        self.isMine = isMine
    }
}
