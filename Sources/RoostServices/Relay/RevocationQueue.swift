import Logging
import RoostStore

/// Sends the revocations in the database to the relay, in order, until it has said ok: a relay that is stopped misses
/// nothing. One task runs it.
package final class RevocationQueue: Sendable {
    /// Read at once: what a person with many sessions ends.
    private static let batch = 100

    private let database: ServicesDatabase
    private let relay: any RelayCommands
    private let clock: WallClock
    private let log: Logger
    private let due: DueWork
    private let told: @Sendable () -> Void

    /// - Parameters:
    ///   - relay: a line of its own, so that no other commands hold it up.
    ///   - told: called when no revocation is left to send.
    package init(
        database: ServicesDatabase, relay: any RelayCommands, clock: WallClock, log: Logger,
        due: DueWork = DueWork(), told: @escaping @Sendable () -> Void = {}
    ) {
        self.database = database
        self.relay = relay
        self.clock = clock
        self.log = log
        self.due = due
        self.told = told
    }

    /// There is something new.
    package func wake() { due.wake() }

    /// Runs until the task is cancelled.
    package func run() async {
        await due.run {
            await relay.rest()
            told()
        } _: {
            do throws(ServiceFault) { return try await tellNext() ? .done : .last } catch { return .failed }
        }
    }

    /// Returns whether there was one to send.
    private func tellNext() async throws(ServiceFault) -> Bool {
        let now = clock.now()
        let next = try await database.read { database throws(LocalFailure) in
            try RevocationTable.next(RevocationQueue.batch, now: now, database)
        }
        for (id, revocation) in next {
            do throws(ServiceFault) { _ = try await relay.carryOut(revocation.command(at: clock.now())) } catch {
                switch error.code {
                case .unavailable, .busy, .rateLimited: break
                // It is tried again all the same: a mistake must not leave a user connected.
                default:
                    log.error("the relay doesn't take a revocation", metadata: ["code": "\(error.code.rawValue)"])
                }
                throw error
            }
            try await database.write { database throws(LocalFailure) in try RevocationTable.delete(id, database) }
        }
        return !next.isEmpty
    }
}
