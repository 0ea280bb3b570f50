import RoostStore
public import RoostWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A row of a timeline, oldest first.
public enum TimelineItem: Sendable, Hashable, Identifiable {
    /// A message.
    case message(TimelineMessage)
    /// Messages that this device doesn't have, from one sequence to another. `ConversationTimeline.appeared` gets them
    /// when it is on the screen.
    case gap(from: SequenceNumber, to: SequenceNumber)

    /// Stays the same from the moment when a message is typed: what everything that is done to a row takes. A gap is
    /// named by its end, which stays while it is filled from there. As text it is what roost.js calls a row, too.
    public enum ID: Hashable, Sendable {
        /// An own message, by its key.
        case key(String)
        /// Another user's message.
        case sequence(SequenceNumber)
        /// A gap, by its last sequence.
        case gap(SequenceNumber)
    }

    /// The identity of the row, for as long as it is shown.
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
public struct TimelineMessage: Sendable, Hashable, Identifiable {
    /// Stays the same from typed to stored.
    public var id: TimelineItem.ID
    /// Its number; nil until the relay has stored it.
    public var sequence: SequenceNumber?
    /// The author; empty if the message is hidden, or if the relay has lost it.
    public var from: String
    /// Whether the user of this device wrote it.
    public var isOwn: Bool
    /// When the relay stored it; nil until then.
    public var time: Date?
    /// `text`, or a kind of the app's.
    public var kind: String
    /// The content; nil if the message was deleted, lost by the relay, or is hidden.
    public var body: MessageBody?
    /// The message that it replies to; nil if it is none, or that one isn't stored yet.
    public var replyTo: SequenceNumber?
    /// When it was last edited.
    public var editedAt: Date?
    /// 1, and one more for each edit that the relay has stored. `ConversationTimeline.edit` takes it as `ifVersion`.
    public var version: Int64 = 1
    /// Whether it was deleted.
    public var isDeleted: Bool
    /// The reactions, the user's own included.
    public var reactions: [ReactionCount]
    /// The progress of the user's own message; nil for others' messages.
    public var state: MessageState?
    /// Whether an edit, a deletion or a reaction of the user's waits for the relay.
    public var isChanging: Bool
    /// A change that the relay refused: `ConversationTimeline.retry`, `replace` and `discard` take the row's identity.
    public var failedChange: FailedChange?
    // The number of its waiting item in the outbox; nil once the relay has stored the message.
    package var outboxItem: Int64?
    /// Whether there is a block between the user and the author: the message is only a placeholder, which an app may
    /// leave out.
    public var isHidden = false
    /// Names of the mentioned users; `@all` stands for all members.
    public var mentions: [String] = []
    /// When it disappears, by the relay's clock; nil if it stays.
    public var expires: Date?
    /// The message with which the thread began that it belongs to; nil if it is in none.
    public var thread: SequenceNumber?
    /// The thread that began with it, as far as others' messages in it are stored; nil if there is none.
    public var replies: ThreadSummary?
    /// The user who wrote what it forwards; nil if it forwards nothing.
    public var origin: String?

    /// The text, if it is one.
    public var text: String? { body?.text }

    /// By its identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension TimelineMessage {
    /// A message of a preview.
    /// - Parameter sequence: its number; nil for one that waits.
    public init(
        preview text: String, from: String, isOwn: Bool = false, sequence: SequenceNumber?, time: Date? = nil,
        state: MessageState? = nil
    ) {
        self.init(
            id: sequence.map { .sequence($0) } ?? .key(text), sequence: sequence, from: from, isOwn: isOwn, time: time,
            kind: "text", body: MessageBody(text: text), isDeleted: false, reactions: [], state: state,
            isChanging: false)
    }
}

/// A message that a conversation points out.
public struct PinnedMessage: Sendable, Equatable, Identifiable {
    /// Its number.
    public var sequence: SequenceNumber
    /// The user who pinned it; nil until the relay has sent it.
    public var by: String?
    /// Time of the pin; nil until the relay has sent it.
    public var time: Date?
    /// The message; nil until the relay has sent it, or if it can't be read.
    public var message: TimelineMessage?

    /// Its number.
    public var id: Int64 { sequence.value }

    init(_ pin: LocalPin, _ message: TimelineMessage?) {
        (sequence, by, time) = (pin.sequence, pin.by, pin.time?.date)
        self.message = message
    }
}

/// An edit or a deletion that the relay refused.
public struct FailedChange: Sendable, Equatable {
    // Its number in the outbox.
    package var outboxItem: Int64
    /// Why.
    public var failure: SendFailure
}

extension TimelineItem.ID: LosslessStringConvertible, Codable {
    /// `k:` and a key, `s:` and a sequence, `g:` and the last sequence of a gap.
    public var description: String {
        switch self {
        case .key(let key): "k:\(key)"
        case .sequence(let sequence): "s:\(sequence.value)"
        case .gap(let end): "g:\(end.value)"
        }
    }

    /// Parses a `description`; nil for any other text.
    public init?(_ description: String) {
        let rest = description.dropFirst(2)
        switch (description.prefix(2), Int64(rest)) {
        case ("k:", _): self = .key(String(rest))
        case ("s:", let number?): self = .sequence(SequenceNumber(number))
        case ("g:", let number?): self = .gap(SequenceNumber(number))
        default: return nil
        }
    }

    /// Reads the text.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let text = try value.decode(String.self)
        guard let id = TimelineItem.ID(text) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "not a row of a timeline")
        }
        self = id
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(description)
    }
}

/// A place in a conversation, to come back to after a restart: an app keeps it, and `Roost.timeline(at:)` opens it.
public struct TimelinePlace: Hashable, Codable, Sendable {
    /// The conversation's id, or `@name`.
    public var destination: String
    /// The message that was on the screen; nil for the newest.
    public var row: TimelineItem.ID?

    /// Names a place.
    public init(_ destination: String, at row: TimelineItem.ID? = nil) {
        self.destination = destination
        self.row = row
    }
}
