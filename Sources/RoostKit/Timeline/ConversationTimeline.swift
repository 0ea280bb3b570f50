public import Observation
import RoostClient
public import RoostStore
public import RoostWire

/// A conversation on the screen: a window of its messages that moves by scrolling, and the user's actions in it.
///
/// An action is on disk when its method returns, and shows at once. The relay gets it as soon as it can.
@MainActor
@Observable
public final class ConversationTimeline {
    /// The conversation's id, or `@name`, as it was opened.
    public let destination: String
    /// The present contents.
    public private(set) var snapshot = TimelineSnapshot()
    /// Ends of the window that are being loaded, and rows.
    public internal(set) var loading = TimelineLoading()
    @ObservationIgnored let engine: Engine
    @ObservationIgnored weak var roost: Roost?
    @ObservationIgnored let view: Int
    @ObservationIgnored private var readers: [Task<Void, Never>] = []
    @ObservationIgnored private let changes = Changes<TimelineSnapshot>()
    private let composer: DraftKeeper

    init(_ destination: String, _ engine: Engine, of roost: Roost) async throws {
        let (shown, show) = AsyncStream<TimelineSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (drafts, showDraft) = AsyncStream<KeptDraft>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.destination = destination
        self.engine = engine
        self.roost = roost
        let opened = try await engine.perform { desk in
            let view = try desk.open(destination, show, showDraft)
            let draft = desk.timeline(view)?.draft ?? KeptDraft(text: "", revision: 0)
            return (view, desk.timeline(view)?.shown ?? TimelineSnapshot(), draft)
        }
        view = opened.0
        snapshot = opened.1
        composer = DraftKeeper(opened.2, of: destination, engine)
        readers = [
            Task { [weak self] in for await now in shown { self?.show(now) } },
            Task { [weak composer] in for await now in drafts { composer?.follow(now) } },
        ]
        await engine.refresh()
    }

    /// A timeline that shows this, and has no relay: for previews and tests of screens.
    public init(preview snapshot: TimelineSnapshot, of destination: String = "@somebody", draft: String = "") {
        self.destination = destination
        engine = .preview
        view = Engine.noView
        composer = DraftKeeper(KeptDraft(text: draft, revision: 0), of: destination, engine)
        self.snapshot = snapshot
    }

    deinit {
        for reader in readers { reader.cancel() }
        let (engine, view) = (engine, view)
        Task { try? await engine.perform { $0.close(view) } }
    }

    func show(_ now: TimelineSnapshot) {
        guard now.revision > snapshot.revision else { return }
        snapshot = now
        changes.send(now)
    }

    /// The rows, oldest first.
    public var items: [TimelineItem] { snapshot.items }
    /// The conversation; nil if nothing is known of it yet.
    public var conversation: LocalConversation? { snapshot.conversation }
    /// The users who type.
    public var typing: [String] { snapshot.typing }
    /// A row by its identity, or a message by its number as `.sequence`; nil if it isn't shown.
    public subscript(_ id: TimelineItem.ID) -> TimelineItem? { snapshot[id] }

    /// The contents, now and after each change. A slow reader misses older ones.
    public func snapshots() -> AsyncStream<TimelineSnapshot> { changes.stream(from: snapshot) }

    /// The snapshots, each with the rows that came, went, moved or changed: for a table that updates single rows.
    public func updates() -> RowUpdates<TimelineSnapshot, TimelineItem.ID> {
        RowUpdates(snapshots: snapshots()) { $0.changes(since: $1 ?? TimelineSnapshot()) }
    }

    // MARK: The draft

    /// The user's unsent text. Set it at every key, as a text field's binding does: it shows at once, is saved to disk
    /// behind that, and others see that the user types. `loading.lastError` says if it couldn't be saved.
    public var draft: String {
        get { composer.text }
        set { composer.write(newValue, in: conversation?.id) { [weak self] in self?.loading.lastError = $0 } }
    }

    /// Returns when the draft is on disk: before the app is suspended, say.
    public func saveDraft() async throws { try await composer.save() }

