import ArgumentParser
import Foundation
import RoostAuth
import RoostClient
import RoostServer
import RoostWire

/// `roost chat`: talks to a relay from a terminal or a script, as any client would. It needs nothing of the server's
/// but, without `--token`, its signing key.
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat from the terminal.",
        discussion: """
            Lines are sent as messages; /help lists the commands. Without --token a token is made with the key that \
            the configuration names (auth.key_file). With --raw the wire is shown as it is: every frame received is \
            printed, and every line that begins with { is sent.
            """
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(name: .customLong("as"), help: "Who you are; with --token the token says it.") var user: String?
    @Option(name: .customLong("with"), help: "A user (@name or name) or the id of a conversation.") var peer: String?
    @Option(help: "Where the relay is. Without it: what the configuration says under listen.") var url: String?
    @Option(help: "The name of this device. One device has one connection at a time.") var device = "terminal"
    @Option(help: "A token, instead of making one.") var token: String?
    @Flag(help: "Show the protocol as it is.") var raw = false

    func validate() throws {
        guard token != nil || user != nil else { throw ValidationError("say who you are: --as or --token") }
        guard raw != (peer != nil) else { throw ValidationError("give either --with or --raw") }
    }

    func run() async throws {
        let configuration = try options.configuration()
        let relay = ChatRelay(
            url: url ?? Self.url(of: configuration.listen), device: device, token: try token(configuration))
        // What is wrong with a key or a name is no reason to try again.
        _ = try await relay.token()
        if raw {
            try await ChatRaw(relay).run()
        } else {
            try await Chat(relay, user: user, peer: peer ?? "", isTokenFixed: token != nil).run()
        }
    }

    private static func url(of listen: Configuration.Listen) -> String {
        let host = listen.host == "0.0.0.0" ? "127.0.0.1" : listen.host
        return "ws://\(host):\(listen.port)/v1/socket"
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
                expires: Timestamp(milliseconds: (now + seconds) * 1_000),
                audience: auth.audience,
                issuer: auth.issuer
            )
        }
    }
}

/// Where to connect, and as what.
struct ChatRelay: Sendable {
    var url: String
    var device: String
    var token: @Sendable () async throws -> String
}

/// The chat can't go on: one line, exit code 1.
struct ChatFailure: Error, CustomStringConvertible {
    let description: String

    init(_ line: String) { description = TerminalText.printable(line) }
}
