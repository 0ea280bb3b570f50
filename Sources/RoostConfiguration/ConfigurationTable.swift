/// All keys of one process, in the order of Config/roost.yaml, and what is written above each section. The relay and
/// the services share one file: each reads its own sections, refuses what it doesn't know in them, and leaves those of
/// the other alone.
package struct ConfigurationTable<Root: Sendable>: Sendable {
    package let owner: ConfigurationOwner
    package let keys: [ConfigurationKey<Root>]
    /// The comment above each section.
    package let notes: [String: String]
    let byName: [String: ConfigurationKey<Root>]

    /// A process's keys, each name once.
    package init(_ owner: ConfigurationOwner, notes: [String: String], _ keys: [ConfigurationKey<Root>]) {
        self.owner = owner
        self.keys = keys
        self.notes = notes
        byName = Dictionary(keys.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The process that reads a section.
package enum ConfigurationOwner: Sendable, CaseIterable {
    case relay, services

    /// The sections of the process.
    package var sections: [String] {
        switch self {
        case .relay:
            [
                "listen", "tls", "store", "retention", "auth", "directory", "presence", "contacts", "gate", "drain",
                "metrics", "admin", "log", "limits",
            ]
        case .services: ["services", "accounts", "tokens", "mail", "openid"]
        }
    }

    /// Whether a key such as `mail.host` belongs to the other process.
    func isForeign(_ key: String) -> Bool {
        let section = String(key.prefix { $0 != "." })
        return ConfigurationOwner.allCases.contains { $0 != self && $0.sections.contains(section) }
    }

    /// Whether a variable such as `ROOST_MAIL_HOST` isn't for this process: it belongs to the other one, or is no
    /// setting at all.
    func isForeign(variable name: String, _ value: String) -> Bool {
        switch name {
        // The path of the file, and those of the build and the tests.
        case "ROOST_CONFIG", "ROOST_STRICT", "ROOST_ONLY", "ROOST_BINARY", "ROOST_PORT", "ROOST_LOAD_BINARY",
            "ROOST_SCENARIOS", "ROOST_YARDSTICK":
            return true
        default: break
        }
        // Kubernetes sets these in every container when a service is called "roost" or "roost-services" (Kubernetes
        // documentation, "Discovering services").
        let isOfKubernetes =
            ["ROOST_SERVICE_", "ROOST_PORT_", "ROOST_SERVICES_SERVICE_", "ROOST_SERVICES_PORT_"]
            .contains(where: name.hasPrefix) || name == "ROOST_SERVICES_PORT" && value.hasPrefix("tcp://")
        return isOfKubernetes
            || ConfigurationOwner.allCases.contains { other in
                other != self && other.sections.contains { name.hasPrefix("ROOST_\($0.uppercased())_") }
            }
    }
}
