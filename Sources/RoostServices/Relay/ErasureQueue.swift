import RoostStore
import RoostWire

/// Has the relay erase all messages of users, page by page, until nothing is left. The position is in the database, so
/// that it continues after a restart of either process; a page that was erased twice is erased once. One task runs it.
package final class ErasureQueue: Sendable {
    private let database: ServicesDatabase
    private let relay: any RelayCommands
    private let clock: WallClock
    private let limits: ServicesLimits
    private let due: DueWork

    /// - Parameter relay: a line of its own.
    package init(
        database: ServicesDatabase, relay: any RelayCommands, clock: WallClock, limits: ServicesLimits,
        due: DueWork = DueWork()
    ) {
        self.clock = clock
        self.database = database
        self.relay = relay
        self.limits = limits
        self.due = due
    }

    /// Has everything erased that the user has written until now: what is written later stays, however long the relay
    /// is away.
    package func add(_ user: String) async throws(ServiceFault) {
        let now = clock.now()
        let most = limits.erasuresMax
        let isAdded = try await database.write { database throws(LocalFailure) in
            guard try ErasureTable.count(database) < most else { return false }
            try ErasureTable.put(user, until: now, database)
            return true
        }
        guard isAdded else {
            throw ServiceFault(.busy, "\(most) users wait to be erased already", retryAfter: Int64(limits.busySeconds))
        }
        due.wake()
    }

    /// Adds it in the transaction that deletes the account: all of it, because the user writes on until the sockets are
    /// closed. `wake` follows.
    static func add(_ user: String, _ database: LocalDatabase) throws(LocalFailure) {
        try ErasureTable.put(user, until: nil, database)
    }

    /// There is something new.
    package func wake() { due.wake() }

    /// Whether something of the user is still to be erased.
    package func isUnderWay(_ user: String) async throws(ServiceFault) -> Bool {
        try await database.read { database throws(LocalFailure) in try ErasureTable.has(user, database) }
    }

    /// Runs until the task is cancelled.
    package func run() async {
        await due.run(rest: relay.rest) {
            do throws(ServiceFault) { return try await eraseNextPage() ? .done : .last } catch { return .failed }
        }
    }

    /// Returns whether there was one.
    private func eraseNextPage() async throws(ServiceFault) -> Bool {
        let next = try await database.read { database throws(LocalFailure) in try ErasureTable.next(database) }
        guard let next else { return false }
        var members = [RelayCommand.Member(name: "user", text: next.user)]
        if let after = next.after { members.append(.init(name: "after", text: after)) }
        if let until = next.until { members.append(.init(name: "until", value: Array("\(until)".utf8))) }
        let reached: String?
        do throws(ServiceFault) {
            let reply = try await relay.carryOut(RelayCommand(.erase, members)).members
            guard let page = ErasurePage(reading: reply) else {
                throw ServiceFault(.unavailable, "the relay's answer lacks what it promises")
            }
            reached = page.more ? page.position : nil
        } catch {
            switch error.code {
            // No user of this name has written anything.
            case .notFound: reached = nil
            // The log is another one than before: it begins anew.
            case .badPosition where next.after != nil:
                return try await note(next, nil)
            default: throw error
            }
        }
        guard let reached else {
            try await database.write { database throws(LocalFailure) in try ErasureTable.delete(next, database) }
            return true
        }
        return try await note(next, reached)
    }

    private func note(_ erasure: ErasureTable.Erasure, _ after: String?) async throws(ServiceFault) -> Bool {
        try await database.write { database throws(LocalFailure) in
            try ErasureTable.advance(erasure, to: after, database)
        }
        return true
    }
}
