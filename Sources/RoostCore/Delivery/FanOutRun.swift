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
        /// The author of the message that it is or concerns: members who have blocked this user may not see it.
        var author = UserNumber.none
        /// The user of a direct conversation it is withheld from for good; `.none` if there is none.
        var withheldFrom = UserNumber.none
        /// Range in `asides` of the placeholder for members who may not see it; empty if they get nothing.
        var hidden: Range<Int>?
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
    /// The messages whose acks will change watermarks.
    private(set) var messages: [UnackedMessages.Entry] = []
    /// The lowest sequence in the run: a member whose messages begin below it may see every entry.
    private(set) var lowest = SequenceNumber(Int64.max)
    /// Sessions of senders, and of members with hidden entries, each once.
    private(set) var apart: [Session] = []
    /// Whether any entry is hidden from a member.
    private var hidesAny = false
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
    func add(
        _ builder: FrameBuilder, from sender: UserNumber, to conversation: Conversation, except origin: Session
    ) {
        begin(conversation, isSignals: true)
        entries.append(
            Entry(
                frame: frames.append(builder), origin: .passUnretained(origin), sender: sender,
                sequence: .none, position: .start, isMessage: false, author: sender))
        setApart(origin)
    }

    /// Adds the durable event that the builder holds. `addAnswer` and `addOwn` add its other forms.
    func add(
        _ builder: FrameBuilder, of event: borrowing StoredEvent, to conversation: Conversation, except origin: Session?
    ) {
        begin(conversation, isSignals: false)
        // Changes of a message are hidden from the same members as the message. Changes of members are shown to all.
        let sequence = event.subject
        entries.append(
            Entry(
                frame: frames.append(builder), origin: origin.map(Unmanaged.passUnretained), sender: event.sender,
                sequence: sequence, position: event.position, isMessage: event.kind == .message,
                author: event.sender))
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

    /// The last entry is hidden from these users, who get what the builder holds instead; nothing if it is nil.
    /// - Parameters:
    ///   - author: whose message it is: in a group they have blocked this user.
    ///   - withheldFrom: the only one of them, in a direct conversation; `.none` in a group.
    func hide(
        from users: [User], author: UserNumber, withheldFrom: UserNumber = .none, instead builder: FrameBuilder?
    ) {
        guard let last = entries.indices.last else { preconditionFailure("what is hidden is added before") }
        entries[last].author = author
        entries[last].withheldFrom = withheldFrom
        entries[last].hidden = builder.map { asides.append($0) } ?? 0..<0
        hidesAny = true
        for user in users { for session in user.sessions { setApart(session) } }
    }

    /// The entries hidden from this user, a bit for each.
    func hidden(from user: User?) -> UInt64 {
        guard hidesAny, let user else { return 0 }
        var hidden: UInt64 = 0
        for (index, entry) in entries.enumerated() where entry.hidden != nil {
            let isHidden =
                entry.withheldFrom == .none ? user.hasBlocked(entry.author) : entry.withheldFrom == user.number
            if isHidden { hidden |= 1 << UInt64(index) }
        }
        return hidden
    }

    /// Whether a user with hidden entries gets nothing in place of one.
    func leavesOut(_ form: Form) -> Bool {
        form.hidden != 0 && entries.indices.contains { form.hides($0) && entries[$0].hidden?.isEmpty == true }
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

    /// The form of a run in which sessions get it that caused none of it: several of them may get the same.
    struct Form: Hashable {
        /// The sender, if this user sent some of the events and its own devices get them in the sender's form; else
        /// `.none`.
        let own: UserNumber
        /// A bit for each entry: whether it is hidden.
        let hidden: UInt64
    }

    /// The form in which a user's sessions get it.
    func form(for user: User) -> Form {
        let isSender = entries.contains { $0.sender == user.number && $0.own != nil }
        return Form(own: isSender ? user.number : .none, hidden: hidden(from: user))
    }

    /// Puts together all events in one form.
    func join(_ frames: Frame, _ asides: Frame?, as form: Form, in portion: inout JoinedFrames) {
        for (index, entry) in entries.enumerated() {
            portion.append(framed: bytes(of: entry, frames, asides, own: form.own, isHidden: form.hides(index)))
        }
    }

    /// An entry as it is for one user.
    func bytes(
        of entry: Entry, _ frames: Frame, _ asides: Frame?, own: UserNumber?, isHidden: Bool
    ) -> UnsafeRawBufferPointer {
        if isHidden, entry.hidden?.isEmpty == true { return UnsafeRawBufferPointer(start: nil, count: 0) }
        guard let asides else { return frames.bytes(at: entry.frame) }
        if isHidden, let hidden = entry.hidden { return asides.bytes(at: hidden) }
        if entry.sender == own, let own = entry.own { return asides.bytes(at: own) }
        return frames.bytes(at: entry.frame)
    }

    /// Forgets everything but the memory. Frames and asides must have been taken.
    func removeAll() {
        precondition(frames.count == 0 && asides.count == 0, "a run is emptied when its frames were taken")
        conversation = nil
        entries.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
        lowest = SequenceNumber(Int64.max)
        apart.removeAll(keepingCapacity: true)
        hidesAny = false
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

extension FanOutRun.Form {
    func hides(_ entry: Int) -> Bool { hidden & 1 << UInt64(entry) != 0 }
}
