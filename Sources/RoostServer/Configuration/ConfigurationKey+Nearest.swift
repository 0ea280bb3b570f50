extension ConfigurationKey {
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The key of this name, or a failure that names the one that was probably meant.
    static func named(_ name: String, in source: ConfigurationSource) throws(ConfigurationFailure) -> ConfigurationKey {
        if let key = byName[name] { return key }
        let hint = hint(for: name, among: all.map(\.name))
        throw ConfigurationFailure(source, "\(name.prefix(80)): unknown key; \(hint)")
    }

    /// The key of this environment variable, or a failure that names the one that was probably meant.
    static func ofVariable(_ name: String) throws(ConfigurationFailure) -> ConfigurationKey {
        if let key = all.first(where: { $0.variable == name }) { return key }
        throw ConfigurationFailure(
            .variable(name),
            "no key has this variable; \(hint(for: name, among: all.map(\.variable)))"
        )
    }

    private static func hint(for name: String, among known: [String]) -> String {
        let nearest = known.map { (distance: distance(name, $0), name: $0) }.min { $0.distance < $1.distance }
        // Farther off than a third it is no slip of the finger, and a wrong guess only confuses.
        guard let nearest, nearest.distance <= max(2, name.utf8.count / 3) else {
            return "`roost check-config --print` lists all"
        }
        return "did you mean \(nearest.name)?"
    }

    /// Levenshtein: insertions, deletions and replacements of bytes from one to the other. Long names are cut, since
    /// they are near to nothing anyhow.
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
