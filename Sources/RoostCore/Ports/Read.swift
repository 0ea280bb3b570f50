import RoostWire

/// A question to the log, answered on another thread. `ticket` comes back with the answer.
public struct Read: Sendable {
    /// Names the read in its answer.
    public var ticket: UInt64
    /// What is asked.
    public var question: Question

    /// The kinds of question.
    public enum Question: Sendable {
        case page(PageRequest)
        case history(HistoryRequest)
        case latest(LatestRequest)
    }

    /// Puts a read together.
    public init(ticket: UInt64, _ question: Question) {
        self.ticket = ticket
        self.question = question
    }
}

/// One page of catch-up: what a device has not got, in the order of positions, over several conversations.
public struct PageRequest: Sendable, Hashable {
    /// What of a conversation is wanted: positions above `after` up to `upTo`.
    public struct Span: Sendable, Hashable {
        /// Which conversation.
        public var conversation: ConversationNumber
        /// Not wanted: up to here.
        public var after: Position
        /// The last wanted.
        public var upTo: Position
        /// Messages up to this one are not shown to the device's user.
        public var since: SequenceNumber

        /// Puts a span together.
        public init(_ conversation: ConversationNumber, after: Position, upTo: Position, since: SequenceNumber = .none)
        {
            self.conversation = conversation
            self.after = after
            self.upTo = upTo
            self.since = since
        }
    }

    /// One per conversation.
    public var spans: [Span]
    /// Rows at most.
    public var rows: Int
    /// Bytes of bodies at which the page ends early (it has at least one row).
    public var bytes: Int
    /// On the first page: messages per span above which only the newest `rows` are given, and a gap. Else nil.
    public var backlogMax: Int?

    /// Puts a request together.
    public init(spans: [Span], rows: Int, bytes: Int, backlogMax: Int?) {
        self.spans = spans
        self.rows = rows
        self.bytes = bytes
        self.backlogMax = backlogMax
    }
}

/// A page of history, by sequence. Only messages.
public struct HistoryRequest: Sendable {
    /// Which conversation.
    public var conversation: ConversationNumber
    /// Whose reactions are `mine`.
    public var reader: UserNumber
    /// Messages strictly above `after` and strictly below `before`.
    public var after: SequenceNumber
    /// The upper end, not included.
    public var before: SequenceNumber
    /// Whether the newest (true) or the oldest of those are wanted when there are more than `rows`.
    public var isNewest: Bool
    /// Messages at most.
    public var rows: Int
    /// Bytes of bodies at which the page ends early (it has at least one message).
    public var bytes: Int

    /// Puts a request together.
    public init(
        conversation: ConversationNumber, reader: UserNumber, after: SequenceNumber, before: SequenceNumber,
        isNewest: Bool,
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
    /// Which messages.
    public var messages: [(conversation: ConversationNumber, sequence: SequenceNumber)]
    /// Puts a request together.
    public init(messages: [(conversation: ConversationNumber, sequence: SequenceNumber)]) { self.messages = messages }
}

/// An answer.
public struct ReadResult: Sendable {
    /// That of the read.
    public var ticket: UInt64
    /// Page: ascending by position. History: ascending by sequence. Latest: in the order asked.
    public var events: [StoredEvent]
    /// Page: what is left out of too long a backlog.
    public var gaps: [Gap]
    /// Page: rows remain in the spans. History: messages remain on the side that was cut.
    public var hasMore: Bool
    /// The read failed: everything else is empty.
    public var isFailed: Bool

    /// Puts an answer together.
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
    /// Where.
    public var conversation: ConversationNumber
    /// The first sequence left out.
    public var from: SequenceNumber
    /// The last sequence left out.
    public var to: SequenceNumber
    /// The span goes on after this position.
    public var floor: Position

    /// Puts a gap together.
    public init(_ conversation: ConversationNumber, from: SequenceNumber, to: SequenceNumber, floor: Position) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.floor = floor
    }
}

/// A row of the log, with what became of it since.
public struct StoredEvent: Sendable {
    /// What it is.
    public var kind: EventKind
    /// Where it belongs.
    public var conversation: ConversationNumber
    /// Its place in the log.
    public var position: Position
    /// Message: its own. Edit, delete, react: that of the message meant. Conversation: the last one before it.
    public var sequence: SequenceNumber
    /// Who caused it.
    public var sender: UserNumber
    /// The sending device.
    public var device: String
    /// The client's key; empty for none.
    public var key: String
    /// As in `Append`; for an edit the message's kind.
    public var label: String
    /// Message: the message replied to.
    public var reference: SequenceNumber
    /// Raw JSON; empty if it was erased.
    public var body: [UInt8]
    /// React: taken back.
    public var flag: Bool
    /// When the relay took it.
    public var time: Timestamp
    /// Message: when edited last; else `.never`.
    public var editedAt: Timestamp
    /// Message: when deleted; else `.never`.
    public var deletedAt: Timestamp
    /// History only.
    public var reactions: [ReactionCount]

    /// The row that an append became.
    public init(_ append: borrowing Append, position: Position, sequence: SequenceNumber) {
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
    /// As sent.
    public var reaction: String
    /// Members who gave it.
    public var count: Int
    /// Whether the reader is one of them.
    public var isMine: Bool

    /// Puts a count together.
    public init(_ reaction: String, count: Int, isMine: Bool) {
        self.reaction = reaction
        self.count = count
        self.isMine = isMine
    }
}
