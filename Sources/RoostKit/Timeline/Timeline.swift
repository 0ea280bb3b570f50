public import Observation
import RoostClient
public import RoostStore
public import RoostWire

/// A conversation on the screen: a window of its messages that moves by scrolling, and all that the user does in it.
///
/// What the user does is on disk when a method returns, and shows at once. The relay gets it as soon as it can.
@MainActor
@Observable
public final class Timeline {
    /// The conversation's id, or `@name`, as it was opened.
    public let destination: String
    /// What it shows.
    public private(set) var snapshot = TimelineSnapshot()
    /// What the user has begun to write; kept on disk.
    public private(set) var draft = ""
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private weak var roost: Roost?
    @ObservationIgnored private let view: Int
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<TimelineSnapshot>()
    @ObservationIgnored private var typedAt: ContinuousClock.Instant?

    init(_ destination: String, _ engine: Engine, of roost: Roost) async throws {
        let (shown, show) = AsyncStream<TimelineSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.destination = destination
        self.engine = engine
        self.roost = roost
        let opened = try await engine.perform { desk in
            let view = try desk.open(destination, show)
            let draft = try desk.store.drafts.draft(for: destination)
            return (view, desk.timeline(view)?.shown ?? TimelineSnapshot(), draft)
        }
        view = opened.0
        snapshot = opened.1
        draft = opened.2
        reader = Task { [weak self] in for await now in shown { self?.show(now) } }
        await engine.refresh()
    }

    deinit {
        reader?.cancel()
        let (engine, view) = (engine, view)
        Task { try? await engine.perform { $0.close(view) } }
    }

    private func show(_ now: TimelineSnapshot) {
        guard now.revision > snapshot.revision else { return }
        snapshot = now
        changes.send(now)
    }

    /// The rows, oldest first.
    public var items: [TimelineItem] { snapshot.items }
    /// The conversation; nil if nothing is known of it yet.
    public var conversation: LocalConversation? { snapshot.conversation }
    /// Who types.
    public var typing: [String] { snapshot.typing }

    /// What it shows, now and whenever that changes. A slow reader misses what is old.
    public func snapshots() -> AsyncStream<TimelineSnapshot> { changes.stream(from: snapshot) }

    // MARK: Writing

    /// Sends a text. It is on disk when this returns. Sending ends typing, and takes the draft away if that is the text
    /// that is sent: a quick answer from elsewhere leaves what the user is writing.
    /// - Parameter mentions: members of the group whom the text mentions, at most 32; `@all` for all of them, which
    ///   only owner and admins may. The text itself isn't read.
    /// - Returns: the row's identity, from now on and for ever.
    @discardableResult
    public func send(
        _ text: String, replyTo: TimelineItem.ID? = nil, mentions: [String] = []
    ) async throws -> TimelineItem.ID {
        let id = try await send(kind: nil, Body(text: text), replyTo: replyTo, mentions: mentions)
        if LocalDrafts.isSame(draft, text) { draft = "" }
        // It is sent, whatever becomes of the draft: who is told of a failure sends again.
        try? await engine.perform { [destination] in try $0.use(draft: text, for: destination) }
        return id
    }

    /// Sends a message of another kind with any JSON value as its body, otherwise like a text.
    @discardableResult
    public func send(
        kind: String?, _ body: Body, replyTo: TimelineItem.ID? = nil, mentions: [String] = []
    ) async throws -> TimelineItem.ID {
        typedAt = nil
        return try await engine.perform { [destination] desk in
            let target = try replyTo.map { try desk.target($0, in: destination) }
            let item = try desk.add(
                .send(kind: kind, body: body.json, replyTo: target), to: destination, mentions: mentions)
            return .key(item.key)
        }
    }

    /// Gives one of the user's own messages another text and other mentions, also one that waits for the relay.
    /// - Parameter version: the version that the message must have by the time the relay gets the edit, usually its
    ///   `TimelineMessage.version` when the user began. Otherwise the edit isn't stored, and shows as a `failedChange`
    ///   with `SendFailure.Reason.changedElsewhere`. nil if the edit replaces any text.
    public func edit(
        _ id: TimelineItem.ID, _ text: String, mentions: [String] = [], ifVersion version: Int64? = nil
    ) async throws {
        try await engine.perform { [destination] desk in
            let target = try desk.target(id, in: destination)
            let body = Body(text: text).json
            // What nobody has seen yet is simply another text.
            if case .unsent(let item) = target, desk.store.outbox.mayChange(item) {
                return try desk.change { try $0.replace(item, body: body, mentions: mentions) }
            }
            try desk.add(.edit(target, body: body), to: destination, mentions: mentions, ifVersion: version)
        }
    }

    /// Deletes a message: one's own, or any as owner or admin. One that waits for the relay is taken back.
    public func delete(_ id: TimelineItem.ID) async throws {
        try await engine.perform { [destination] desk in
            let target = try desk.target(id, in: destination)
            if case .unsent(let item) = target { return try desk.takeBack(item) }
            try desk.add(.delete(target), to: destination)
        }
    }

    /// Reacts to a message, or takes a reaction back. Reactions that differ by U+FE0F are one.
    public func react(_ id: TimelineItem.ID, _ reaction: String, isOn: Bool = true) async throws {
        try await engine.perform { [destination] desk in
            let target = try desk.target(id, in: destination)
            try desk.add(.react(target, reaction: ReactionForm.kept(reaction), isOn: isOn), to: destination)
        }
    }

