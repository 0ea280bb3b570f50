import ArgumentParser
import Foundation
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration

/// `roost up`: runs the relay as `serve` does, and keeps `roost-services` running beside it.
///
/// The relay is this process. If the other one ends, it is started again, and no connection notices. If this one ends,
/// however that is, the other one ends as well.
struct UpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Run the relay and, beside it, the services: accounts and tokens.")

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Address for both to listen on (listen.host, services.host).") var host: String?
    @Option(help: "Port of the relay (listen.port).") var port: String?
    @Option(help: "Port of the services (services.port).") var servicesPort: String?
    @Option(help: "The relay's SQLite file; what the services keep is in the same folder (store.path).")
    var store: String?
    @Option(help: "The program of the services. If not given, roost-services beside this one.") var services: String?

    func run() throws {
        let flags = flags([
            ("--host", "listen.host", host), ("--port", "listen.port", port), ("--store", "store.path", store),
        ])
        let relay = try options.configuration(flags: flags)
        let own = self.flags([("--host", "services.host", host), ("--services-port", "services.port", servicesPort)])
        let written = try options.servicesSettings(flags: own)
        let added = own + (try ServicesDefaults(relay: relay).flags(beside: written))
        let settings = try options.servicesConfiguration(flags: added)
        let process = ServicesProcess(program: services ?? Self.programBeside(), arguments: arguments(added))
        try process.begin()
        let keys = settings.data + "/keys.json"
        try process.waitFor(file: keys)
        let trusted = Set(relay.auth.publicKeys + [keys]).sorted().joined(separator: ",")
        let origin = relay.listen.services.isEmpty ? settings.originURL : relay.listen.services
        let named = self.flags([
            ("roost up", "auth.public_keys", trusted), ("roost up", "listen.services", origin),
        ])
        try Server.run { [options] () throws(ConfigurationFailure) in
            try options.configuration(flags: flags + named)
        }
    }

    private func flags(_ named: [(name: String, key: String, value: String?)]) -> [ConfigurationFlag] {
        named.compactMap { name, key, value in value.map { ConfigurationFlag(name, key: key, value: $0) } }
    }

    // The services read the same file and the same settings, and leave the relay's alone.
    private func arguments(_ added: [ConfigurationFlag]) -> [String] {
        let file = options.config.map { ["--config", $0] } ?? []
        let settings = options.settings + added.map { "\($0.key)=\($0.value)" }
        return ["serve", "--supervised"] + file + settings.flatMap { ["--set", $0] }
    }

    private static func programBeside() -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "roost"
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("roost-services").path
    }
}
