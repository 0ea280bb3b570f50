extension ConfigurationKey {
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Sections of the same file that belong to `roost-services`, which refuses what it doesn't know in them.
    static let foreignSections: Set = ["services", "accounts", "tokens", "mail", "openid"]

    /// Whether a key such as `mail.host` belongs to `roost-services`.
    static func isForeign(_ name: String) -> Bool {
        foreignSections.contains(String(name.prefix { $0 != "." }))
    }

    /// Whether a variable such as `ROOST_MAIL_HOST` belongs to `roost-services`.
    static func isForeign(variable name: String) -> Bool {
        foreignSections.contains { name.hasPrefix("ROOST_\($0.uppercased())_") }
    }

    /// Returns the key of this name. The failure suggests the most similar key.
    static func named(_ name: String, in source: ConfigurationSource) throws(ConfigurationFailure) -> ConfigurationKey {
        if let key = byName[name] { return key }
        let hint = hint(for: name, among: all.map(\.name))
        throw ConfigurationFailure(source, "\(name.prefix(80)): unknown key; \(hint)")
    }

    /// Returns the key of this environment variable. The failure suggests the most similar variable.
    static func ofVariable(_ name: String) throws(ConfigurationFailure) -> ConfigurationKey {
        if let key = all.first(where: { $0.variable == name }) { return key }
        throw ConfigurationFailure(
            .variable(name),
            "no key belongs to this variable; \(hint(for: name, among: all.map(\.variable)))"
        )
    }

    private static func hint(for name: String, among known: [String]) -> String {
        let nearest = known.map { (distance: distance(name, $0), name: $0) }.min { $0.distance < $1.distance }
        // A name that differs in more than a third is no typing error, and a wrong guess only confuses.
        guard let nearest, nearest.distance <= max(2, name.utf8.count / 3) else {
            return "`roost check-config --print` lists all keys"
        }
        return "did you mean \(nearest.name)?"
    }

    /// The Levenshtein distance: the least number of insertions, deletions and replacements of bytes that turn one name
    /// into the other. Names are cut at 128 bytes, because longer ones resemble no key.
    static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other.utf8.prefix(128))
        var row = Array(0...other.count)
        for (index, byte) in one.utf8.prefix(128).enumerated() {
            // `diagonal` is the distance before both this byte and the candidate.
            var diagonal = index
            row[0] = index + 1
            for (column, candidate) in other.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == candidate ? 0 : 1))
                diagonal = above
            }
        }
        return row[other.count]
    }
}