    // MARK: Writing

    /// Sends a text. It is on disk when this returns. Sending ends typing, and clears the draft if that is the same
    /// text: a quick answer from elsewhere leaves the user's draft alone.
    /// - Parameter mentions: members of the group mentioned in the text, at most 32; `@all` for all of them, which only
    ///   owner and admins may. The text itself isn't read.
    /// - Returns: the row's identity, from now on and for ever.
    @discardableResult
    public func send(
        _ text: String, replyTo: TimelineItem.ID? = nil, mentions: [String] = []
    ) async throws -> TimelineItem.ID {
        let id = try await send(kind: nil, MessageBody(text: text), replyTo: replyTo, mentions: mentions)
        await composer.use(text)
        return id
    }

    /// Sends a message of another kind with any JSON value as its body, otherwise like a text.
    @discardableResult
    public func send(
        kind: String?, _ body: MessageBody, replyTo: TimelineItem.ID? = nil, mentions: [String] = []
    ) async throws -> TimelineItem.ID {
        composer.endTyping()
        return try await engine.perform { [destination] desk in
            let target = try replyTo.map { try desk.target($0, in: destination) }
            let item = try desk.add(
                .send(kind: kind, body: body.json, replyTo: target), to: destination, mentions: mentions)
            return .key(item.key)
        }
    }

    /// Returns the row of an own message once the relay has stored it. A later call finds the same.
    /// - Throws: `SendFailure` if the relay has refused it; it waits for its user then. `OutboxFailure.noSuchItem` if
    ///   it was taken back.
    @discardableResult
    public func stored(_ id: TimelineItem.ID) async throws -> TimelineMessage {
        let flushes = try await engine.perform { $0.flushes() }
        for await _ in flushes {
            guard let row = try await engine.perform({ [destination] in try RowQuestion.row(id, in: destination, $0) })
            else {
                throw OutboxFailure.noSuchItem
            }
            if case .failed(let failure) = row.state { throw failure }
            if row.sequence != nil { return row }
        }
        throw CancellationError()
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
            let body = MessageBody(text: text).json
            // A message that has not been sent yet simply gets another text.
            if case .unsent(let item) = target, desk.store.outbox.mayChange(item) {
                return try desk.change { try $0.replace(item, body: body, mentions: mentions) }
            }
            try desk.add(.edit(target, body: body), to: destination, mentions: mentions, ifVersion: version)
        }
    }

    /// Deletes a message: the user's own, or any as owner or admin. A message that waits for the relay is taken back.
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

    /// Marks a message, and later messages of others, as unread on the user's own devices; other users don't see it. A
    /// message that is `seen` again isn't unread any more, so close the timeline first. Needs a session.
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

    // MARK: Refused items

    /// Tries again what the relay refused of a row: the message, or a change of it.
    public func retry(_ id: TimelineItem.ID) async throws {
        try await engine.perform { [destination] desk in
            for item in try RowQuestion.refused(id, in: destination, desk) { try desk.retry(item) }
        }
    }

    /// Gives a refused message or edit another text and other mentions, and tries it again.
    public func replace(_ id: TimelineItem.ID, _ text: String, mentions: [String] = []) async throws {
        try await engine.perform { [destination] desk in
            guard let item = try RowQuestion.refused(id, in: destination, desk).first else {
                throw OutboxFailure.noSuchItem
            }
            try desk.change { try $0.replace(item, body: MessageBody(text: text).json, mentions: mentions) }
        }
    }

    /// Takes back what the relay refused of a row, or a message that waits, with everything that waits for it.
    public func discard(_ id: TimelineItem.ID) async throws {
        try await engine.perform { [destination] desk in
            for item in try RowQuestion.refused(id, in: destination, desk) { try desk.takeBack(item) }
        }
    }

    /// Tries a whole conversation again that the relay refused.
    public func resume() async throws {
        try await engine.perform { [destination] desk in
            let names = Set([destination, try desk.store.resolved(destination)])
            try desk.change { outbox in for name in names { try outbox.resume(name) } }
        }
    }
}
