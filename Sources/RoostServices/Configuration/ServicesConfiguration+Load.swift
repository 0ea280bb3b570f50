import Foundation
import Yams

extension ServicesConfiguration {
    /// Most bytes of a file. One with every key of both processes has 15,000.
    private static let fileBytesMax = 1_048_576

    /// Applies the file, then `ROOST_…` variables, then `--set` to the defaults; a later one overrides an earlier one.
    /// It throws at the first mistake and never guesses.
    package static func load(
        file: String? = nil, environment: [String: String] = [:], flags: [String] = []
    ) throws(ConfigurationFailure) -> ServicesConfiguration {
        var settings: [ServicesKey.Setting] = []
        if let file { settings += try self.settings(text: text(of: file), path: file) }
        settings += try self.settings(environment: environment)
        for flag in flags {
            guard let equals = flag.firstIndex(of: "=") else {
                throw ConfigurationFailure("--set", "expected section.key=value")
            }
            let key = String(flag[..<equals])
            // `roost up` hands all settings to both processes.
            if ServicesKey.relaySections.contains(String(key.prefix { $0 != "." })) { continue }
            settings.append(
                ServicesKey.Setting(
                    key: key, value: .text(String(flag[flag.index(after: equals)...])), source: "--set"))
        }
        var configuration = ServicesConfiguration()
        for setting in settings {
            guard let key = ServicesKey.all.first(where: { $0.name == setting.key }) else {
                throw ConfigurationFailure(setting.source, "\(setting.key.prefix(80)): unknown key")
            }
            try key.read(setting, into: &configuration)
        }
        return configuration
    }

    // MARK: Variables

    private static func settings(
        environment: [String: String]
    ) throws(ConfigurationFailure) -> [ServicesKey.Setting] {
        var settings: [ServicesKey.Setting] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) where isOurs(name, value) {
            guard let key = ServicesKey.all.first(where: { $0.variable == name }) else {
                throw ConfigurationFailure(name, "no key belongs to this variable")
            }
            settings.append(ServicesKey.Setting(key: key.name, value: .text(value), source: name))
        }
        return settings
    }

    /// Others are the relay's, the build's, or those that Kubernetes sets in every container when a service is called
    /// "roost-services" (Kubernetes documentation, "Discovering services").
    private static func isOurs(_ name: String, _ value: String) -> Bool {
        let isNamedSo = ServicesKey.sections.contains { name.hasPrefix("ROOST_\($0.uppercased())_") }
        let isOfKubernetes =
            name.hasPrefix("ROOST_SERVICES_SERVICE_") || name.hasPrefix("ROOST_SERVICES_PORT_")
            || name == "ROOST_SERVICES_PORT" && value.hasPrefix("tcp://")
        return isNamedSo && !isOfKubernetes
    }

    // MARK: File

    private static func text(of path: String) throws(ConfigurationFailure) -> String {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: fileBytesMax + 1) ?? Data()
        else { throw ConfigurationFailure(path, "can't be read") }
        guard data.count <= fileBytesMax else { throw ConfigurationFailure(path, "larger than \(fileBytesMax) bytes") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationFailure(path, "not valid UTF-8")
        }
        return text
    }

    static func settings(text: String, path: String) throws(ConfigurationFailure) -> [ServicesKey.Setting] {
        let root: Node?
        do { root = try compose(yaml: text) } catch {
            // Yams prints several lines with a snippet, which might show a secret.
            throw ConfigurationFailure(path, "not valid YAML")
        }
        guard let root, !isEmpty(root) else { return [] }
        guard let sections = root.mapping else {
            throw ConfigurationFailure(path, "expected sections such as \"services:\"")
        }
        var settings: [ServicesKey.Setting] = []
        for (key, members) in sections {
            let name = key.scalar?.string ?? ""
            if ServicesKey.relaySections.contains(name) { continue }
            let place = "\(path):\(key.mark?.line ?? 1)"
            guard ServicesKey.sections.contains(name) else {
                throw ConfigurationFailure(place, "\(name.prefix(80)): unknown section")
            }
            if isEmpty(members) { continue }
            guard let members = members.mapping else {
                throw ConfigurationFailure(place, "\(name): expected keys below it")
            }
            for (member, value) in members {
                let key = "\(name).\(member.scalar?.string ?? "")"
                settings.append(
                    ServicesKey.Setting(
                        key: key, value: self.value(value), source: "\(path):\(member.mark?.line ?? 1)"))
            }
        }
        return settings
    }

    private static func value(_ node: Node) -> ServicesKey.Setting.Value {
        if let list = node.sequence {
            let items = list.compactMap { $0.scalar?.string }
            return items.count == list.count ? .list(items) : .unusable
        }
        guard let scalar = node.scalar, !isEmpty(node) else { return .unusable }
        return .text(scalar.string)
    }

    private static func isEmpty(_ node: Node) -> Bool {
        guard let scalar = node.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}
