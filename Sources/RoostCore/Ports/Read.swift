import RoostWire

/// A read of the log. Another thread answers it, and `ticket` identifies the answer.
public struct Read: Sendable {
    /// Identifies the answer.
    public var ticket: UInt64
    /// The question.
    public var question: Question
    /// The user that it is for. Users take turns, so that one who asks for much doesn't keep the others waiting.
    public var asker: UserNumber
    /// When it is asked: what has disappeared by then isn't shown, even if it hasn't been erased yet.
    public var time = Timestamp.never

    /// The kinds of questions.
    public enum Question: Sendable {
        case page(PageRequest)
        case history(HistoryRequest)
        case latest(LatestRequest)
        case feed(FeedRequest)
        case settings(SettingsRequest)
        case receipts(ReceiptsRequest)
    }

    /// Creates a read.
    public init(ticket: UInt64, _ question: Question, asker: UserNumber = .none) {
        self.ticket = ticket
        self.question = question
        self.asker = asker
    }
}

/// One page of catch-up: events that a device has not received, in the order of positions, over several conversations.
/// An edit is returned only if it is the last one of a message that still stands: the message has its body.
public struct PageRequest: Sendable, Hashable {
    /// The wanted part of a conversation: positions above `after` and up to `upTo`.
    public struct Span: Sendable, Hashable {
        /// The conversation.
        public var conversation: ConversationNumber
        /// Positions up to here are not wanted.
        public var after: Position
        /// The last wanted position.
        public var upTo: Position
        /// Messages up to this one are not shown to the device's user.
        public var since: SequenceNumber
        /// Messages left out of a backlog that is too long.
        public var skip: Skip?
        /// Whether it is known how long the backlog is: from an earlier page, or from the window.
        public var isMeasured = false
        /// The event by which the device's user left; the highest of a member.
        public var leftAt = Position(.max)

        /// Creates a span.
        public init(
            _ conversation: ConversationNumber, after: Position, upTo: Position, since: SequenceNumber = .none,
            skip: Skip? = nil
        ) {
            self.conversation = conversation
            self.after = after
            self.upTo = upTo
            self.since = since
            self.skip = skip
        }

        /// Whether the device is sent an event that isn't about messages, or pins one that its user may see.
        public func shows(_ event: StoredEvent) -> Bool { event.subject > since }

        /// Whether the device is not sent this message, or the change of it that is at this position.
        public func leavesOut(_ sequence: SequenceNumber, at position: Position) -> Bool {
            sequence <= since || skip.map { $0.from <= sequence && sequence <= $0.to && position <= $0.upTo } ?? false
        }
    }

    /// Messages that a page leaves out, with the changes of them, because there are too many. Everything else of their
    /// span is sent.
    public struct Skip: Sendable, Hashable {
        /// The first message left out.
        public var from: SequenceNumber
        /// The last message left out.
        public var to: SequenceNumber
        /// The gap is sent before the first event above this position.
        public var place: Position
        /// Whether an earlier page contained the gap.
        public var isTold: Bool
        /// Changes above this position are sent. They were made after the gap was sent, so the device may have asked
        /// for the history that they change.
        public var upTo: Position

        /// Creates a skip.
        public init(
            from: SequenceNumber, to: SequenceNumber, place: Position, isTold: Bool = false,
            upTo: Position = Position(.max)
        ) {
            self.from = from
            self.to = to
            self.place = place
            self.isTold = isTold
            self.upTo = upTo
        }
    }

    /// When a backlog is too long, and what is then read of it.
    public struct Backlog: Sendable, Hashable {
        /// If a span has more messages than this, only its newest page is sent, and a gap.
        public var messages: Int
        /// Most changes (events that aren't messages) among the messages left out. With more, the changes are left
        /// out too, and the gap is a reset.
        public var changes: Int
        /// Most rows in which changes are looked for, over all spans that the page measures. With more, the gap is a
        /// reset.
        public var rows: Int

        /// Creates a bound.
        public init(messages: Int, changes: Int, rows: Int) {
            self.messages = messages
            self.changes = changes
            self.rows = rows
        }
    }

