/// The difference between two snapshots, by the identities of rows: the input for a table that doesn't reload all its
/// rows.
public struct RowChanges<ID: Hashable & Sendable>: Sendable, Equatable {
    /// The rows that went, came or moved. Applied to the identities before, it gives those after.
    public var order: CollectionDifference<ID>
    /// The rows that are in both, and show something else.
    public var updated: [ID]

    /// Whether nothing is different.
    public var isEmpty: Bool { order.isEmpty && updated.isEmpty }
    /// The rows that went, and didn't only move.
    public var removed: [ID] {
        order.removals.compactMap { change in
            if case .remove(_, let id, nil) = change { id } else { nil }
        }
    }
    /// The rows that came, and weren't there before.
    public var inserted: [ID] {
        order.insertions.compactMap { change in
            if case .insert(_, let id, nil) = change { id } else { nil }
        }
    }

    /// - Parameters:
    ///   - new: the rows as they are.
    ///   - old: as they were. Identities are there once in each.
    init<Row: Identifiable & Equatable>(_ new: [Row], since old: [Row]) where Row.ID == ID {
        order = new.map(\.id).difference(from: old.map(\.id)).inferringMoves()
        let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        updated = new.filter { row in before[row.id].map { $0 != row } ?? false }.map(\.id)
    }
}

/// A snapshot, and what is different from the one that the reader had before.
public struct RowUpdate<Snapshot: Sendable, ID: Hashable & Sendable>: Sendable {
    /// The present contents.
    public var snapshot: Snapshot
    /// The difference; in the first update, all rows are new.
    public var changes: RowChanges<ID>
}

/// Snapshots as they change, each with what is different. A slow reader misses snapshots that are old, and no change:
/// each is compared with the one that this reader had before.
public struct RowUpdates<Snapshot: Sendable, ID: Hashable & Sendable>: AsyncSequence, Sendable {
    let snapshots: AsyncStream<Snapshot>
    let compare: @Sendable (Snapshot, Snapshot?) -> RowChanges<ID>

    /// Reads them.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var snapshots: AsyncStream<Snapshot>.Iterator
        let compare: @Sendable (Snapshot, Snapshot?) -> RowChanges<ID>
        var last: Snapshot?

        /// The newest snapshot, when it is another one than the last; nil if there will be none.
        public mutating func next() async -> RowUpdate<Snapshot, ID>? {
            guard let now = await snapshots.next() else { return nil }
            defer { last = now }
            return RowUpdate(snapshot: now, changes: compare(now, last))
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(snapshots: snapshots.makeAsyncIterator(), compare: compare)
    }
}

/// Where rows are, by their identities.
struct RowPlaces<ID: Hashable & Sendable>: Sendable, Equatable {
    private var places: [ID: Int] = [:]

    init() {}

    init(_ ids: some Sequence<ID>) {
        for (place, id) in ids.enumerated() { places[id] = place }
    }

    subscript(_ id: ID) -> Int? { places[id] }

    /// Another name of a row; what has that name already keeps it.
    mutating func name(_ id: ID, _ place: Int) { if places[id] == nil { places[id] = place } }
}
