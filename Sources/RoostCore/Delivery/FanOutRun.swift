import RoostProtocol

/// Frames that go to one conversation one after the other, gathered so that its audience is walked once for all of
/// them: a session's memory is fetched once, not once for each frame. It holds either durable events of one commit or
/// signals, belongs to the loop thread, and is over before anything else is done to a session: see
/// `Relay.deliverRun`. It doesn't decide who gets what.
struct FanOutRun {
    /// One frame, with plain numbers only, so that the inner loop counts no references.
    struct Entry {
        /// Kept alive by `frames`.
        private(set) var frame: Unmanaged<Frame>
        private(set) var bytes: Int
        /// Who caused it. Kept alive by `apart`.
        let origin: Unmanaged<Session>?
        let sender: UserNumber
        /// Only for members whose messages begin below.
        let sequence: Sequence
        let position: Position
        let isMessage: Bool

        /// The same with another frame, which the caller keeps alive; nil leaves it as it is.
        func with(_ other: Frame?) -> Entry {
            guard let other else { return self }
            var entry = self
            entry.frame = .passUnretained(other)
            entry.bytes = other.count
            return entry
        }
    }

    /// Frames of a run: with more, walking the audience costs no less for each, and what was read of them leaves the
    /// processor's nearest cache (32 KiB).
    static let entriesMax = 64

    private(set) var conversation: Conversation?
    private(set) var isSignals = false
    private(set) var entries: [Entry] = []
    private var frames: [Frame] = []
    /// The same as the entries' frames, side by side.
    private(set) var held: [Unmanaged<Frame>] = []
    /// What acks of its messages will tell.
    private(set) var messages: [UnackedMessages.Entry] = []
    /// Whoever's messages begin below gets all of it.
    private(set) var lowest = Sequence(Int64.max)
    /// What the origin gets in place of each frame, and what its user's other sessions do.
    private(set) var answers: [(origin: Frame?, own: Frame)] = []
    /// Sessions of those who caused something, each once: `Session.isApart`.
    private(set) var apart: [Session] = []
    private(set) var time = Moment(monotonic: 0, wall: .never)
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Where it ends in the log.
    var last: Position { entries.last?.position ?? .start }

    /// Whether more of this kind may follow for this conversation.
    func isOpen(for conversation: Conversation, isSignals: Bool) -> Bool {
        self.conversation === conversation && self.isSignals == isSignals && entries.count < FanOutRun.entriesMax
    }

    /// Adds a signal.
    mutating func add(_ frame: Frame, to conversation: Conversation, except origin: Session) {
        add(
            Entry(
                frame: .passUnretained(frame), bytes: frame.count, origin: .passUnretained(origin),
                sender: UserNumber(0), sequence: .none, position: .start, isMessage: false),
            frame, (nil, frame), conversation, isSignals: true)
        setApart(origin)
    }

    /// Adds a durable event.
    /// - Parameters:
    ///   - own: the frame for the sender's other sessions.
    ///   - answer: what `origin` gets instead.
    mutating func add(
        _ frame: Frame, own: Frame, of event: StoredEvent, to conversation: Conversation, except origin: Session?,
        answer: Frame?, at now: Moment
    ) {
        // What became of a message that is hidden from a member is hidden too; who is a member is not.
        let sequence = event.kind == .conversation ? Sequence(Int64.max) : event.sequence
        add(
            Entry(
                frame: .passUnretained(frame), bytes: frame.count, origin: origin.map(Unmanaged.passUnretained),
                sender: event.sender, sequence: sequence, position: event.position,
                isMessage: event.kind == .message),
            frame, (answer, own), conversation, isSignals: false)
        time = now
        if let origin { setApart(origin) }
    }

    /// Has the run looked at entry by entry for this session.
    mutating func setApart(_ session: Session) {
        guard !session.isApart else { return }
        session.isApart = true
        apart.append(session)
    }

    /// Forgets all but the memory.
    mutating func removeAll() {
        conversation = nil
        entries.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
        held.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
        lowest = Sequence(Int64.max)
        apart.removeAll(keepingCapacity: true)
        answers.removeAll(keepingCapacity: true)
        bytes = 0
    }

    private mutating func add(
        _ entry: Entry, _ frame: Frame, _ answer: (origin: Frame?, own: Frame), _ conversation: Conversation,
        isSignals: Bool
    ) {
        self.conversation = conversation
        self.isSignals = isSignals
        entries.append(entry)
        frames.append(frame)
        held.append(.passUnretained(frame))
        lowest = min(lowest, entry.sequence)
        if entry.isMessage {
            messages.append(
                .init(conversation: conversation.number, sequence: entry.sequence, position: entry.position))
        }
        answers.append(answer)
        bytes += entry.bytes
    }
}
