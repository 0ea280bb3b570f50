import Logging
import RoostStore
import RoostWire

/// Sends profiles to the relay, with roles and tiers, users who have left for good, and introductions of users who came
/// by a link of the owner's. The work is in the database until the relay has said ok, so a relay that is away gets it
/// later. One task runs it.
package final class ProfileQueue: Sendable {
    private let database: ServicesDatabase
    private let relay: any RelayCommands
    private let log: Logger
    private let due: DueWork

    /// - Parameter relay: a line of its own.
    package init(database: ServicesDatabase, relay: any RelayCommands, log: Logger, due: DueWork = DueWork()) {
        self.database = database
        self.relay = relay
        self.log = log
        self.due = due
    }

    /// There may be something new.
    package func wake() { due.wake() }

    /// Runs until the task is cancelled.
    package func run() async {
        await due.run(rest: relay.rest) {
            do throws(ServiceFault) {
                try await tellAll()
                try await introduceAll()
            } catch { return .failed }
            return .last
        }
    }

    /// - Throws: if something is left because the relay is away.
    private func tellAll() async throws(ServiceFault) {
        var passed: Int64 = 0
        while !Task.isCancelled {
            let after = passed
            let next = try await database.read { database throws(LocalFailure) in
                try ProfileTable.next(after: after, database)
            }
            guard let next else { return }
            passed = next.serial
            do throws(ServiceFault) { _ = try await relay.carryOut(ProfileQueue.command(next)) } catch {
                switch error.code {
                // The relay never knew the deleted user, or knows already that it was deleted.
                case .notFound, .gone: break
                case .unavailable, .busy, .rateLimited: throw error
                // It would be refused again, as is a name that was chosen under other rules. The relay has to know the
                // account all the same, or messages to it would be refused.
                default:
                    log.error(
                        "the relay doesn't take a profile",
                        metadata: ["user": "\(next.user)", "code": "\(error.code.rawValue)"])
                    if next.parts == .all, next.account != nil { try await makeKnown(next.user) }
                }
            }
            try await database.write { database throws(LocalFailure) in try ProfileTable.delete(next, database) }
        }
    }

    /// - Throws: if users are left because the relay is away.
    private func introduceAll() async throws(ServiceFault) {
        var passed = ""
        while !Task.isCancelled {
            let after = passed
            let next = try await database.read { database throws(LocalFailure) in
                try IntroductionTable.next(after: after, database)
            }
            guard let next else { return }
            passed = next.user
            let command = RelayCommand(
                .introduce, [.init(name: "user", text: next.user), .init(name: "inviter", text: next.inviter)])
            do throws(ServiceFault) { _ = try await relay.carryOut(command) } catch {
                switch error.code {
                case .unavailable, .busy, .rateLimited: throw error
                // One of the two has left, or doesn't want the other.
                case .notFound, .gone, .blocked: break
                default:
                    log.error(
                        "the relay doesn't introduce a user",
                        metadata: ["user": "\(next.user)", "code": "\(error.code.rawValue)"])
                }
            }
            try await database.write { database throws(LocalFailure) in try IntroductionTable.delete(next, database) }
        }
    }

    /// Makes the account known to the relay, without a profile.
    private func makeKnown(_ user: String) async throws(ServiceFault) {
        let members: [RelayCommand.Member] = [
            .init(name: "user", text: user), .init(name: "deleted", value: Array("false".utf8)),
        ]
        _ = try await relay.carryOut(RelayCommand(.profile, members))
    }

    private static func command(_ due: ProfileTable.Due) -> RelayCommand {
        var members = [RelayCommand.Member(name: "user", text: due.user)]
        guard let account = due.account else {
            return RelayCommand(.profile, members + [.init(name: "deleted", value: Array("true".utf8))])
        }
        // A user who was deleted under this id before is back.
        if due.parts == .all { members.append(.init(name: "deleted", value: Array("false".utf8))) }
        // An import may know none.
        if due.parts.contains(.name), !account.name.isEmpty { members.append(.init(name: "name", text: account.name)) }
        if due.parts.contains(.role) { members.append(.init(name: "role", text: account.role ?? "")) }
        if due.parts.contains(.tier) { members.append(.init(name: "tier", text: account.tier ?? "")) }
        return RelayCommand(.profile, members)
    }
}
