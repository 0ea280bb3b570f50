import RoostStore
public import RoostWire

/// A row of a timeline, oldest first.
public enum TimelineItem: Sendable, Equatable, Identifiable {
    /// A message.
    case message(TimelineMessage)
    /// Messages that this device doesn't have, from one sequence to another. Show it, and `Timeline.fill` gets them.
    case gap(from: SequenceNumber, to: SequenceNumber)

    /// Stays the same from the moment when a message is typed. A gap is named by its end, which stays while it is
    /// filled from there.
    public enum ID: Hashable, Sendable {
        /// An own message, by its key.
        case key(String)
        /// Somebody else's message.
        case sequence(SequenceNumber)
        /// A gap, by its last sequence.
        case gap(SequenceNumber)
    }

    /// What it is, for as long as it is shown.
    public var id: ID {
        switch self {
        case .message(let message): message.id
        case .gap(_, let to): .gap(to)
        }
    }

    /// The message, unless it is a gap.
    public var message: TimelineMessage? {
        if case .message(let message) = self { message } else { nil }
    }
}

/// A message as its reader sees it, with what the user did to it and the relay doesn't know yet.
public struct TimelineMessage: Sendable, Equatable, Identifiable {
    /// Stays the same from typed to stored.
    public var id: TimelineItem.ID
    /// Its number; nil until the relay has stored it.
    public var sequence: SequenceNumber?
    /// The author; empty if the message is hidden, or if the relay has lost it.
    public var from: String
    /// Whether the user of this device wrote it.
    public var isOwn: Bool
    /// When the relay stored it; nil until then.
    public var time: Timestamp?
    /// `text`, or a kind of the app's.
    public var kind: String
    /// The content; nil if the message was deleted, lost by the relay, or is hidden.
    public var body: Body?
    /// The message that it replies to; nil if it is none, or that one isn't stored yet.
    public var replyTo: SequenceNumber?
    /// When it was last edited.
    public var editedAt: Timestamp?
    /// 1, and one more for each edit that the relay has stored. `Timeline.edit` takes it as `ifVersion`.
    public var version: Int64 = 1
    /// Whether it was deleted.
    public var isDeleted: Bool
    /// The reactions, the user's own included.
    public var reactions: [ReactionCount]
    /// How far it has got; nil for others' messages.
    public var state: MessageState?
    /// Whether an edit, a deletion or a reaction of the user's waits for the relay.
    public var isChanging: Bool
    /// A change that the relay refused: `Timeline.retry`, `replace` and `discard` take it by its number.
    public var failedChange: FailedChange?
    /// What waits in the outbox, by its number; nil once the relay has stored the message.
    public var outboxItem: Int64?
    /// Whether somebody wrote it with whom there is a block: it is only a place, which an app may leave out.
    public var isHidden = false
    /// Names of the users whom it mentions; `@all` stands for all members.
    public var mentions: [String] = []
    /// When it disappears, by the relay's clock; nil if it stays.
    public var expires: Timestamp?
    /// The message with which the thread began that it belongs to; nil if it is in none.
    public var thread: SequenceNumber?
    /// The thread that began with it, as far as others' messages in it are stored; nil if there is none.
    public var replies: ThreadSummary?
    /// The user who wrote what it forwards; nil if it forwards nothing.
    public var origin: String?

    /// The text, if it is one.
    public var text: String? { body?.text }
}

/// A message that a conversation points out.
public struct PinnedMessage: Sendable, Equatable, Identifiable {
    /// Its number.
    public var sequence: SequenceNumber
    /// Who pinned it; nil until the relay has told.
    public var by: String?
    /// When it was pinned; nil until the relay has told.
    public var time: Timestamp?
    /// The message; nil until the relay has told, or if it can't be read.
    public var message: TimelineMessage?

    /// Its number.
    public var id: Int64 { sequence.value }

    init(_ pin: LocalPin, _ message: TimelineMessage?) {
        (sequence, by, time) = (pin.sequence, pin.by, pin.time)
        self.message = message
    }
}

/// An edit or a deletion that the relay refused.
public struct FailedChange: Sendable, Equatable {
    /// Its number in the outbox.
    public var outboxItem: Int64
    /// Why.
    public var failure: SendFailure
}
