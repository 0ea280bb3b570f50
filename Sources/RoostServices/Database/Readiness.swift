import RoostStore
import Synchronization

/// Whether requests can be answered: those that matter write, so that a disk that is full or can't be written makes the
/// process not ready, although it can still read. Any thread may use it.
final class Readiness: Sendable {
    /// Most bytes that a sign-in with its indexes takes.
    private static let bytes: Int64 = 32_768

    private let database: ServicesDatabase
    private let clock: WallClock
    private let seconds: Int64
    // When it was last seen to be ready, in milliseconds.
    private let seen = Mutex<Int64?>(nil)

    /// - Parameter seconds: how long it counts as ready without another look, so that frequent probes cost the disk
    ///   nothing.
    init(database: ServicesDatabase, clock: WallClock, seconds: Int64) {
        self.database = database
        self.clock = clock
        self.seconds = seconds
    }

    /// Returns if something can be stored.
    func check() async throws(ServiceFault) {
        let now = clock.now()
        // A clock that was set back makes it old.
        if let last = seen.withLock({ $0 }), (0..<seconds * 1_000).contains(now - last) { return }
        try await database.write { database throws(LocalFailure) in
            try database.run("REPLACE INTO probe(id, filler) VALUES (1, zeroblob(?))", [.integer(Readiness.bytes)])
        }
        seen.withLock { $0 = now }
    }
}