    /// One span for each conversation, in any order.
    public var spans: [Span]
    /// Rows above this position are not wanted, because spans of other pages may have earlier ones. The result contains
    /// the ends of spans all the same.
    public var horizon: Position
    /// Most rows of the page.
    public var rows: Int
    /// Bytes of bodies at which the page ends early.
    public var bytes: Int
    /// When a backlog is too long; nil if none is. It concerns spans that no page has measured yet.
    public var backlog: Backlog?

    /// Creates a request.
    public init(
        spans: [Span], horizon: Position = Position(.max), rows: Int, bytes: Int, backlog: Backlog? = nil
    ) {
        self.spans = spans
        self.horizon = horizon
        self.rows = rows
        self.bytes = bytes
        self.backlog = backlog
    }
}

/// A page of history in the order of sequences, with messages only.
public struct HistoryRequest: Sendable {
    /// The conversation.
    public var conversation: ConversationNumber
    /// The message with which a thread began, of whose messages only those are wanted that stand; `.none` for all
    /// messages of the conversation.
    public var thread: SequenceNumber
    /// The user whose reactions are `mine`.
    public var reader: UserNumber
    /// Messages strictly above `after` and strictly below `before`.
    public var after: SequenceNumber
    /// Upper bound, exclusive.
    public var before: SequenceNumber
    /// If there are more than `rows`: whether the newest (true) or the oldest are wanted.
    public var isNewest: Bool
    /// Most messages of the page.
    public var rows: Int
    /// Bytes of bodies at which the page ends early. It has at least one message.
    public var bytes: Int
    /// Users whose reactions don't count for the reader: with each of them it has a block.
    public var withheld: [UserNumber]
    /// Most events that aren't about messages, behind the messages of the page: the newest of them.
    public var events: Int

    /// Creates a request.
    public init(
        conversation: ConversationNumber, thread: SequenceNumber = .none, reader: UserNumber, after: SequenceNumber,
        before: SequenceNumber, isNewest: Bool, rows: Int, bytes: Int, withheld: [UserNumber] = [], events: Int = 0
    ) {
        self.events = events
        self.withheld = withheld
        self.thread = thread
        self.conversation = conversation
        self.reader = reader
        self.after = after
        self.before = before
        self.isNewest = isNewest
        self.rows = rows
        self.bytes = bytes
    }
}

/// A request for single messages by sequence. Missing ones are left out of the answer.
public struct LatestRequest: Sendable {
    /// The wanted messages.
    public var messages: [(conversation: ConversationNumber, sequence: SequenceNumber)]
    /// The reader: messages withheld from this user aren't counted in threads.
    public var reader: UserNumber
    /// Bytes of bodies behind which no further message is read: the answer has one at least, and says that there are
    /// more.
    public var bytes: Int

    /// Creates a request.
    public init(
        messages: [(conversation: ConversationNumber, sequence: SequenceNumber)], for reader: UserNumber = .none,
        bytes: Int = .max
    ) {
        self.messages = messages
        self.reader = reader
        self.bytes = bytes
    }
}

/// Requests the times when members got and read a message. Members without stored times are left out.
public struct ReceiptsRequest: Sendable {
    /// The conversation.
    public var conversation: ConversationNumber
    /// The message.
    public var sequence: SequenceNumber
    /// The members.
    public var users: [UserNumber]

    /// Creates a request.
    public init(conversation: ConversationNumber, sequence: SequenceNumber, users: [UserNumber]) {
        self.conversation = conversation
        self.sequence = sequence
        self.users = users
    }
}

/// Requests settings of a user, in the order of the bytes of their keys.
public struct SettingsRequest: Sendable {
    /// The requested keys.
    public enum Selection: Sendable {
        case all
        /// These, as far as they are there.
        case keys([String])
        /// Those that begin so.
        case prefix(String)
    }

    /// The user of the settings.
    public var user: UserNumber
    /// The requested keys.
    public var selection: Selection
    /// Only keys behind this one.
    public var after: String
    /// The largest number of settings.
    public var rows: Int
    /// Bytes of values at which the answer ends early (it has at least one setting).
    public var bytes: Int

