import ArgumentParser
import RoostConfiguration
import RoostServer

/// `roost serve`: runs the relay, on the main thread, until it is stopped.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Run the relay.")

    @OptionGroup var options: ConfigurationOptions

    // All strings, so that the configuration checks them and reports a mistake in one line, as for any other source.
    @Option(help: "Address to listen on (listen.host).") var host: String?
    @Option(help: "Port to listen on; 0 for any free port (listen.port).") var port: String?
    @Option(help: "The SQLite file (store.path).") var store: String?
    @Option(help: "What an acked message survives: full, normal or memory (store.durability).") var durability: String?
    @Option(name: .customLong("link"), help: "Print a link to the chat page for this user; may be repeated.")
    var linkedUsers: [String] = []

    func run() throws {
        let named = [
            ("--host", "listen.host", host), ("--port", "listen.port", port), ("--store", "store.path", store),
            ("--durability", "store.durability", durability),
        ]
        let flags = named.compactMap { name, key, value in value.map { ConfigurationFlag(name, key: key, value: $0) } }
        try Server.run(links: linkedUsers) { [options] () throws(ConfigurationFailure) in
            try options.configuration(flags: flags)
        }
    }
}
