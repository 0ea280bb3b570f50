import ArgumentParser
import Foundation
import RoostChat
import RoostClient
import RoostServer
import RoostWire

/// `roost admin invite …`: the links by which others become a user's contacts, or join a group.
struct AdminInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Create, list and revoke links that add people to a user's contacts or to a group.",
        subcommands: [AdminInviteCreateCommand.self, AdminInviteListCommand.self, AdminInviteRevokeCommand.self]
    )
}

/// `roost admin invite create USER`.
struct AdminInviteCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a link and print it. It isn't shown again.",
        discussion: """
            A person who opens it becomes a contact of the user or, with --group, joins the group, of which the user \
            must be the owner or an admin. Blocks, and the rules for who may write to each other, still apply.
            """)

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user who invites: the id, the username or the address.") var user: String
    @Option(help: "The group to join, by its id, as roost admin conversations prints it.") var group: String?
    @Option(help: "How many people may open it, 1 to 1000.") var uses = 1
    @Option(help: "How many days it works, 1 to 30.") var days = 7

    func validate() throws {
        guard (1...1_000).contains(uses) else { throw ValidationError("--uses must be 1 to 1000") }
        guard (1...30).contains(days) else { throw ValidationError("--days must be 1 to 30") }
    }

    func run() async throws {
        let address = try admin.address()
        guard let page = PageAddress(relay: address) else {
            throw ValidationError("the address must end with /v1/socket: \(address)")
        }
        try await admin.runForUser(user) { client, user async throws(RoostFailure) in
            try await client.createInvite(of: user, to: group, uses: uses, life: .seconds(86_400 * days))
        } show: { members in
            guard let invite = members.object("invite").flatMap(Invite.init(reading:)), let code = invite.code else {
                return nil
            }
            return [page.link(invite: code), AdminText.line(invite)]
        }
    }
}

/// `roost admin invite list USER`.
struct AdminInviteListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List a user's links that can still be opened.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user: the id, the username or the address.") var user: String

    func run() async throws {
        try await admin.runForUser(user) { client, user async throws(RoostFailure) in
            try await client.invites(of: user)
        } show: { members in
            guard let invites = members.objects("invites")?.compactMap(Invite.init(reading:)) else { return nil }
            return invites.isEmpty ? ["no links"] : invites.map(AdminText.line)
        }
    }
}

/// `roost admin invite revoke USER ID`.
struct AdminInviteRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke a user's link, or with --all every link.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user: the id, the username or the address.") var user: String
    @Argument(help: "The link, as roost admin invite list names it.") var invite: String?
    @Flag(help: "All of the user's links.") var all = false

    func validate() throws {
        guard (invite == nil) == all else { throw ValidationError("name either a link or --all") }
    }

    func run() async throws {
        let id = try await admin.person(user)
        let client = try await admin.connect(isService: true)
        var ended: [String] = []
        do throws(RoostFailure) {
            let there = try await client.invites(of: id).members.objects("invites") ?? []
            for one in there.compactMap({ $0.string("invite") }) where all || one == invite {
                _ = try await client.revokeInvite(one, of: id)
                ended.append(one)
            }
        } catch {
            await client.close()
            throw AdminFailure(FailureLine.text(error))
        }
        await client.close()
        guard all || !ended.isEmpty else {
            throw AdminFailure("the user has no link \(invite ?? ""); roost admin invite list shows them")
        }
        let line = ended.count == 1 ? "link revoked" : "\(ended.count) links revoked"
        RoostCommand.write(line, to: .standardOutput)
    }
}

extension AdminOptions {
    /// Opens a session that may act for users, asks for one, and prints what came of it.
    /// - Parameter show: the lines of the answer; nil if it isn't valid.
    func runForUser(
        _ name: String,
        _ ask: (OperatorClient, _ user: String) async throws(RoostFailure) -> OperatorClient.Reply,
        show: (JSONMembers) -> [String]?
    ) async throws {
        let user = try await person(name)
        let client = try await connect(isService: true)
        do throws(RoostFailure) {
            let reply = try await ask(client, user)
            let text = TerminalText.escaped(json: String(decoding: reply.text, as: UTF8.self))
            guard let lines = json ? [text] : show(reply.members) else { throw .unexpectedReply }
            for line in lines { RoostCommand.write(line, to: .standardOutput) }
        } catch {
            await client.close()
            throw AdminFailure(FailureLine.text(error))
        }
        await client.close()
    }
}

extension AdminText {
    /// A link without its code.
    fileprivate static func line(_ invite: Invite) -> String {
        let what = invite.conversation.map { "to the group \(TerminalText.printable($0))" } ?? "to chat with the user"
        return "\(TerminalText.printable(invite.id))  \(what), used \(invite.used) of \(invite.uses), "
            + "until \(WallClock().time(invite.expires))"
    }
}
