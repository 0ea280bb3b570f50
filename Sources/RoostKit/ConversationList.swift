public import Observation

/// The user's conversations, or those that wait for the user to accept them, those first in which something happened
/// last.
@MainActor
@Observable
public final class ConversationList {
    /// The rows, and whether there are more.
    public private(set) var snapshot = ConversationListSnapshot()
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private let view: Int
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<ConversationListSnapshot>()

    init(_ engine: Engine, areRequests: Bool = false) async throws {
        let (shown, show) = AsyncStream<ConversationListSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.engine = engine
        // What the store has is there at once.
        (view, snapshot) = try await engine.perform { desk in
            let view = try desk.openList(show, areRequests: areRequests)
            return (view, desk.list(view)?.shown ?? ConversationListSnapshot())
        }
        reader = Task { [weak self] in for await now in shown { self?.show(now) } }
    }

    deinit {
        reader?.cancel()
        let (engine, view) = (engine, view)
        Task { try? await engine.perform { $0.close(view) } }
    }

    private func show(_ now: ConversationListSnapshot) {
        snapshot = now
        changes.send(now)
    }

    /// The rows.
    public var rows: [ConversationRow] { snapshot.rows }
    /// Whether `loadMore` would add rows.
    public var hasMore: Bool { snapshot.hasMore }

    /// The list, now and whenever it changes. A slow reader misses what is old.
    public func snapshots() -> AsyncStream<ConversationListSnapshot> { changes.stream(from: snapshot) }

    /// Adds up to 50 rows.
    public func loadMore() async throws { try await engine.perform { [view] in try $0.loadMore(view) } }
}
