import RoostStore
import RoostWire

/// Makes users known to the relay with their profiles, for a backend that has users of its own: a shop's customers, or
/// a bot. Repeating one changes nothing. It knows no HTTP. A value.
struct UserNaming: Sendable {
    /// Most users of one request: with names and texts as long as they may be, they fit into a body.
    static let most = 100
    /// The members that a backend may set, as in the relay's profiles.
    private static let members: [StaticString] = ["name", "username", "photo", "bio", "role", "tier"]

    /// The outcome for one of many users.
    struct Outcome: Sendable {
        let user: String
        let result: Result<Int64, ServiceFault>
    }

    let relay: any RelayCommands
    let accounts: Accounts

    /// Says this of a user. Returns the version of the profile.
    /// - Parameter key: the name of the key, for the audit log.
    /// - Throws: the relay's refusal; `conflict` if it is for operators to say.
    func name(_ user: String, _ said: JSONMembers, by key: String) async throws(ServiceFault) -> Int64 {
        guard APIKey.isName(user), !user.hasPrefix("@") else { throw BackendRoutes.noUser }
        if said["role"] != nil || said["tier"] != nil { try await checkNoAccount(user) }
        var members = [RelayCommand.Member(name: "user", text: user)]
        for name in UserNaming.members {
            if let value = said.value("\(name)") { members.append(.init(name: name, value: value.raw)) }
        }
        let reply = try await relay.carryOut(RelayCommand(.profile, members)).members
        guard let version = reply.integer("version") else {
            throw ServiceFault(.unavailable, "the relay's answer can't be read", retryAfter: 1)
        }
        // A repetition isn't an act, so the audit log doesn't have it.
        if reply.flag("duplicate") != true { try await note(user, by: key) }
        return version
    }

    /// Sets many profiles, one after the other, so that they take no more room at the relay than one. A refusal of one
    /// leaves the others.
    /// - Throws: failures of the whole: `unavailable`, `busy` or `rate_limited`. Then the whole request can be sent
    ///   again.
    func name(_ users: [JSONMembers], by key: String) async throws(ServiceFault) -> [Outcome] {
        var outcomes: [Outcome] = []
        for said in users {
            let user = said.string("user") ?? ""
            do throws(ServiceFault) {
                outcomes.append(Outcome(user: user, result: .success(try await name(user, said, by: key))))
            } catch {
                switch error.code {
                case .unavailable, .busy, .rateLimited: throw error
                default: outcomes.append(Outcome(user: user, result: .failure(error)))
                }
            }
        }
        return outcomes
    }

    /// Refuses users with an account here: operators set their roles and tiers, and the relay gets what the account
    /// has.
    private func checkNoAccount(_ user: String) async throws(ServiceFault) {
        let hasAccount = try await accounts.database.read { database throws(LocalFailure) in
            try AccountTable.find(user: user, database) != nil
        }
        guard !hasAccount else {
            throw ServiceFault(
                .conflict, "this user has an account here, whose role and tier operators give", member: "role")
        }
    }

    private func note(_ user: String, by key: String) async throws(ServiceFault) {
        let (now, keep) = (accounts.clock.now(), accounts.limits.auditRows)
        try await accounts.database.write { database throws(LocalFailure) in
            try AuditTable.insert(
                AuditEntry(actor: "@key:" + key, act: .name, user: user), now: now, keep: keep, database)
        }
    }
}

extension Answer {
    /// The answer for one profile.
    static func named(_ user: String, version: Int64) -> Answer {
        .json(200) { writer in
            writer.member("user", user)
            writer.member("version", version)
        }
    }

    /// The answer for many profiles, with the outcome of each.
    static func named(_ outcomes: [UserNaming.Outcome]) -> Answer {
        .json(200) { writer in
            writer.beginArray("users")
            for outcome in outcomes {
                writer.beginObject()
                writer.member("user", outcome.user)
                switch outcome.result {
                case .success(let version): writer.member("version", version)
                case .failure(let fault):
                    writer.member("code", fault.code.rawValue)
                    writer.member("reason", fault.reason)
                }
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
