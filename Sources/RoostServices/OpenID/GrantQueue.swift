import Logging
import RoostStore

/// Ends grants at their providers after their identity was deleted, again until the provider confirms, so that deleting
/// an account doesn't wait. One task runs it.
package final class GrantQueue: Sendable {
    /// Read at once: more than are deleted in a minute.
    private static let batch = 100

    private let database: ServicesDatabase
    private let openID: OpenID
    private let seal: GrantSeal
    private let log: Logger
    private let due: DueWork

    /// - Parameter pause: waits after so many failures in a row.
    init(
        database: ServicesDatabase, openID: OpenID, seal: GrantSeal, log: Logger,
        pause: (@Sendable (Int) async throws -> Void)? = nil
    ) {
        self.database = database
        self.openID = openID
        self.seal = seal
        self.log = log
        let longest = openID.settings.bounds.grantPauseSeconds
        due = DueWork(
            pause: pause ?? { failures in
                let seconds = min(longest, 0.5 * Double(1 << min(max(failures - 1, 0), 16)))
                try await Task.sleep(for: .seconds(seconds * Double.random(in: 1...2)))
            })
    }

    /// There may be something new.
    package func wake() { due.wake() }

    /// Runs until the task is cancelled.
    package func run() async {
        await due.run { await passThrough() ? .last : .failed }
    }

    /// Tries each once, so that a provider that is away holds no other up. Returns false if something is left.
    private func passThrough() async -> Bool {
        var (last, isDone) = (Int64(0), true)
        while !Task.isCancelled {
            do throws(ServiceFault) {
                let after = last
                let rows = try await database.read { database throws(LocalFailure) in
                    try EndedGrantTable.next(after: after, GrantQueue.batch, database)
                }
                guard let newest = rows.last else { return isDone }
                last = newest.id
                for row in rows {
                    let isEnded = await end(row)
                    try await database.write { database throws(LocalFailure) in
                        if isEnded {
                            try EndedGrantTable.delete(row.id, database)
                        } else {
                            try EndedGrantTable.countTry(row.id, database)
                        }
                    }
                    isDone = isDone && isEnded
                }
            } catch {
                return false
            }
        }
        return false
    }

    /// Whether nothing is left to do.
    private func end(_ row: EndedGrantTable.Row) async -> Bool {
        if row.tries >= openID.settings.bounds.grantTries { return forget("the provider didn't take it in all tries") }
        guard let party = openID.parties.first(where: { $0.provider.issuer == row.issuer }) else {
            // It may come back.
            return false
        }
        guard let token = seal.opened(row.grant, issuer: row.issuer) else {
            return forget("it was sealed by another key")
        }
        guard let proof = try? party.provider.proof(of: row.grant.client, now: openID.clock.seconds) else {
            return false
        }
        return await party.issuer.end(token, by: proof)
    }

    private func forget(_ why: String) -> Bool {
        log.warning("a grant of a provider can't be ended", metadata: ["why": "\(why)"])
        return true
    }
}
