extension Configuration {
    /// The configuration as a file with every key and its meaning. With the defaults this is Config/roost.yaml.
    /// A secret that is set is not shown.
    public var text: String {
        var lines = Self.wrapped(
            """
            Every key of Roost's configuration; one that is left out has its default. A flag (--set listen.port=8080) \
            wins over the environment (ROOST_LISTEN_PORT=8080), and that over this file. Lists are separated by commas \
            there. Paths begin where Roost is started. `roost check-config --config FILE` says whether a file is right.
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

    /// YAML 1.2, section 7.3.1. Control characters don't come up: no `TextRule` lets them in.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Words in lines that end before column 118 with the comment sign.
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
