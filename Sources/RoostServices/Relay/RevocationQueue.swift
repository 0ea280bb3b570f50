import RoostStore
import Synchronization

/// Tells the relay what the database says it is to be told, in order, until it has said ok: a relay that is stopped
/// misses nothing. One task runs it.
package final class RevocationQueue: Sendable {
    /// Read at once: what a person with many sessions ends.
    private static let batch = 100

    private let database: ServicesDatabase
    private let link: any RelayLink
    private let clock: WallClock
    private let signal: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation
    private let pause: @Sendable (Int) async throws -> Void
    private let told: @Sendable () -> Void

    /// - Parameters:
    ///   - pause: waits after so many failures in a row.
    ///   - told: is called when nothing is left to tell.
    package init(
        database: ServicesDatabase, link: any RelayLink, clock: WallClock,
        pause: @escaping @Sendable (Int) async throws -> Void = RevocationQueue.pause,
        told: @escaping @Sendable () -> Void = {}
    ) {
        self.database = database
        self.link = link
        self.clock = clock
        self.told = told
        self.pause = pause
        (signal, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // What a process before this one didn't get told.
        wakeUp.yield()
    }

    /// There is something new.
    package func wake() { wakeUp.yield() }

    /// Half a second at first, doubled up to 8, and as much again by chance, so that several don't come together.
    @Sendable package static func pause(_ failures: Int) async throws {
        let seconds = 0.5 * Double(1 << min(max(failures - 1, 0), 4))
        try await Task.sleep(for: .seconds(seconds * Double.random(in: 1...2)))
    }

    /// Runs until the task is cancelled.
    package func run() async {
        for await _ in signal {
            var failures = 0
            while !Task.isCancelled {
                if await drain() { break }
                failures += 1
                do { try await pause(failures) } catch { return }
            }
            if Task.isCancelled { return }
        }
    }

    /// Tells everything. Returns false if something is left.
    private func drain() async -> Bool {
        while !Task.isCancelled {
            let now = clock.now()
            do throws(ServiceFault) {
                let next = try await database.read { database throws(LocalFailure) in
                    try RevocationTable.next(RevocationQueue.batch, now: now, database)
                }
                guard !next.isEmpty else {
                    await link.rest()
                    told()
                    return true
                }
                for (id, revocation) in next {
                    guard await link.revoke(revocation) else { return false }
                    try await database.write { database throws(LocalFailure) in
                        try RevocationTable.delete(id, database)
                    }
                }
            } catch {
                return false
            }
        }
        return false
    }
}