    /// Creates a request.
    public init(of user: UserNumber, _ selection: Selection, after: String = "", rows: Int, bytes: Int) {
        self.user = user
        self.selection = selection
        self.after = after
        self.rows = rows
        self.bytes = bytes
    }
}

/// Requests rows of all conversations in the order of positions, for a reader that follows the whole log: an export, an
/// index, another node. Rows of erased conversations are left out. An edit has the message's kind and current body.
public struct FeedRequest: Sendable {
    /// Only rows above this position. The next request starts at the answer's `reached`.
    public var after: Position
    /// The largest number of rows.
    public var rows: Int
    /// Bytes of bodies at which the answer ends early (it has at least one row).
    public var bytes: Int
    /// Rows that are looked at before it ends early, so that it may have none although there are more.
    public var looks: Int
    /// Only rows of this sender; nil for all.
    public var sender: UserNumber?
    /// Creates a request.
    public init(after: Position, rows: Int, bytes: Int = 1 << 20, looks: Int = .max, sender: UserNumber? = nil) {
        self.sender = sender
        self.after = after
        self.rows = rows
        self.bytes = bytes
        self.looks = looks
    }
}

/// The answer to a read.
public struct ReadResult: Sendable {
    /// The ticket of the read.
    public var ticket: UInt64
    /// The events. Page and feed: in ascending order of positions. History: in ascending order of sequences. Latest: in
    /// the requested order. Settings: in the order of keys.
    public var events: [StoredEvent]
    /// Page: sequences left out of backlogs that are too long, and of messages that the store can't read, in ascending
    /// order of places. History: sequences of messages that the store can't read.
    public var gaps: [Gap]
    /// The answer shows every event up to here, and perhaps some later ones.
    public var head = Position.start
    /// History: what else happened to the conversation behind the messages of the page, and before its first message if
    /// there are none before that; in ascending order of positions.
    public var changes: [StoredEvent] = []
    /// Page: the spans that have more rows, as a later page asks for them.
    public var spans: [PageRequest.Span] = []
    /// Page: everything in the spans up to this position was looked at. Feed: all rows up to it were.
    public var reached = Position.start
    /// Page and history: who wrote the messages that its events pin or unpin, by the positions of these events.
    /// Messages that can't be read are left out.
    public var pinned: [Position: UserNumber] = [:]
    /// Page: when the users of spans left these conversations; `.never` if that can't be read. Later changes of
    /// messages aren't for them.
    public var ends: [ConversationNumber: Timestamp] = [:]
    /// Receipts: of the members that were asked for.
    public var receipts: [ReceiptTimes] = []
    /// Feed: positions of rows that the store can't read, in ascending order.
    public var damaged: [Position] = []
    /// Page: whether the spans have more rows. A page of very many spans may only have found out where the rows of some
    /// of them begin: then it has no events, and the next page goes on. History: whether there are more messages on the
    /// side that was cut. Feed: whether there are more rows. Settings: whether there are more keys.
    public var hasMore: Bool
    /// Whether the read failed. All other members are then empty.
    public var isFailed: Bool

    /// Page: whether it has a later state of a message than its reader may know.
    func isLater(_ event: StoredEvent) -> Bool {
        guard event.kind == .message || event.kind == .edit, let end = ends[event.conversation] else { return false }
        return event.editedAt != .never && event.editedAt >= end || event.deletedAt != .never && event.deletedAt >= end
    }

    /// Bytes of all bodies in the answer.
    var bodyBytes: Int { events.reduce(0) { $0 + $1.body.count } }

    /// Creates an answer.
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

extension ReadResult {
    /// History: behind which messages the events stand that belong to the page. One that begins behind a message has
    /// those behind it as well.
    /// - Parameter last: the conversation's last message.
    public func places(of request: HistoryRequest, _ last: Int64) -> ClosedRange<Int64> {
        let (first, end) = (
            [events.first?.sequence, gaps.first?.from].compactMap { $0?.value }.min(),
            [events.last?.sequence, gaps.last?.to].compactMap { $0?.value }.max()
        )
        let low = request.isNewest && hasMore ? first ?? last : request.after.value
        let isToEnd = request.isNewest || !hasMore
        let high = isToEnd ? min(last, max(1, request.before.value) - 1) : end ?? low
        return low...max(low, high)
    }

