/// Where a setting comes from.
package enum ConfigurationSource: Sendable, Hashable, CustomStringConvertible {
    case file(path: String, line: Int)
    case variable(String)
    case flag(String)

    package var description: String {
        switch self {
        case .file(let path, let line): "\(path):\(line)"
        case .variable(let name): name
        case .flag(let name): name
        }
    }
}

/// One key with its value as it was written, before any check.
package struct ConfigurationSetting: Sendable {
    package enum Value: Sendable {
        case text(String)
        case list([String])
        /// A section in place of a value, or nothing at all.
        case unusable
    }

    let key: String
    let value: Value
    let source: ConfigurationSource
}

/// A flag of the command line that sets a key of the configuration.
public struct ConfigurationFlag: Sendable {
    let name: String
    package let key: String
    package let value: String

    /// `--port 8080` is `ConfigurationFlag("--port", key: "listen.port", value: "8080")`.
    public init(_ name: String, key: String, value: String) {
        self.name = name
        self.key = key
        self.value = value
    }

    /// `--set listen.port=8080`. The value follows the first `=`; the items of a list are separated by commas.
    public init(set text: String) throws(ConfigurationFailure) {
        guard let equals = text.firstIndex(of: "=") else {
            throw ConfigurationFailure(.flag("--set"), "\(ConfigurationFailure.quoted(text)): expected key=value")
        }
        self.init("--set", key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }
}
