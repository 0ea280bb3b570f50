import ArgumentParser
import Foundation
import RoostConfiguration
import RoostServer
import RoostServicesConfiguration

/// The services' settings about the relay beside them that `roost up` adds, where the operator sets none.
struct ServicesDefaults {
    let relay: Configuration

    /// The settings that are added to those that were written.
    func flags(
        beside written: ConfigurationTable<ServicesConfiguration>.Loaded
    ) throws -> [ConfigurationFlag] {
        var added: [(key: String, value: String)] = []
        if written.sources["services.data"] == nil { added.append(("services.data", data)) }
        if written.sources["services.relay_url"] == nil {
            guard relay.listen.port != 0 else {
                throw ValidationError(
                    "listen.port: `roost up` needs a fixed port, because the services connect to it")
            }
            added += try address()
        }
        if written.sources["services.own_url"] == nil, !relay.listen.services.isEmpty {
            added.append(("services.own_url", relay.listen.services))
        }
        return added.map { ConfigurationFlag("roost up", key: $0.key, value: $0.value) }
    }

    private var data: String {
        URL(fileURLWithPath: relay.store.path).deletingLastPathComponent().appendingPathComponent("services").path
    }

    /// The relay's URL as its certificate has it, and the address on this machine where it answers.
    private func address() throws -> [(key: String, value: String)] {
        guard let local = relay.url(port: relay.listen.port) else {
            throw ValidationError(
                "services.relay_url: name the relay's address, because it listens on a Unix socket")
        }
        guard relay.tls.isOn else { return [("services.relay_url", local)] }
        guard let name = try relay.certificateName() else {
            throw ValidationError(
                "services.relay_url: name the relay's address, because its certificate has no name")
        }
        let host = relay.listen.host
        // Any name fits a certificate for all of them.
        let full = name.hasPrefix("*.") ? "roost" + name.dropFirst() : name
        return [
            ("services.relay_url", "wss://\(full):\(relay.listen.port)/v1/socket"),
            ("services.relay_address", ["0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"][host] ?? host),
        ]
    }
}