    /// Page: adds the gaps of skips whose place has been looked at, with or without rows. Lets the spans go on at their
    /// next row, so that messages that are left out aren't looked at again, and removes finished ones.
    /// - Parameters:
    ///   - next: the position of the next row of each span that has one.
    ///   - horizon: that of the request.
    public mutating func moveOn(to next: [ConversationNumber: Position], horizon: Position) {
        let lookedAt = min(horizon.value, (next.values.map(\.value).min() ?? .max) - 1)
        var left: [PageRequest.Span] = []
        for var span in spans {
            let position = next[span.conversation]
            if let skip = span.skip, !skip.isTold, position == nil || skip.place.value <= lookedAt {
                span.skip?.isTold = true
                gaps.append(Gap(span.conversation, from: skip.from, to: skip.to, place: skip.place))
            }
            guard let position else { continue }
            span.after = max(span.after, Position(position.value - 1))
            left.append(span)
        }
        spans = left
        hasMore = !left.isEmpty
        gaps.sort { ($0.place, $0.conversation.value) < ($1.place, $1.conversation.value) }
    }
}

/// Sequences of a conversation that a device is not sent, and the place of their `gap` in the order of events.
public struct Gap: Sendable, Equatable {
    /// The conversation.
    public var conversation: ConversationNumber
    /// The first sequence left out.
    public var from: SequenceNumber
    /// The last sequence left out.
    public var to: SequenceNumber
    /// It is sent before the first event above this position.
    public var place: Position
    /// Whether changes were left out as well, so that what the device has of the conversation may be out of date.
    public var isReset: Bool

    /// Creates a gap.
    public init(
        _ conversation: ConversationNumber, from: SequenceNumber, to: SequenceNumber, place: Position = .start,
        isReset: Bool = false
    ) {
        self.conversation = conversation
        self.from = from
        self.to = to
        self.place = place
        self.isReset = isReset
    }
}

/// A row of the log, with later changes to it.
public struct StoredEvent: Sendable {
    /// The kind of event.
    public var kind: EventKind
    /// The conversation it belongs to.
    public var conversation: ConversationNumber
    /// Its place in the log.
    public var position: Position
    /// Message: its own sequence. Edit, delete, react: that of the message it changes. Conversation: that of the last
    /// message before it.
    public var sequence: SequenceNumber
    /// The user who caused it.
    public var sender: UserNumber
    /// The device that sent it.
    public var device: String
    /// The client's key; empty if there is none.
    public var key: String
    /// The same as in `Append`. For an edit, the kind of the message. State: empty if removals were forgotten up to
    /// here.
    public var label: String
    /// Message: the message it replies to. Conversation: the message that is pinned or unpinned.
    public var reference: SequenceNumber
    /// Raw JSON; empty if it was erased.
    public var body: [UInt8]
    /// Message, edit: what the message has beside its body; nil if nothing, or if it was erased.
    public var extras: Extras?
    /// Message: whether the sender hadn't read what came before it. React: whether the reaction was taken back.
    public var flag: Bool
    /// When the relay received it.
    public var time: Timestamp
    /// Message: when it was last edited; otherwise `.never`.
    public var editedAt: Timestamp
    /// Message: when it was deleted; otherwise `.never`.
    public var deletedAt: Timestamp
    /// The message's reactions, in history only.
    public var reactions: [ReactionCount]
    /// The thread that began with the message, in history and latest only; nil if it has no messages.
    public var replies: ThreadSummary?

    /// The message that it is or is about: only those get it who may see that. The highest if it is about none.
    @inline(__always)
    public var subject: SequenceNumber {
        if kind.isAboutMessage { return sequence }
        return kind == .conversation && reference != .none ? reference : SequenceNumber(Int64.max)
    }

    /// Creates the row of a stored append.
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
        extras = append.extras
        flag = append.flag
        time = append.time
        editedAt = .never
        deletedAt = .never
        reactions = []
    }
}
