import Logging
import RoostStore
import RoostWire

/// Invitations of users, for people who have no account: who invites to what, and an account for those who follow one.
/// The relay has the invitations and judges them. Any thread may use it.
package final class Invitations: Sendable {
    /// The public part of an invitation: its maker and its group.
    package struct Shown: Sendable, Equatable {
        /// The maker's display name; nil if there is none.
        package var name: String?
        /// The group's title; nil if it makes contacts.
        package var group: String?
    }

    let accounts: Accounts
    private let relay: any RelayCommands

    /// - Parameter relay: carries the commands out.
    package init(_ accounts: Accounts, relay: any RelayCommands) {
        self.accounts = accounts
        self.relay = relay
    }

    /// Shows the maker and the group of the invitation with this code, or the owner's name for a friend's link. Guesses
    /// count against the client's address.
    /// - Throws: `badLink` for every code that can't be used, whatever the reason.
    package func show(_ code: String?, client: String) async throws(ServiceFault) -> Shown {
        guard let code else { throw .invalid("code", "is required") }
        try accounts.admit(client: client)
        let shown = if let owner = try await host(of: code) { owner } else { try await find(code) }
        accounts.forgive(client: client)
        return shown
    }

    /// The owner as a friend's link shows it, without a name before there is an owner; nil for every other link.
    private func host(of link: String) async throws(ServiceFault) -> Shown? {
        let (hash, now) = (RefreshToken.hash(link), accounts.clock.now())
        return try await accounts.database.read { database throws(LocalFailure) in
            guard try LinkTable.isGood(hash, .friend, now: now, database) else { return nil }
            return Shown(name: try AccountTable.owner(database)?.name, group: nil)
        }
    }

    private func find(_ code: String) async throws(ServiceFault) -> Shown {
        guard APIKey.isName(code) else { throw Accounts.badLink }
        do throws(ServiceFault) {
            let reply = try await relay.carryOut(RelayCommand(.showInvitation, [.init(name: "code", text: code)]))
            guard let told = reply.members.object("invitation") else {
                throw ServiceFault(.unavailable, "the relay's answer lacks what it promises")
            }
            return Shown(name: told.string("name"), group: told.string("group"))
        } catch {
            throw error.code == .notFound ? Accounts.badLink : error
        }
    }

    /// Makes an account for a user who follows an invitation, signs in to it, and has the relay open the invitation for
    /// it. There is no account if that is refused.
    package func enter(
        by code: String?, _ application: Accounts.Application, client: String
    ) async throws(ServiceFault) -> Accounts.Tokens {
        let rules = accounts.settings.rules
        let device = try rules.device(application.device)
        let language = try rules.language(application.language)
        _ = try await show(code, client: client)
        let (name, role) = (try rules.name(application.displayName), try rules.role(application.role))
        let account = Account(
            user: RandomName.user(), name: name, role: role, language: language, created: accounts.clock.now())
        let (session, tokens) = try accounts.begin(account, device: device)
        let (room, keep) = (accounts.room, accounts.limits.sessionsMax)
        guard try await accounts.database.read({ database throws(LocalFailure) in try room.hasRoom(database) }) else {
            throw .full
        }
        let user = RelayCommand.Member(name: "user", text: account.user)
        // The name comes first: the maker of the invitation sees it with the conversation.
        _ = try await relay.carryOut(RelayCommand(.profile, [user, .init(name: "name", text: name)]))
        do throws(ServiceFault) {
            _ = try await relay.carryOut(
                RelayCommand(
                    .openInvite, [.init(name: "as", text: account.user), .init(name: "code", text: code ?? "")]))
            let isMade = try await accounts.database.write { database throws(LocalFailure) in
                guard try room.insert(account, database) == .made else { return false }
                try SessionTable.insert(session, keep: keep, database)
                return true
            }
            guard isMade else { throw .full }
        } catch {
            // This user will never be signed in to.
            _ = try? await relay.carryOut(
                RelayCommand(.profile, [user, .init(name: "deleted", value: Array("true".utf8))]))
            throw error.code == .notFound ? Accounts.badLink : error
        }
        accounts.wakeRelay()
        return tokens
    }
}
