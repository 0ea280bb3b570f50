import RoostWire

/// Frames that go to one conversation one after the other, gathered so that its audience is walked once for all of
/// them, and each session that gets them all is given one piece of memory. It holds either durable events of one
/// commit or signals, and is over before anything else is done to a session: see `Delivery.settle`. It doesn't decide
/// who gets what. Loop thread only.
final class FanOutRun {
    /// One event or signal, with plain numbers only, so that no loop counts references.
    struct Entry {
        /// Where its frame is among the run's.
        let frame: Range<Int>
        /// Who caused it. Kept alive by `apart`.
        let origin: Unmanaged<Session>?
        let sender: UserNumber
        /// Only for members whose messages begin below.
        let sequence: SequenceNumber
        let position: Position
        let isMessage: Bool
        /// Where, among `asides`, is what the sender's other devices get in its place.
        var own: Range<Int>?
        /// Where, among `asides`, is what the origin gets in its place.
        var answer: Range<Int>?
    }

    /// A session that doesn't get just all of it. Kept alive by its membership until the run is delivered.
    struct Partial {
        let session: Unmanaged<Session>
        let since: SequenceNumber
    }

    /// Entries of a run: with more, walking the audience costs no less for each, and what was read of them leaves the
    /// processor's nearest cache (32 KiB).
    static let entriesMax = 64

    private(set) var conversation: Conversation?
    private(set) var isSignals = false
    private(set) var entries: [Entry] = []
    private var frames = FrameRun()
    private var asides = FrameRun()
    /// What acks of its messages will tell.
    private(set) var messages: [UnackedMessages.Entry] = []
    /// The lowest sequence in the run: a member whose messages begin below it may see every entry.
    private(set) var lowest = SequenceNumber(Int64.max)
    /// Sessions of those who caused something, each once.
    private(set) var apart: [Session] = []
    /// Found while it is delivered.
    var partials: [Partial] = []

    var isEmpty: Bool { entries.isEmpty }
    var bytes: Int { frames.count }
    /// Where it ends in the log.
    var last: Position { entries.last?.position ?? .start }

    /// Whether more of this kind may follow for this conversation.
    func isOpen(for conversation: Conversation, isSignals: Bool) -> Bool {
        self.conversation === conversation && self.isSignals == isSignals && entries.count < FanOutRun.entriesMax
    }

    /// Adds the signal that was written in a builder.
    func add(_ builder: FrameBuilder, to conversation: Conversation, except origin: Session) {
        begin(conversation, isSignals: true)
        entries.append(
            Entry(
                frame: frames.append(builder), origin: .passUnretained(origin), sender: UserNumber(0),
                sequence: .none, position: .start, isMessage: false))
        setApart(origin)
    }

    /// Adds the durable event that was written in a builder. `addAnswer` and `addOwn` say what else there is of it.
    func add(
        _ builder: FrameBuilder, of event: borrowing StoredEvent, to conversation: Conversation, except origin: Session?
    ) {
        begin(conversation, isSignals: false)
        // What became of a message that is hidden from a member is hidden too; who is a member is not.
        let sequence = event.kind == .conversation ? SequenceNumber(Int64.max) : event.sequence
        entries.append(
            Entry(
                frame: frames.append(builder), origin: origin.map(Unmanaged.passUnretained), sender: event.sender,
                sequence: sequence, position: event.position, isMessage: event.kind == .message))
        lowest = min(lowest, sequence)
        if event.kind == .message {
            messages.append(
                .init(conversation: conversation.number, sequence: sequence, position: event.position))
        }
        if let origin { setApart(origin) }
    }

    /// What was written in a builder is what the last event's origin gets instead.
    func addAnswer(_ builder: FrameBuilder) {
        guard let last = entries.indices.last else { return }
        entries[last].answer = asides.append(builder)
    }

    /// What was written in a builder is what the sender's other devices get instead of the last event.
    func addOwn(_ builder: FrameBuilder) {
        guard let last = entries.indices.last else { return }
        entries[last].own = asides.append(builder)
    }

    /// Has the run looked at entry by entry for this session.
    func setApart(_ session: Session) {
        guard !session.isApart else { return }
        session.isApart = true
        apart.append(session)
    }

    /// Forgets that the session is looked at entry by entry; whether it was.
    func endApart(_ session: Session) -> Bool {
        defer { session.isApart = false }
        return session.isApart
    }

    /// All frames as one.
    func takeFrames() -> Frame { frames.take() }

    /// All asides as one; nil if there is none.
    func takeAsides() -> Frame? { asides.count > 0 ? asides.take() : nil }

    /// Forgets all but the memory. Frames and asides were taken.
    func removeAll() {
        conversation = nil
        entries.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
        lowest = SequenceNumber(Int64.max)
        apart.removeAll(keepingCapacity: true)
        partials.removeAll(keepingCapacity: true)
    }

    private func begin(_ conversation: Conversation, isSignals: Bool) {
        guard entries.isEmpty else { return }
        self.conversation = conversation
        self.isSignals = isSignals
    }
}
