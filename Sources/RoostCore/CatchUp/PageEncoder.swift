import RoostFraming
import RoostWire

/// A page as frames. A value that shares them.
struct PageFrames {
    /// Several events framed behind each other, or one conversation event.
    struct Part {
        var frame: Frame
        /// Position of its last event.
        var position: Position
        var events: Int
        /// The messages of the page that it contains.
        var messages: Range<Int>
        /// For a conversation event, by which a user may have joined: the conversation, and its last message before the
        /// event.
        var change: (conversation: ConversationNumber, sequence: SequenceNumber)?
    }

    var parts: [Part] = []
    var messages: [UnackedMessages.Entry] = []
    /// The conversations of its events.
    var conversations: [ConversationNumber] = []
    var bytes = 0
}

/// Turns the events of a page into frames. Several events go into one piece, so that a page takes a few places in an
/// outbox instead of one for each event. It keeps only reusable memory. Loop thread only.
struct PageEncoder: ~Copyable {
    // Several pieces fit into one write.
    private static let partBytes = 32_768

    private struct PartUnderWay {
        var position = Position.start
        var events = 0
        var firstMessage = 0
        var change: (conversation: ConversationNumber, sequence: SequenceNumber)?
    }

    private let directory: Directory
    private let events: EventFrames
    private var buffer = JoinedFrames()

    init(_ directory: Directory, _ events: EventFrames) {
        self.directory = directory
        self.events = events
    }

    /// The frames of a page for a device of `user`. They are the same for all users who sent none of its messages.
    mutating func frames(of page: CatchUpPage, for user: UserNumber) -> PageFrames {
        let rows = page.result?.events ?? []
        if page.senders.contains(user) { return encode(rows, for: user) }
        if let known = page.frames { return known }
        let frames = encode(rows, for: nil)
        page.frames = frames
        return frames
    }

    private mutating func encode(_ rows: [StoredEvent], for user: UserNumber?) -> PageFrames {
        var frames = PageFrames()
        frames.messages.reserveCapacity(rows.count)
        var rest = PartUnderWay()
        var conversation: Conversation?
        for row in rows {
            if conversation?.number != row.conversation {
                conversation = directory.conversation(row.conversation)
                if conversation != nil, !frames.conversations.contains(row.conversation) {
                    frames.conversations.append(row.conversation)
                }
            }
            guard let conversation else { continue }
            // Separate, because a gap may have to come before it.
            if row.kind == .conversation { end(&rest, of: &frames) }
            let sender = directory.user(row.sender)?.name ?? ""
            events.begin(row, in: conversation, from: sender, isOwn: row.sender == user)
            buffer.append(events.builder)
            rest.events += 1
            rest.position = row.position
            if row.kind == .message {
                frames.messages.append(
                    .init(conversation: row.conversation, sequence: row.sequence, position: row.position))
            }
            if row.kind == .conversation { rest.change = (row.conversation, row.sequence) }
            if rest.change != nil || buffer.count >= Self.partBytes { end(&rest, of: &frames) }
        }
        end(&rest, of: &frames)
        return frames
    }

    private mutating func end(_ rest: inout PartUnderWay, of frames: inout PageFrames) {
        guard rest.events > 0 else { return }
        let frame = buffer.take()
        frames.bytes += frame.count
        frames.parts.append(
            .init(
                frame: frame, position: rest.position, events: rest.events,
                messages: rest.firstMessage..<frames.messages.count, change: rest.change))
        rest = PartUnderWay(firstMessage: frames.messages.count)
    }
}
