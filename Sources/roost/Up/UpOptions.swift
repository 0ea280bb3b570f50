import ArgumentParser
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration

/// The options of `roost up`, and of the commands that work on its data.
struct UpOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Address for both to listen on (listen.host, services.host).") var host: String?
    @Option(help: "Port of the relay (listen.port).") var port: String?
    @Option(help: "Port of the services (services.port).") var servicesPort: String?
    @Option(help: "The relay's SQLite file (store.path). The services use the same folder.")
    var store: String?

    /// The relay's part. `more` override everything else.
    func relay(_ more: [ConfigurationFlag] = []) throws(ConfigurationFailure) -> Configuration {
        let own = UpOptions.flags([
            ("--host", "listen.host", host), ("--port", "listen.port", port), ("--store", "store.path", store),
        ])
        return try options.configuration(flags: own + more)
    }

    /// The services' part, and the settings to pass to the services beside the file and `--set`.
    func services() throws -> (settings: ServicesConfiguration, added: [ConfigurationFlag]) {
        let own = UpOptions.flags([
            ("--host", "services.host", host), ("--services-port", "services.port", servicesPort),
        ])
        let written = try options.servicesSettings(flags: own)
        let added = own + (try ServicesDefaults(relay: try relay()).flags(beside: written))
        return (try options.servicesConfiguration(flags: added), added)
    }

    /// The services' words for all this.
    func words(_ added: [ConfigurationFlag]) -> [String] { options.words(added) }

    /// The same options again, for a command that the operator runs on the same data, maybe in another shell.
    var given: [String] {
        let own = [
            ("--host", host), ("--port", port), ("--services-port", servicesPort), ("--store", store),
        ]
        return options.given + own.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    static func flags(_ named: [(name: String, key: String, value: String?)]) -> [ConfigurationFlag] {
        named.compactMap { name, key, value in value.map { ConfigurationFlag(name, key: key, value: $0) } }
    }
}
