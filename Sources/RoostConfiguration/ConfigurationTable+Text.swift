extension ConfigurationTable {
    /// The sections as a file has them, with every key and its meaning. It never shows a secret.
    package func text(of root: Root) -> String {
        var lines: [String] = []
        var section: Substring = ""
        for key in keys {
            if key.section != section {
                section = key.section
                lines += ["", "# " + (notes[String(section)] ?? ""), "\(section):"]
            }
            lines += ConfigurationText.wrapped("\(key.note) (\(key.allowed))").map { "  # " + $0 }
            lines.append("  \(key.member): \(written(key, of: root))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func written(_ key: ConfigurationKey<Root>, of root: Root) -> String {
        switch key.form {
        case .whole(let slot, _): "\(root[keyPath: slot])"
        case .seconds(let slot, _): "\(root[keyPath: slot] / 1_000)"
        case .word(let slot, _): root[keyPath: slot]
        case .text(let slot, _):
            key.isSecret && !root[keyPath: slot].isEmpty
                ? "\"\" # set, not shown" : ConfigurationText.quoted(root[keyPath: slot])
        case .list(let slot, _): "[\(root[keyPath: slot].map(ConfigurationText.quoted).joined(separator: ", "))]"
        }
    }
}

/// A configuration as a file.
package enum ConfigurationText {
    /// Config/roost.yaml begins with this; the sections follow.
    package static var head: String {
        wrapped(
            """
            Every key of Roost's configuration. A key that is left out has its default. A flag (--set \
            listen.port=8080) overrides the environment (ROOST_LISTEN_PORT=8080), which overrides this file. In flags \
            and in the environment, separate the items of a list by commas. Relative paths begin in the folder where \
            Roost is started. `roost check-config --config FILE` checks a file. The sections from `services` on are \
            read by roost-services, which `roost up` runs beside the relay.
            """
        ).map { "# " + $0 }.joined(separator: "\n") + "\n"
    }

    /// A double-quoted scalar (YAML 1.2, section 7.3.1). There are no control characters to escape: no rule allows
    /// them.
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Breaks a text into lines that end before column 118, including the comment sign.
    static func wrapped(_ text: String) -> [String] {
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
