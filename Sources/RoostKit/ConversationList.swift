public import Observation

/// The user's conversations, or those that wait for the user to accept them, those first in which something happened
/// last.
@MainActor
@Observable
public final class ConversationList {
    /// The rows, and whether there are more.
    public private(set) var snapshot = ConversationListSnapshot()
    /// Whether more rows are being added.
    public private(set) var isLoadingMore = false
    /// Why the last `loadMore` failed; nil after the next one.
    public private(set) var lastError: (any Error)?
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private let view: Int
    @ObservationIgnored private var reader: Task<Void, Never>?
    @ObservationIgnored private let changes = Changes<ConversationListSnapshot>()

    init(_ engine: Engine, areRequests: Bool = false) async throws {
        let (shown, show) = AsyncStream<ConversationListSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.engine = engine
        // The store's rows are there at once.
        (view, snapshot) = try await engine.perform { desk in
            let view = try desk.openList(show, areRequests: areRequests)
            return (view, desk.list(view)?.shown ?? ConversationListSnapshot())
        }
        reader = Task { [weak self] in for await now in shown { self?.show(now) } }
    }

    /// A list that shows this, and has no relay: for previews and tests of screens.
    public init(preview rows: [ConversationRow]) {
        engine = .preview
        view = Engine.noView
        snapshot.rows = rows
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

    /// The snapshots, each with the rows that came, went, moved or changed: for a table that updates single rows.
    public func updates() -> RowUpdates<ConversationListSnapshot, ConversationRow.ID> {
        RowUpdates(snapshots: snapshots()) { $0.changes(since: $1 ?? ConversationListSnapshot()) }
    }

    /// A row by its identity; nil if it isn't listed.
    public subscript(_ id: ConversationRow.ID) -> ConversationRow? { snapshot[id] }

    /// A row is on the screen: what a list calls as it shows one. Near the end more rows are added.
    public func appeared(_ id: ConversationRow.ID) {
        guard hasMore, rows.suffix(ConversationList.margin).contains(where: { $0.id == id }) else { return }
        Task { try? await loadMore() }
    }

    // How many rows before the end more are added: about a screen of a phone.
    private static let margin = 10

    /// Adds up to 50 rows. While rows are being added it does nothing.
    public func loadMore() async throws {
        guard !isLoadingMore else { return }
        isLoadingMore = true
        defer { isLoadingMore = false }
        lastError = nil
        do { try await engine.perform { [view] in try $0.loadMore(view) } } catch {
            lastError = error
            throw error
        }
    }
}
