import RoostFraming
import RoostWire

/// A page as frames. A value that shares them.
struct PageFrames {
    /// Several events and gaps framed behind each other, or one conversation event.
    struct Part {
        var frame: Frame
        /// Position of its last event; that of the part before if it has only gaps.
        var position: Position
        var events: Int
        /// The messages of the page that it contains.
        var messages: Range<Int>
        /// The conversation of an event by which a user may have joined, and its last message before the event.
        var change: (conversation: ConversationNumber, sequence: SequenceNumber)?
    }

    var parts: [Part] = []
    var messages: [UnackedMessages.Entry] = []
    var gaps = 0
    /// The conversations of its events and gaps.
    var conversations: [ConversationNumber] = []
    var bytes = 0
}

extension PageFrames {
    fileprivate mutating func note(_ conversation: ConversationNumber) {
        if !conversations.contains(conversation) { conversations.append(conversation) }
    }
}

/// Turns the events of a page into frames. Several events go into one piece, so that a page takes a few places in an
/// outbox instead of one for each event. It keeps only reusable memory. Loop thread only.
struct PageEncoder: ~Copyable {
    // Several pieces fit into one write.
    private static let partBytes = 32_768

    private struct PartUnderWay {
        var position = Position.start
        var events = 0
        var gaps = 0
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

    /// The frames of a page for a session of `user`. They are the same for all users who sent none of its messages, and
    /// are in all conversations that it changes.
    /// - Parameter feed: the session's. Messages that came with an `ok` are left out.
    mutating func frames(of page: CatchUpPage, for user: User, _ feed: borrowing Feed) -> PageFrames {
        guard let result = page.result else { return PageFrames() }
        let withheld = withheld(in: result, from: user)
        let outside = page.changed.filter { user.conversations[$0] == nil }
        if page.senders.contains(user.number) || !outside.isEmpty {
            return encode(result, for: user.number, withheld, outside) { feed.isAnswered($0) }
        }
        if let known = page.frames[withheld] { return known }
        let frames = encode(result, for: nil, withheld, outside) { _ in false }
        page.keep(frames, withholding: withheld)
        return frames
    }

    /// The users blocked by the user among the authors of the page, and of the messages that are pinned in it.
    private func withheld(in page: ReadResult, from user: User) -> Set<UserNumber> {
        guard !user.privacy.blocks.own.isEmpty else { return [] }
        var authors = Set<UserNumber>()
        for event in page.events { authors.insert(event.sender) }
        authors.formUnion(page.pinned.values)
        return authors.filter(user.hasBlocked)
    }

    /// Whether the event is hidden from the reader, who gets the place of a message and nothing else.
    private func isHidden(
        _ row: StoredEvent, of page: ReadResult, in conversation: Conversation, from user: UserNumber?,
        _ withheld: Set<UserNumber>
    ) -> Bool {
        // The only other reader of a direct conversation is the one it is withheld from.
        if row.isWithheld(from: user) || row.sender != user && page.isLater(row) { return true }
        guard !withheld.isEmpty, conversation.kind == .group else { return false }
        if row.kind.isAboutMessage { return withheld.contains(row.sender) }
        return page.pinned[row.position].map(withheld.contains) ?? false
    }

    /// - Parameter outside: conversations that the user has left.
    private mutating func encode(
        _ page: ReadResult, for user: UserNumber?, _ withheld: Set<UserNumber>, _ outside: Set<ConversationNumber>,
        isTold: (Position) -> Bool
    ) -> PageFrames {
        var frames = PageFrames()
        frames.messages.reserveCapacity(page.events.count)
        var rest = PartUnderWay()
        var gaps = page.gaps[...]
        var conversation: Conversation?
        for row in page.events {
            while let gap = gaps.first, gap.place < row.position {
                gaps.removeFirst()
                add(gap, to: &rest, of: &frames)
            }
            if conversation?.number != row.conversation {
                conversation = directory.conversation(row.conversation)
                if conversation != nil { frames.note(row.conversation) }
            }
            guard let conversation else { continue }
            if row.kind == .message, row.sender == user, isTold(row.position) { continue }
            // Separate, because a gap may have to come after it.
            if row.kind == .conversation { end(&rest, of: &frames) }
            if isHidden(row, of: page, in: conversation, from: user, withheld) {
                guard row.kind.isAboutMessage else { continue }
                events.beginHidden(row.kind, of: row.sequence, at: row.position, row.time, in: conversation)
            } else {
                let isOutside = outside.contains(row.conversation)
                if isOutside, row.isOfAppearance { continue }
                events.begin(
                    row, in: conversation, from: directory.user(row.sender)?.name ?? "", isOwn: row.sender == user,
                    isForOutsiders: isOutside)
            }
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
        for gap in gaps { add(gap, to: &rest, of: &frames) }
        end(&rest, of: &frames)
        return frames
    }

    private mutating func add(_ gap: Gap, to rest: inout PartUnderWay, of frames: inout PageFrames) {
        guard let conversation = directory.conversation(gap.conversation) else { return }
        frames.note(gap.conversation)
        events.begin(gap, in: conversation)
        buffer.append(events.builder)
        rest.gaps += 1
        frames.gaps += 1
        if buffer.count >= Self.partBytes { end(&rest, of: &frames) }
    }

    private mutating func end(_ rest: inout PartUnderWay, of frames: inout PageFrames) {
        guard rest.events + rest.gaps > 0 else { return }
        let frame = buffer.take()
        frames.bytes += frame.count
        let position = max(rest.position, frames.parts.last?.position ?? .start)
        frames.parts.append(
            .init(
                frame: frame, position: position, events: rest.events,
                messages: rest.firstMessage..<frames.messages.count, change: rest.change))
        rest = PartUnderWay(firstMessage: frames.messages.count)
    }
}
