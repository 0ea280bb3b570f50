public import Observation
import RoostStore
public import RoostWire

/// A thread on the screen: the messages that belong to one message of a conversation. They are in the conversation's
/// timeline, too, which reads, edits and deletes them and reacts to them like any others.
@MainActor
@Observable
public final class MessageThread {
    /// The message with which it began.
    public let root: SequenceNumber
    /// The present contents.
    public private(set) var snapshot: ThreadSnapshot
    @ObservationIgnored private let conversation: String
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private let view: Int
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<ThreadSnapshot>()

    init(of id: TimelineItem.ID, in destination: String, _ engine: Engine) async throws {
        let (shown, show) = AsyncStream<ThreadSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.engine = engine
        (root, conversation, view, snapshot) = try await engine.perform { desk in
            let message = try desk.stored(id, in: destination)
            let root = message.thread ?? message.sequence
            let view = try desk.open(ThreadView(root, of: message.conversation, show))
            return (root, message.conversation, view, desk.thread(view)?.shown ?? ThreadSnapshot())
        }
        reader = Task { [weak self] in for await now in shown { self?.show(now) } }
        await engine.refresh()
    }

    deinit {
        reader?.cancel()
        let (engine, view) = (engine, view)
        Task { try? await engine.perform { $0.close(view) } }
    }

    private func show(_ now: ThreadSnapshot) {
        guard now.revision > snapshot.revision else { return }
        snapshot = now
        changes.send(now)
    }

    /// The rows, oldest first.
    public var items: [TimelineItem] { snapshot.items }

    /// The contents, now and after each change. A slow reader misses older ones.
    public func snapshots() -> AsyncStream<ThreadSnapshot> { changes.stream(from: snapshot) }

    /// Sends a text in the thread. It is on disk when this returns.
    /// - Returns: the row's identity, from now on and for ever.
    @discardableResult
    public func send(
        _ text: String, replyTo: TimelineItem.ID? = nil, mentions: [String] = []
    ) async throws -> TimelineItem.ID {
        try await send(kind: nil, MessageBody(text: text), replyTo: replyTo, mentions: mentions)
    }

    /// Sends a message of another kind in the thread, with any JSON value as its body.
    @discardableResult
    public func send(
        kind: String?, _ body: MessageBody, replyTo: TimelineItem.ID? = nil, mentions: [String] = []
    ) async throws -> TimelineItem.ID {
        try await engine.perform { [conversation, root] desk in
            let target = try replyTo.map { try desk.target($0, in: conversation) }
            let item = try desk.add(
                .send(kind: kind, body: body.json, replyTo: target), to: conversation, mentions: mentions, thread: root)
            return .key(item.key)
        }
    }

    /// Shows up to 100 older messages, at most the newest 1,000 in all. They are in `snapshot` when it returns.
    /// - Throws: `RoostFailure` if the relay can't be asked.
    public func loadOlder() async throws {
        try await ThreadQuestion.older(view, engine)
        if let now = try await engine.perform({ [view] in $0.thread(view)?.shown }) { show(now) }
    }
}
