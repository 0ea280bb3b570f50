import ArgumentParser
import Foundation
import RoostWire

/// `roost admin user …`: what operators do to accounts, over the services' HTTP (Docs/Accounts.md). A user is named by
/// the id or by the address.
struct AdminUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage a user's account; with a name alone, show what the relay knows about the user.",
        discussion: """
            All but presence use roost-services. Without --token, a token is created with the keys in services.data. \
            The audit log records every change.
            """,
        subcommands: [
            AdminPresenceCommand.self, AccountShowCommand.self, AccountFindCommand.self, AccountRoleCommand.self,
            AccountTierCommand.self, AccountOperatorCommand.self, AccountSuspendCommand.self,
            AccountResumeCommand.self, AccountRevokeCommand.self, AccountDeleteCommand.self,
            AccountLinkCommand.self, AccountResetFactorCommand.self,
        ],
        defaultSubcommand: AdminPresenceCommand.self
    )
}

/// `roost admin user show USER`.
struct AccountShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an account and where its owner is signed in.")

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String

    func run() throws {
        try accounts.run("GET", try accounts.path(of: user), show: AccountText.person)
    }
}

/// `roost admin user find PREFIX`.
struct AccountFindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "List accounts by the beginning of an address or a name.",
        discussion: "Matches by address come first. Without a prefix, all are listed."
    )

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The beginning of an address or a name.") var prefix = ""
    @Option(help: "The most accounts to list.") var limit = 1_000

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more") }
    }

    func run() throws {
        var (after, left): (String?, Int) = (nil, limit)
        repeat {
            let count = Int64(min(left, 100))
            let body: (JSONWriter) -> Void = { [after] writer in
                writer.member("prefix", prefix)
                writer.member("limit", count)
                if let after { writer.member("after", after) }
            }
            try accounts.run("POST", "/v1/admin/users/find", body) { page in
                after = page.string("next")
                let found = page.objects("accounts") ?? []
                left -= found.count
                return found.map(AccountText.line)
            }
        } while after != nil && left > 0 && !accounts.json
    }
}

/// `roost admin user role USER ROLE`.
struct AccountRoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Change an account's role, which its owner can't.")

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String
    @Argument(help: "One of accounts.roles.") var role: String

    func run() throws {
        try accounts.run("PATCH", try accounts.path(of: user), { $0.member("role", role) }) { _ in
            ["the role is \(role)"]
        }
    }
}

/// `roost admin user tier USER [TIER]`.
struct AccountTierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tier", abstract: "Set an account's tier, or remove it with --none.")

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String
    @Argument(help: "One of accounts.tiers; any word if that list is empty.") var tier: String?
    @Flag(help: "Remove the tier.") var none = false

    func validate() throws {
        guard (tier == nil) == none else { throw ValidationError("name either a tier or --none") }
    }

    func run() throws {
        let path = try accounts.path(of: user)
        try accounts.run("PATCH", path, { $0.member("tier", tier ?? "") }) { _ in
            [tier.map { "the tier is \($0)" } ?? "there is no tier"]
        }
    }
}

/// `roost admin user operator USER`.
struct AccountOperatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Make a user an operator, or with --off an ordinary user again.",
        discussion: "It takes effect with the next access token. --off ends all sessions."
    )

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String
    @Flag(help: "Make the user an ordinary user again.") var off = false

    func run() throws {
        let path = try accounts.path(of: user)
        try accounts.run("PATCH", path, { $0.member("operator", !off) }) { _ in
            [off ? "no longer an operator" : "an operator"]
        }
    }
}

/// `roost admin user suspend USER`.
struct AccountSuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend", abstract: "Suspend an account: no sign-in works until `resume`.")

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String

    func run() throws {
        try accounts.run("POST", "\(try accounts.path(of: user))/suspend") { _ in ["suspended"] }
    }
}

/// `roost admin user resume USER`.
struct AccountResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a suspended user sign in again.")

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String

    func run() throws {
        try accounts.run("POST", "\(try accounts.path(of: user))/resume") { _ in ["may sign in again"] }
    }
}

/// `roost admin user revoke USER`.
struct AccountRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Sign a user out everywhere, or on one device.")

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String?
    @Option(help: "Only on this device, as `roost admin user show` names it.") var device: String?
    @Option(help: "The session to end, instead of all of a user's.") var session: String?

    func validate() throws {
        guard (user == nil) != (session == nil) else { throw ValidationError("name either a user or a --session") }
        guard session == nil || device == nil else { throw ValidationError("--device needs a user") }
    }

    func run() throws {
        if let session {
            return try accounts.run("DELETE", "/v1/admin/sessions/\(ServicesLine.encoded(session))") { _ in
                ["signed out there"]
            }
        }
        guard let device else {
            let path = "\(try accounts.path(of: user ?? ""))/sessions"
            return try accounts.run("DELETE", path) { _ in ["signed out everywhere"] }
        }
        guard try accounts.line().endSessions(of: try accounts.user(user ?? ""), on: device) > 0 else {
            throw AdminFailure("not_found: the user isn't signed in on a device of this name")
        }
        RoostCommand.write(accounts.json ? "{}" : "signed out there", to: .standardOutput)
    }
}

/// `roost admin user delete USER`.
struct AccountDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account and everything kept about it, as its owner can.",
        discussion: "The random id stays in the relay and in the audit log. `roost store erase` erases the messages."
    )

    @OptionGroup var accounts: AccountOptions
    @Argument(help: "The user's id or address.") var user: String
    @Flag(help: "Confirm: a deleted account can't be restored.") var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("a deleted account can't be restored; add --yes to confirm") }
    }

    func run() throws {
        try accounts.run("DELETE", try accounts.path(of: user)) { _ in ["deleted"] }
    }
}

/// `roost admin audit`.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List operators' actions on accounts, newest first.")

    @OptionGroup var accounts: AccountOptions
    @Option(help: "Only actions on this user, by the id.") var user: String?
    @Option(help: "The most entries to list.") var limit = 100

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be 1 or more") }
    }

    func run() throws {
        let chosen = user.map { "&user=\(ServicesLine.encoded($0))" } ?? ""
        var (before, left): (Int64?, Int) = (nil, limit)
        repeat {
            let place = before.map { "&before=\($0)" } ?? ""
            try accounts.run("GET", "/v1/admin/audit?limit=\(min(left, 100))" + chosen + place) { page in
                before = page.integer("next")
                let entries = page.objects("entries") ?? []
                left -= entries.count
                return entries.map(AccountText.entry)
            }
        } while before != nil && left > 0 && !accounts.json
    }
}
