import RoostProtocol

/// Frames that go to one conversation one after the other, gathered so that its audience is walked once for all of
/// them: a session's memory is fetched once, not once for each frame. It holds either durable events of one commit or
/// signals, belongs to the loop thread, and is over before anything else is done to a session: see
/// `Relay.deliverRun`. It doesn't decide who gets what.
struct FanOutRun {
    /// One frame, with plain numbers only, so that the inner loop counts no references.
    struct Entry {
        /// Kept alive by `frames`.
        let frame: Unmanaged<Frame>
        let bytes: Int
        /// Who caused it, and gets an answer in its place. Kept alive by `origins`.
        let origin: Unmanaged<Session>?
        /// Only for members whose messages begin below.
        let sequence: Sequence
        let position: Position
        let isMessage: Bool
    }

    /// Frames of a run: with more, walking the audience costs no less for each, and what was read of them leaves the
    /// processor's nearest cache (32 KiB).
    static let entriesMax = 64

    private(set) var conversation: Conversation?
    private(set) var isSignals = false
    private(set) var entries: [Entry] = []
    private var frames: [Frame] = []
    private(set) var origins: [Session?] = []
    private(set) var answers: [Frame?] = []
    private(set) var time = Moment(monotonic: 0, wall: .never)
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Whether more of this kind may follow for this conversation.
    func isOpen(for conversation: Conversation, isSignals: Bool) -> Bool {
        self.conversation === conversation && self.isSignals == isSignals && entries.count < FanOutRun.entriesMax
    }

    /// Adds a signal.
    mutating func add(_ frame: Frame, to conversation: Conversation, except origin: Session) {
        add(
            Entry(
                frame: .passUnretained(frame), bytes: frame.count, origin: .passUnretained(origin),
                sequence: .none, position: .start, isMessage: false),
            frame, origin, nil, conversation, isSignals: true)
    }

    /// Adds a durable event.
    mutating func add(
        _ frame: Frame, of event: StoredEvent, to conversation: Conversation, except origin: Session?,
        answer: Frame?, at now: Moment
    ) {
        // What became of a message that is hidden from a member is hidden too; who is a member is not.
        let sequence = event.kind == .conversation ? Sequence(Int64.max) : event.sequence
        add(
            Entry(
                frame: .passUnretained(frame), bytes: frame.count, origin: origin.map(Unmanaged.passUnretained),
                sequence: sequence, position: event.position, isMessage: event.kind == .message),
            frame, origin, answer, conversation, isSignals: false)
        time = now
    }

    /// Forgets all but the memory.
    mutating func removeAll() {
        conversation = nil
        entries.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
        origins.removeAll(keepingCapacity: true)
        answers.removeAll(keepingCapacity: true)
        bytes = 0
    }

    private mutating func add(
        _ entry: Entry, _ frame: Frame, _ origin: Session?, _ answer: Frame?, _ conversation: Conversation,
        isSignals: Bool
    ) {
        self.conversation = conversation
        self.isSignals = isSignals
        entries.append(entry)
        frames.append(frame)
        origins.append(origin)
        answers.append(answer)
        bytes += entry.bytes
        origin?.isOrigin = true
    }
}
