import Synchronization

/// Keeps writer and reader apart on the one connection of an in-memory store. In a file they have a connection each and
/// SQLite keeps them apart, so there nobody waits.
final class ConnectionLock: Sendable {
    private let isShared: Bool
    private let mutex = Mutex(())

    init(isShared: Bool) {
        self.isShared = isShared
    }

    func withConnection<Value: Sendable>(_ body: () throws -> Value) throws -> Value {
        guard isShared else { return try body() }
        return try mutex.withLock { _ in try body() }
    }
}
