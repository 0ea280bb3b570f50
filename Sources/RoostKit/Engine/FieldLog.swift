import RoostStore
import RoostWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The app's own log, and the counters beside it. Confined to the engine.
final class FieldLog {
    private let log: (@Sendable (RoostLogEntry) -> Void)?
    private var counted = RoostCounters()
    // Where the file is; nil in memory.
    private let path: String?

    init(_ log: (@Sendable (RoostLogEntry) -> Void)?, path: String?) {
        self.log = log
        self.path = path
    }

    func note(_ event: RoostLogEntry.Event) {
        counted.note(event)
        log?(RoostLogEntry(event))
    }

    /// Logs the outcome of an item of the outbox.
    func note(_ outcome: Sender.Outcome, of item: OutboxItem, in store: LocalStore) {
        if case .done = outcome { return note(.sent) }
        guard let failure = store.outbox.items.first(where: { $0.id == item.id })?.failure else { return }
        note(.refused(code: "\(failure.code.word)"))
    }

    /// The counters of this device.
    func counters(_ store: LocalStore) -> RoostCounters {
        var now = counted
        now.waiting = store.outbox.items.count { $0.isVisible }
        if let path { now.storeBytes = bytes(path) + bytes(path + "-wal") }
        return now
    }

    private func bytes(_ path: String) -> Int64 {
        var found = stat()
        return stat(path, &found) == 0 ? Int64(found.st_size) : 0
    }
}
