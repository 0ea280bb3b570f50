import Synchronization

/// Lets writer and reader take turns on the one connection of an in-memory store. In a file they have a connection
/// each and SQLite keeps them apart, so there nobody waits for a turn.
final class Turn: Sendable {
    private let isShared: Bool
    private let mutex = Mutex(())

    init(isShared: Bool) {
        self.isShared = isShared
    }

    func take<Value: Sendable>(_ body: () throws -> Value) throws -> Value {
        guard isShared else { return try body() }
        return try mutex.withLock { _ in try body() }
    }
}
