import Foundation
import Yams

/// Reads the YAML file into settings with their lines. It doesn't know the keys: `ConfigurationTable` checks them.
package enum ConfigurationFile {
    /// Most bytes of a file. A file with every key has 20,000.
    static let bytesMax = 1_048_576

    static func settings(
        path: String, of owner: ConfigurationOwner
    ) throws(ConfigurationFailure) -> [ConfigurationSetting] {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: bytesMax + 1) ?? Data()
        else { throw ConfigurationFailure("\(path): can't be read") }
        guard data.count <= bytesMax else { throw ConfigurationFailure("\(path): larger than \(bytesMax) bytes") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ConfigurationFailure("\(path): not valid UTF-8")
        }
        return try settings(text: text, path: path, of: owner)
    }

    package static func settings(
        text: String, path: String, of owner: ConfigurationOwner
    ) throws(ConfigurationFailure) -> [ConfigurationSetting] {
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw failure(of: error, path: path)
        }
        guard let root, !isEmpty(root) else { return [] }
        guard let sections = root.mapping else {
            throw ConfigurationFailure(source(of: root, path: path), "expected sections such as \"listen:\"")
        }
        var settings: [ConfigurationSetting] = []
        for (key, value) in sections where !owner.isForeign(key.scalar?.string ?? "") {
            if isEmpty(value), owner.sections.contains(key.scalar?.string ?? "") { continue }  // All is commented out.
            try collect(key, value, under: "", path: path, into: &settings)
        }
        return settings
    }

    private static func collect(
        _ key: Node,
        _ value: Node,
        under prefix: String,
        path: String,
        into settings: inout [ConfigurationSetting]
    ) throws(ConfigurationFailure) {
        let source = source(of: key, path: path)
        guard let word = key.scalar?.string else { throw ConfigurationFailure(source, "a key must be a word") }
        let name = prefix + word
        if let members = value.mapping, prefix.isEmpty {
            for (key, value) in members { try collect(key, value, under: name + ".", path: path, into: &settings) }
        } else if let list = value.sequence {
            let items = list.compactMap { $0.scalar?.string }
            settings.append(
                ConfigurationSetting(
                    key: name,
                    value: items.count == list.count ? .list(items) : .unusable,
                    source: source
                )
            )
        } else if let scalar = value.scalar, !isEmpty(value) {
            settings.append(ConfigurationSetting(key: name, value: .text(scalar.string), source: source))
        } else {
            settings.append(ConfigurationSetting(key: name, value: .unusable, source: source))
        }
    }

    /// Whether a node is null: nothing at all, `~` or `null` without quotes.
    private static func isEmpty(_ node: Node) -> Bool {
        guard let scalar = node.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private static func source(of node: Node, path: String) -> ConfigurationSource {
        .file(path: path, line: node.mark?.line ?? 1)
    }

    /// The mistake in a file that isn't YAML. Yams prints several lines with a snippet, which might show a secret:
    /// only the problem and its line are kept.
    package static func failure(of error: any Error, path: String) -> ConfigurationFailure {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ConfigurationFailure(.file(path: path, line: mark.line), "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            ConfigurationFailure(
                .file(path: path, line: context.mark.line),
                "\(names.joined(separator: ", ")): given twice"
            )
        case .reader(let problem, _, _, _): ConfigurationFailure("\(path): not valid YAML: \(problem)")
        default: ConfigurationFailure("\(path): not valid YAML")
        }
    }
}
