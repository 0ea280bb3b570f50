import Synchronization

/// Keeps writer and reader apart on the single connection of an in-memory store. With a file each has its own
/// connection and SQLite keeps them apart, so neither waits there.
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
