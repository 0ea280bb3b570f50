extension Configuration {
    /// The configuration as a file with every key and its meaning. With the defaults this is Config/roost.yaml. It
    /// never shows a secret.
    public var text: String {
        var lines = Self.wrapped(
            """
            Every key of Roost's configuration. A key that is left out has its default. A flag (--set \
            listen.port=8080) overrides the environment (ROOST_LISTEN_PORT=8080), which overrides this file. In flags \
            and in the environment, separate the items of a list by commas. Relative paths begin in the folder where \
            Roost is started. `roost check-config --config FILE` checks a file.
            """
        ).map { "# " + $0 }
        var section: Substring = ""
        for key in ConfigurationKey.all {
            if key.section != section {
                section = key.section
                lines += ["", "# " + (ConfigurationKey.sectionNotes[String(section)] ?? ""), "\(section):"]
            }
            lines += Self.wrapped("\(key.note) (\(key.allowed))").map { "  # " + $0 }
            lines.append("  \(key.member): \(written(key))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func written(_ key: ConfigurationKey) -> String {
        switch key.form {
        case .whole(let slot, _): "\(self[keyPath: slot])"
        case .seconds(let slot, _): "\(self[keyPath: slot] / 1_000)"
        case .word(let slot, _): self[keyPath: slot]
        case .text(let slot, _):
            key.isSecret && !self[keyPath: slot].isEmpty ? "\"\" # set, not shown" : Self.quoted(self[keyPath: slot])
        case .list(let slot, _): "[\(self[keyPath: slot].map(Self.quoted).joined(separator: ", "))]"
        }
    }

    /// A double-quoted scalar (YAML 1.2, section 7.3.1). There are no control characters to escape: no `TextRule`
    /// allows them.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Breaks a text into lines that end before column 118, including the comment sign.
    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 112 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
