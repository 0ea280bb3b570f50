import RoostFraming
import RoostWire

/// One page of the log for all sessions that missed the same events. It is read once and encoded once. After a restart
/// of the relay or of the network, these are all devices of a group. Loop thread only.
final class CatchUpPage {
    let request: PageRequest
    private let conversations: Set<ConversationNumber>
    /// Sessions for which it is being read, in the order in which they asked.
    var readers: [Session] = []
    /// Number of sessions that have not been given it yet.
    var waiting = 0
    /// Whether it counts against the limit: it has not been given to all sessions for which it was read.
    var isUnderWay = true
    /// Number of times that unused pages were dropped since it was read.
    var rounds = 0
    /// Whether a session has asked for it lately.
    var isWanted = true
    /// The log's answer.
    private(set) var result: ReadResult?
    /// The senders of its messages, whose own devices get more members of those messages than others do, and of what is
    /// withheld from others.
    private(set) var senders: Set<UserNumber> = []
    /// The conversations that it changes: former members don't get their present names.
    private(set) var changed: Set<ConversationNumber> = []
    /// Its approximate size with events and frames.
    private(set) var bytes = 0
    /// Its frames for all users but the senders, by the authors whose events are withheld, once they have been needed.
    private(set) var frames: [Set<UserNumber>: PageFrames] = [:]
    /// Messages that were deleted while it was being read.
    private var erased: [(conversation: ConversationNumber, sequence: SequenceNumber, time: Timestamp)] = []

    init(_ request: PageRequest) {
        self.request = request
        conversations = Set(request.spans.lazy.map(\.conversation))
    }

    /// Whether the log has answered.
    var isRead: Bool { result != nil }

    func take(_ result: ReadResult) {
        precondition(!isRead, "a page is read once")
        self.result = result
        for event in result.events {
            if event.kind == .message || event.extras.isWithheld { senders.insert(event.sender) }
            if event.kind == .conversation { changed.insert(event.conversation) }
            bytes += 2 * (event.body.count + Self.envelopeBytes)
        }
        for message in erased { erase(message.sequence, of: message.conversation, at: message.time) }
        erased = []
    }

    /// A message was deleted: its body is removed for sessions that still wait for the page.
    func erase(_ deletion: borrowing StoredEvent) {
        take(out: deletion.sequence, of: deletion.conversation, at: deletion.time)
    }

    /// A message was deleted or has disappeared.
    func take(out sequence: SequenceNumber, of conversation: ConversationNumber, at time: Timestamp) {
        guard conversations.contains(conversation) else { return }
        guard isRead else { return erased.append((conversation, sequence, time)) }
        erase(sequence, of: conversation, at: time)
    }

    private func erase(_ sequence: SequenceNumber, of conversation: ConversationNumber, at time: Timestamp) {
        let isOf = { (event: StoredEvent) in event.conversation == conversation && event.sequence == sequence }
        frames = [:]
        result?.events.removeAll { $0.kind == .edit && isOf($0) }
        guard let index = result?.events.firstIndex(where: { $0.kind == .message && isOf($0) }) else { return }
        result?.events[index].body = []
        let left = result?.events[index].extras.ofTombstone
        result?.events[index].extras = left
        result?.events[index].deletedAt = time
    }

    /// Keeps frames for others. It has few forms: most users have no block with one of the authors.
    func keep(_ new: PageFrames, withholding users: Set<UserNumber>) {
        if frames.count >= Self.formsMax { frames.removeAll() }
        frames[users] = new
    }

    private static let formsMax = 8

    // Approximate bytes of an event beside its body.
    private static let envelopeBytes = 256
}
