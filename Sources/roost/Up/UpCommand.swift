import ArgumentParser
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration

/// `roost up`: runs the relay as `serve` does, and keeps `roost-services` running beside it.
///
/// The relay is this process. If the other one ends, it is started again, and no connection notices. If this one ends,
/// however that is, the other one ends as well.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Run the relay together with the services (accounts and tokens).")

    @OptionGroup var up: UpOptions

    @Option(help: "Path of roost-services. By default, next to this program.") var services: String?

    func run() throws {
        let relay = try up.relay()
        let (settings, added) = try up.services()
        try ServicesPort.check(settings)
        let process = ServicesProcess(
            program: services ?? ServicesProgram.path, arguments: ["serve", "--supervised"] + up.words(added))
        try process.begin()
        let keys = settings.data + "/keys.json"
        try process.waitFor(keys: keys)
        let trusted = Set(relay.auth.publicKeys + [keys]).sorted().joined(separator: ",")
        let origin = relay.listen.services.isEmpty ? settings.originURL : relay.listen.services
        let named = UpOptions.flags([
            ("roost up", "auth.public_keys", trusted), ("roost up", "listen.services", origin),
        ])
        try Server.run(words: up.given) { [up] () throws(ConfigurationFailure) in try up.relay(named) }
    }
}