    /// Sends a message of this conversation on, as it is and with who wrote it. It is on disk when this returns.
    /// - Parameters:
    ///   - id: a message that the relay has stored, and that has a content.
    ///   - destination: a conversation, or `@name`.
    /// - Returns: the identity of the new row, where it is sent to.
    @discardableResult
    public func forward(_ id: TimelineItem.ID, to destination: String) async throws -> TimelineItem.ID {
        let source = self.destination
        return try await engine.perform { .key(try $0.forward(id, of: source, to: destination).key) }
    }

    /// The thread that began with a message, or that it belongs to. A message that the relay doesn't have yet begins
    /// none.
    public func thread(of id: TimelineItem.ID) async throws -> MessageThread {
        try await MessageThread(of: id, in: destination, engine)
    }

    // MARK: Marking as unread

    /// Marks a message, and what others have written after it, as unread on the user's own devices; nobody else is
    /// told. What is `seen` again isn't unread any more, so the app closes the timeline before. Needs a session.
    /// - Throws: `RoostFailure.refused` with `too_large` if the message is more than 100 back.
    public func markUnread(from id: TimelineItem.ID) async throws {
        try await UnreadQuestion.mark(id, in: destination, engine)
    }

    // MARK: Pinned messages

    /// Pins a message for all members: in a group the owner and admins may, at most 50. Needs a session.
    public func pin(_ id: TimelineItem.ID) async throws {
        try await PinQuestion.change(id, in: destination, isPinned: true, engine)
    }

    /// Pins a message no longer. Needs a session.
    public func unpin(_ id: TimelineItem.ID) async throws {
        try await PinQuestion.change(id, in: destination, isPinned: false, engine)
    }

    // MARK: What the relay refused

    /// Tries again what the relay refused: a message or a change, by its `outboxItem`.
    public func retry(_ item: Int64) async throws { try await engine.perform { try $0.retry(item) } }

    /// Gives a refused message or edit another text and other mentions, and tries it again.
    public func replace(_ item: Int64, _ text: String, mentions: [String] = []) async throws {
        try await engine.perform { desk in
            try desk.change { try $0.replace(item, body: Body(text: text).json, mentions: mentions) }
        }
    }

    /// Takes back what waits, with everything that waits for it.
    public func discard(_ item: Int64) async throws {
        try await engine.perform { try $0.takeBack(item) }
    }

    /// Tries a whole conversation again that the relay refused.
    public func resume() async throws {
        try await engine.perform { [destination] desk in
            let names = Set([destination, try desk.store.resolved(destination)])
            try desk.change { outbox in for name in names { try outbox.resume(name) } }
        }
    }

    // MARK: Scrolling

    /// Shows up to 100 older messages: those of this device at once, others from the relay.
    /// - Throws: `RoostFailure` if the relay was needed and can't be asked.
    public func loadOlder() async throws { try await scroll { try await $0.loadOlder($1) } }

    /// Shows up to 100 newer messages, after scrolling or jumping away from the newest.
    public func loadNewer() async throws { try await scroll { try await $0.loadNewer($1) } }

    /// Gets messages of a gap that is on the screen.
    public func fill(from: SequenceNumber, to: SequenceNumber) async throws {
        try await scroll { try await $0.fill($1, from: from, to: to) }
    }

    /// Shows what is around a message.
    public func jump(to sequence: SequenceNumber) async throws {
        try await scroll { try await $0.jump($1, to: sequence) }
    }

    /// Shows the newest messages.
    public func jumpToEnd() async throws {
        try await scroll { engine, view in try await engine.perform { try $0.move(view) { $0.toEnd() } } }
    }

    // What it leads to is in `snapshot` when it returns.
    private func scroll(_ body: (Engine, Int) async throws -> Void) async throws {
        try await body(engine, view)
        if let now = try await engine.perform({ [view] in $0.timeline(view)?.shown }) { show(now) }
    }

    /// The messages in which a text occurs, newest first, of those on this device.
    public func search(_ text: String) async throws -> [LocalMessage] {
        try await MessageQuestion.search(text, in: destination, engine)
    }

    // MARK: Reading

    /// The user has seen the conversation up to this message. Counts only while the device is active.
    public func seen(upTo sequence: SequenceNumber) async throws {
        guard roost?.activity == .active else { return }
        try await engine.perform { [destination] in try $0.read(destination, upTo: sequence) }
    }

    /// Who has read a message, and when, as far as they tell: from the relay, or without a session what this device
    /// knows, where the time may be that of a later message.
    public func readers(of sequence: SequenceNumber) async throws -> [(person: Person, time: Timestamp?)] {
        let marks = try await MessageQuestion.readers(of: sequence, in: destination, engine)
        return marks.map { (roost?.person($0.user) ?? Person(user: $0.user), $0.time) }
    }

    // MARK: Typing

    /// Keeps what the user has begun to write, and tells others that the user types: at most once in two seconds,
    /// because the relay forgets it after three.
    public func write(draft text: String) async throws {
        let isTyped = text != draft
        draft = text
        let name = conversation?.id ?? destination
        let now = ContinuousClock.now
        if !isTyped {
            // Another timeline may have changed what is kept.
        } else if text.isEmpty {
            if typedAt != nil { await engine.client.typing(in: name, isActive: false) }
            typedAt = nil
        } else if typedAt.map({ now - $0 >= .seconds(2) }) ?? true, conversation != nil {
            typedAt = now
            await engine.client.typing(in: name)
        }
        // Something newer may have been written meanwhile.
        try await engine.perform { [destination, draft] in try $0.keep(draft: draft, for: destination) }
    }
}
