import RoostFraming
import RoostWire

/// Frames that go to one conversation one after the other, gathered so that its audience is walked once for all of
/// them, and each session that gets them all is given one piece of memory. It holds either durable events of one
/// commit or signals, and is over before anything else is done to a session: see `Delivery.settle`. It doesn't decide
/// who gets what. Loop thread only.
final class FanOutRun {
    /// One event or signal. It consists of plain numbers, so that no loop counts references.
    struct Entry {
        /// The place of its frame among the run's frames.
        let frame: Range<Int>
        /// The session that caused it. Kept alive by `apart`.
        let origin: Unmanaged<Session>?
        let sender: UserNumber
        /// Only members whose `since` is below this may see it.
        let sequence: SequenceNumber
        let position: Position
        let isMessage: Bool
        /// The place, among `asides`, of the frame that the sender's other devices get instead.
        var own: Range<Int>?
        /// The place, among `asides`, of the frame that the origin gets instead.
        var answer: Range<Int>?
    }

    /// A session that doesn't get exactly the whole run. Its membership keeps it alive until the run is delivered.
    struct Partial {
        let session: Unmanaged<Session>
        let since: SequenceNumber
    }

    /// Most entries of a run. With more, walking the audience costs no less for each entry, and the entries no longer
    /// fit into the processor's first-level cache (32 KiB).
    static let entriesMax = 64

    private(set) var conversation: Conversation?
    private(set) var isSignals = false
    private(set) var entries: [Entry] = []
    private var frames = JoinedFrames()
    private var asides = JoinedFrames()
    /// The messages whose acks will be told.
    private(set) var messages: [UnackedMessages.Entry] = []
    /// The lowest sequence in the run: a member whose messages begin below it may see every entry.
    private(set) var lowest = SequenceNumber(Int64.max)
    /// Sessions of those who caused something, each once.
    private(set) var apart: [Session] = []
    /// Sessions that get only a part, found during the delivery.
    var partials: [Partial] = []

    var isEmpty: Bool { entries.isEmpty }
    var bytes: Int { frames.count }
    /// Position of its last event.
    var last: Position { entries.last?.position ?? .start }

    /// Whether another entry of this kind may follow for this conversation.
    func isOpen(for conversation: Conversation, isSignals: Bool) -> Bool {
        self.conversation === conversation && self.isSignals == isSignals && entries.count < FanOutRun.entriesMax
    }

    /// Adds the signal that the builder holds.
    func add(_ builder: FrameBuilder, to conversation: Conversation, except origin: Session) {
        begin(conversation, isSignals: true)
        entries.append(
            Entry(
                frame: frames.append(builder), origin: .passUnretained(origin), sender: UserNumber(0),
                sequence: .none, position: .start, isMessage: false))
        setApart(origin)
    }

    /// Adds the durable event that the builder holds. `addAnswer` and `addOwn` add its other forms.
    func add(
        _ builder: FrameBuilder, of event: borrowing StoredEvent, to conversation: Conversation, except origin: Session?
    ) {
        begin(conversation, isSignals: false)
        // Changes of a message are hidden from the members from whom the message is hidden. Changes of members are
        // shown to all.
        let sequence = event.kind.isAboutMessage ? event.sequence : SequenceNumber(Int64.max)
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

    /// The builder holds what the last event's origin gets instead.
    func addAnswer(_ builder: FrameBuilder) {
        guard let last = entries.indices.last else { preconditionFailure("an answer follows its event") }
        entries[last].answer = asides.append(builder)
    }

    /// The builder holds what the sender's other devices get instead of the last event.
    func addOwn(_ builder: FrameBuilder) {
        guard let last = entries.indices.last else { preconditionFailure("the sender's form follows its event") }
        entries[last].own = asides.append(builder)
    }

    /// Makes the delivery look at each entry for this session.
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

    /// Returns all asides as one; nil if there are none.
    func takeAsides() -> Frame? { asides.count > 0 ? asides.take() : nil }

    /// Puts together what a user's sessions get that caused nothing: all events, those of the user in the form for its
    /// own devices.
    func join(_ frames: Frame, _ asides: Frame?, for user: UserNumber, in portion: inout JoinedFrames) {
        for entry in entries {
            if entry.sender == user, let asides, let own = entry.own {
                portion.append(framed: asides.bytes(at: own))
            } else {
                portion.append(framed: frames.bytes(at: entry.frame))
            }
        }
    }

    /// Forgets everything but the memory. Frames and asides must have been taken.
    func removeAll() {
        precondition(frames.count == 0 && asides.count == 0, "a run is emptied when its frames were taken")
        conversation = nil
        entries.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
        lowest = SequenceNumber(Int64.max)
        apart.removeAll(keepingCapacity: true)
        partials.removeAll(keepingCapacity: true)
    }

    private func begin(_ conversation: Conversation, isSignals: Bool) {
        guard entries.isEmpty else {
            return precondition(
                isOpen(for: conversation, isSignals: isSignals), "a run is of one conversation, one kind, and bounded")
        }
        self.conversation = conversation
        self.isSignals = isSignals
    }
}
