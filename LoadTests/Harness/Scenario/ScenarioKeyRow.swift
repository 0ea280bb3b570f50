/// One row of the documentation of scenario files. A value.
struct ScenarioKeyRow: Sendable, Equatable {
    let path: String
    let allowed: String
    let fallback: String
    let note: String

    /// All keys as a Markdown table. LoadTests/README.md contains it, and a test compares the two.
    static var table: String {
        let lines = Scenario.rows(under: "").map { row in
            "| `\(row.path)` | \(row.allowed) | \(row.fallback) | \(row.note) |"
        }
        return (["| Key | Allowed | Default | Meaning |", "|---|---|---|---|"] + lines).joined(separator: "\n") + "\n"
    }
}

extension ScenarioPart {
    /// The rows of this part's keys and of those inside them.
    static func rows(under path: String) -> [ScenarioKeyRow] {
        let defaults = Self()
        return keys.flatMap { key in
            let name = path.isEmpty ? key.name : "\(path).\(key.name)"
            let fallback = key.isRequired ? "required" : key.fallback(defaults)
            return [ScenarioKeyRow(path: name, allowed: key.allowed, fallback: fallback, note: key.note)]
                + key.inside(name)
        }
    }
}
