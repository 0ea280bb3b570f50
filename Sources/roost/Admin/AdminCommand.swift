import ArgumentParser
import Foundation
import RoostAuth
import RoostChat
import RoostClient
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration
import RoostWire

/// `roost admin …`: what operators ask a running relay and have it do. It speaks the protocol like any other client
/// (Docs/Protocol.md, section 11).
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Inspect and control a running relay, and manage accounts.",
        discussion: """
            Without --token, a token with the scope admin is created with the key in auth.key_file. With --json, the \
            relay's answer is printed as it came.
            """,
        subcommands: [
            AdminPeopleCommand.self, AdminFindCommand.self, AdminUserCommand.self, AdminConversationsCommand.self,
            AdminMessageCommand.self, AdminDisconnectCommand.self, AdminRevokeCommand.self, AdminReportCommand.self,
            AdminDrainCommand.self, AdminPageCommand.self, AdminLinkCommand.self, AdminInviteCommand.self,
            AdminLettersCommand.self, AuditCommand.self,
        ]
    )
}

/// The connection of every subcommand to the relay.
struct AdminOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @Option(help: "The relay's address. By default, listen in the configuration.") var url: String?
    @Option(help: "A token with the scope admin, instead of a new one.") var token: String?
    @OptionGroup var trust: TrustOptions
    @Option(name: .customLong("as"), help: "The operator's name, for the relay's log.") var name = "operator"
    @Flag(help: "Print the relay's answer as JSON.") var json = false

    /// The relay's address.
    func address() throws -> String {
        if let url { return url }
        return ChatCommand.url(of: try options.configuration())
    }

    /// Opens a session.
    /// - Parameter isService: whether it may also ask what only services may.
    func connect(isService: Bool = false) async throws -> OperatorClient {
        let address = try address()
        let token = try await newToken(isService: isService)
        let connector = try trust.connector()
        do throws(RoostFailure) {
            let client = try OperatorClient(url: address, token: token, connector: connector)
            _ = try await client.connect()
            return client
        } catch {
            throw AdminFailure("can't connect to \(address): \(FailureLine.text(error))")
        }
    }

    /// The services' part of the configuration, with the settings that `roost up` would add.
    func servicesSettings() throws -> (settings: ServicesConfiguration, added: [ConfigurationFlag]) {
        let written = try options.servicesSettings()
        let added = try ServicesDefaults(relay: try options.configuration()).flags(beside: written)
        return (try options.servicesConfiguration(flags: added), added)
    }

    /// A token for an hour, or the one that was given.
    func newToken(isService: Bool = false) async throws -> String {
        if let token { return token }
        let auth = try options.configuration().auth
        let now = Int64(Date().timeIntervalSince1970)
        return try await SigningKey.load(path: auth.keyFile).token(
            // No user has such a name, so a service that may end users' sessions can't end ours.
            user: "@" + name, isOperator: true, isService: isService, issued: Timestamp(milliseconds: now * 1_000),
            expires: Timestamp(milliseconds: (now + 3_600) * 1_000), audience: auth.audience, issuer: auth.issuer)
    }

    /// Opens a session, asks, and prints what came of it, page by page.
    /// - Parameters:
    ///   - ask: asks for the page after this one; the first time after nil.
    ///   - show: the lines of a page, and where the next one begins if there is one; nil if the answer isn't valid.
    func run(
        _ ask: (OperatorClient, String?) async throws(RoostFailure) -> OperatorClient.Reply,
        show: (JSONMembers, _ isFirst: Bool) -> (lines: [String], next: String?)?
    ) async throws {
        let client = try await connect()
        var after: String?
        var isFirst = true
        do throws(RoostFailure) {
            repeat {
                let reply = try await ask(client, after)
                guard let page = show(reply.members, isFirst) else { throw .unexpectedReply }
                if json {
                    let text = TerminalText.escaped(json: String(decoding: reply.text, as: UTF8.self))
                    RoostCommand.write(text, to: .standardOutput)
                } else {
                    for line in page.lines { RoostCommand.write(line, to: .standardOutput) }
                }
                isFirst = false
                after = page.next
            } while after != nil
        } catch {
            await client.close()
            throw AdminFailure(FailureLine.text(error))
        }
        await client.close()
    }
}

