import ArgumentParser
import Foundation
import RoostAuth
import RoostChat
import RoostClient
import RoostServer
import RoostServicesConfiguration
import RoostWire

/// `roost chat`: talks to a relay from a terminal or a script, as any client would. Without `--token` it needs the
/// relay's signing key; it needs nothing else of the server's.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat from the terminal.",
        discussion: """
            On a terminal it fills the screen; /help lists its keys and commands. In a pipe, it sends every line as \
            a message, and ends with the input once the relay has stored them all. Without --token, a token is \
            created with the key in auth.key_file. Unsent messages are kept in a file for each open terminal, below \
            $XDG_STATE_HOME/roost or ~/.local/state/roost. --raw shows the protocol: it prints every frame that \
            arrives, and sends every line that begins with {.
            """
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(name: .customLong("as"), help: "Your user name, unless --token names the user.") var user: String?
    @Option(
        name: .customLong("with"),
        help: "The conversation to open: a user (@name or name), a group's name, or an id.")
    var peer: String?
    @Option(help: "The relay's address. By default, listen in the configuration.") var url: String?
    @OptionGroup var trust: TrustOptions
    @Option(help: "The name of this device, which has one connection at a time. By default, a free name.")
    var device: String?
    @Option(help: "The file of this device. By default, a file below your state folder.") var store: String?
    @Option(help: "A token, instead of a new one.") var token: String?
    @Option(help: "The language: en or de. By default, that of LC_ALL, LC_MESSAGES or LANG.") var language: String?
    @Flag(help: "Print received frames, and send lines unchanged.") var raw = false
    @Flag(help: "Where there are accounts: chat as a new user, without one.") var new = false

    func validate() throws {
        guard token != nil || user != nil else { throw ValidationError("say who you are with --as or --token") }
        guard !raw || peer == nil else { throw ValidationError("give either --with or --raw") }
        for (option, name) in [("--as", user), ("--device", device)] {
            if let name, !Self.isName(name) {
                throw ValidationError(
                    "\(option): a name has 1 to 64 characters of ASCII without spaces, \" and \\, and no @ before it")
            }
        }
        if let url, !["ws://", "wss://"].contains(where: url.lowercased().hasPrefix) {
            throw ValidationError("--url: a relay's address begins with ws:// or wss://")
        }
    }

    // Docs/Protocol.md, section 2.
    private static func isName(_ name: String) -> Bool {
        (1...Limits().nameBytes).contains(name.utf8.count) && !name.hasPrefix("@")
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0) }
    }

    // On the main actor, which the kit shows everything on.
    @MainActor func run() async throws {
        let configuration = try options.configuration()
        let user = try await person()
        let token = try makeToken(for: user ?? "", configuration)
        // Fails at once if the key or the name is wrong; the client would try again for ever.
        _ = try await token()
        let url = url ?? Self.url(of: configuration)
        let connector = try trust.connector()
        guard !raw else {
            let relay = ChatRelay(url: url, device: device ?? "terminal", connector: connector, token: token)
            return try await ChatRaw(relay).run()
        }
        try await ChatProgram.run(
            ChatOptions(
                url: url, user: user, peer: peer, device: device, store: store, language: speech, connector: connector,
                isTokenFixed: self.token != nil, token: token))
    }

    private var speech: LanguageChoice { LanguageChoice(language, environment: ProcessInfo.processInfo.environment) }

    /// Where a relay with this configuration is reached from the same machine.
    static func url(of configuration: Configuration) -> String {
        // A Unix socket is refused as an address where it is dialled.
        configuration.url(port: configuration.listen.port) ?? configuration.listen.host
    }

    /// The user who chats. Where there are accounts, it must be an existing user, by id, username or address: a token
    /// creates the user that it names, and a typo shall create none.
    private func person() async throws -> String? {
        guard token == nil, !new, let user else { return user }
        let way = (url.map { ["--url", $0] } ?? []) + (trust.caFile.map { ["--ca-file", $0] } ?? [])
        let admin = try AdminOptions.parse(options.words([]) + way)
        let accounts = try admin.servicesSettings().settings.data + "/services.db"
        guard FileManager.default.fileExists(atPath: accounts) else { return user }
        do { return try await admin.person(user) } catch let failure as AdminFailure {
            // Without a relay, the command waits for it.
            guard failure.code == "not_found" else { return user }
            let question = NewUserQuestion(speech)
            guard isatty(STDIN_FILENO) == 1, !user.contains("@") else {
                throw AdminFailure(question.refusal(user), code: failure.code)
            }
            FileHandle.standardOutput.write(Data((question.text(user) + " ").utf8))
            guard let answer = readLine(), question.isYes(answer) else { throw ExitCode(1) }
            return user
        }
    }

    private func makeToken(
        for user: String, _ configuration: Configuration
    ) throws -> @Sendable () async throws -> String {
        if let token { return { token } }
        let auth = configuration.auth
        let key = try SigningKey.load(path: auth.keyFile)
        let seconds: Int64 = 3_600
        return {
            let now = Int64(Date().timeIntervalSince1970)
            return try await key.token(
                user: user,
                issued: Timestamp(milliseconds: now * 1_000),
                expires: Timestamp(milliseconds: (now + seconds) * 1_000),
                audience: auth.audience,
                issuer: auth.issuer
            )
        }
    }
}

/// Where to connect, and as which device and user.
struct ChatRelay: Sendable {
    var url: String
    var device: String
    var connector: any SocketConnector
    var token: @Sendable () async throws -> String
}
