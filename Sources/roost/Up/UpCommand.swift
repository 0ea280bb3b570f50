import ArgumentParser
import Foundation
import RoostServer

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
        let flags = try flags()
        let configuration = try options.configuration(flags: flags)
        guard configuration.listen.port != 0 else {
            throw ValidationError("listen.port: `roost up` needs one that is known, because the services connect to it")
        }
        let data = URL(fileURLWithPath: configuration.store.path).deletingLastPathComponent()
            .appendingPathComponent("services").path
        let services = ServicesProcess(
            program: services ?? Self.programBeside(), arguments: arguments(data: data, configuration))
        try services.begin()
        let keys = data + "/keys.json"
        try services.waitFor(file: keys)
        let trusted = configuration.auth.publicKeys + [keys]
        let added = ConfigurationFlag(
            "roost up", key: "auth.public_keys", value: Set(trusted).sorted().joined(separator: ","))
        let shown = configuration.listen.services.isEmpty ? servicesOrigin() : configuration.listen.services
        let origin = ConfigurationFlag("roost up", key: "listen.services", value: shown)
        try Server.run { [options] () throws(ConfigurationFailure) in
            try options.configuration(flags: flags + [added, origin])
        }
    }

    private func flags() throws -> [ConfigurationFlag] {
        let named = [
            ("--host", "listen.host", host), ("--port", "listen.port", port), ("--store", "store.path", store),
        ]
        return named.compactMap { name, key, value in value.map { ConfigurationFlag(name, key: key, value: $0) } }
    }

    // The services read the same file and the same settings, and leave the relay's alone.
    private func arguments(data: String, _ configuration: Configuration) -> [String] {
        var words = ["serve", "--supervised"]
        if let file = options.config { words += ["--config", file] }
        for setting in options.settings { words += ["--set", setting] }
        if let host { words += ["--set", "services.host=\(host)"] }
        if let servicesPort { words += ["--set", "services.port=\(servicesPort)"] }
        let scheme = configuration.tls.isOn ? "wss" : "ws"
        let address = configuration.listen.host.contains(":") ? "[::1]" : "127.0.0.1"
        words += ["--set", "services.relay_url=\(scheme)://\(address):\(configuration.listen.port)/v1/socket"]
        return words + ["--set", "services.data=\(data)"]
    }

    // For a browser on this machine, as at a first try. Behind a proxy, listen.services says what it is.
    private func servicesOrigin() -> String {
        let named = options.settings.last { $0.hasPrefix("services.port=") }?.dropFirst("services.port=".count)
        return "http://127.0.0.1:\(servicesPort ?? named.map(String.init) ?? "8081")"
    }

    private static func programBeside() -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "roost"
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("roost-services").path
    }
}