/// Why an operator's command failed, in one line. The exit code is 1.
struct AdminFailure: Error, CustomStringConvertible {
    let description: String
    /// The code of a refusal.
    let code: String?

    init(_ line: String, code: String? = nil) {
        description = TerminalText.printable(line)
        self.code = code
    }
}

/// `roost admin people`.
struct AdminPeopleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "people", abstract: "List the users who are online.")

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try await admin.run { client, after async throws(RoostFailure) in
            try await client.people(after: after, limit: 100)
        } show: { members, isFirst in
            guard let page = PeoplePage(reading: members) else { return nil }
            return ((isFirst ? [AdminText.counts(page)] : []) + page.users.map(AdminText.line), page.next)
        }
    }
}

/// `roost admin user NAME`, or `roost admin user presence NAME`.
struct AdminPresenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presence", abstract: "Show a user's presence, the reason for it, and the state of each device.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user: the id, the username or the address.") var user: String

    func run() async throws {
        let user = try await admin.person(user)
        try await admin.run { client, _ async throws(RoostFailure) in
            try await client.person(user)
        } show: { members, _ in
            PersonDetail(reading: members).map { (AdminText.lines($0), nil) }
        }
    }
}

/// `roost admin message POSITION`, or `roost admin message CONVERSATION SEQUENCE`.
struct AdminMessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Show which devices have received a message and which have not.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The position of an event, or the conversation of a message.") var place: String
    @Argument(help: "The sequence of the message in the conversation.") var sequence: Int64?

    func run() async throws {
        try await admin.run { client, after async throws(RoostFailure) in
            guard let sequence else { return try await client.whereabouts(ofPosition: place, after: after) }
            return try await client.whereabouts(of: SequenceNumber(sequence), in: place, after: after)
        } show: { members, isFirst in
            guard let event = Whereabouts(reading: members) else { return nil }
            return ((isFirst ? [AdminText.line(event)] : []) + event.members.flatMap(AdminText.lines), event.next)
        }
    }
}

/// `roost admin disconnect NAME`.
struct AdminDisconnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Close a user's connections. Clients reconnect.")

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The user: the id, the username or the address.") var user: String
    @Option(help: "Only the connection of this device.") var device: String?

    func run() async throws {
        let user = try await admin.person(user)
        try await admin.run { client, _ async throws(RoostFailure) in
            try await client.disconnect(user, device: device)
        } show: { members, _ in
            ([AdminText.closed(Answer(reading: members))], nil)
        }
    }
}

/// `roost admin page`.
struct AdminPageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Print a link that opens the operators' page.",
        discussion: """
            The token in it is good for an hour, and so is the one for the services, if their keys are on this \
            machine. Browsers don't send that part of a link to any server.
            """
    )

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let address = try admin.address()
        guard let page = PageAddress(relay: address) else {
            throw ValidationError("the address must end with /v1/socket: \(address)")
        }
        let link = page.link(to: "admin", token: try await admin.newToken())
        RoostCommand.write(link + (servicesToken().map { "&services=\($0)" } ?? ""), to: .standardOutput)
    }

    /// A token for the services; nil if there are none here.
    private func servicesToken() -> String? {
        guard let added = try? admin.servicesSettings().added else { return nil }
        let words = ["admin-token", "--page", "--as", admin.name] + admin.options.words(added)
        guard let text = try? ServicesProgram.output(of: words) else { return nil }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// `roost admin drain`.
struct AdminDrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Drain and stop the relay, as SIGTERM does.")

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        try await admin.run { client, _ async throws(RoostFailure) in
            try await client.drain()
        } show: { _, _ in
            (["the relay is stopping"], nil)
        }
    }
}
