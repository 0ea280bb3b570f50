import ArgumentParser
import Foundation
import RoostAuth
import RoostClient
import RoostServer
import RoostWire

/// `roost chat`: talks to a relay from a terminal or a script, as any client would. Without `--token` it needs the
/// relay's signing key; it needs nothing else of the server's.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat from the terminal.",
        discussion: """
            Every line is sent as a message; /help lists the commands. Without --token, a token is created with the \
            key in auth.key_file. With --raw, the protocol is shown as it is: every received frame is printed, and \
            every line that begins with { is sent.
            """
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(name: .customLong("as"), help: "Your user name. With --token, the token names the user.") var user: String?
    @Option(name: .customLong("with"), help: "The user (@name or name) or the id of the conversation to talk to.")
    var peer: String?
    @Option(help: "The relay's address. If not given, the address under listen in the configuration.") var url: String?
    @OptionGroup var trust: TrustOptions
    @Option(help: "The name of this device. A device has one connection at a time.") var device = "terminal"
    @Option(help: "A token to use instead of creating one.") var token: String?
    @Flag(help: "Show every frame as it is.") var raw = false

    func validate() throws {
        guard token != nil || user != nil else { throw ValidationError("say who you are with --as or --token") }
        guard raw != (peer != nil) else { throw ValidationError("give either --with or --raw") }
    }

    func run() async throws {
        let configuration = try options.configuration()
        let relay = ChatRelay(
            url: url ?? Self.url(of: configuration), device: device, connector: try trust.connector(),
            token: try token(configuration))
        // Fails at once if the key or the name is wrong; the client would try again for ever.
        _ = try await relay.token()
        if raw {
            try await ChatRaw(relay).run()
        } else {
            try await Chat(relay, user: user, peer: peer ?? "", isTokenFixed: token != nil).run()
        }
    }

    /// Where a relay with this configuration is reached from the same machine.
    static func url(of configuration: Configuration) -> String {
        // A Unix socket is refused as an address where it is dialled.
        configuration.url(port: configuration.listen.port) ?? configuration.listen.host
    }

    private func token(_ configuration: Configuration) throws -> @Sendable () async throws -> String {
        if let token { return { token } }
        let auth = configuration.auth
        let key = try SigningKey.load(path: auth.keyFile)
        let user = user ?? ""
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

/// Why the chat can't go on, in one line. The exit code is 1.
struct ChatFailure: Error, CustomStringConvertible {
    let description: String

    init(_ line: String) { description = TerminalText.printable(line) }
}
