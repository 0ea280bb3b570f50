extension ConfigurationTable {
    /// Returns the key of this name. The failure suggests the most similar key.
    func named(
        _ name: String, in source: ConfigurationSource
    ) throws(ConfigurationFailure) -> ConfigurationKey<Root> {
        if let key = byName[name] { return key }
        let hint = hint(for: name, among: keys.map(\.name))
        throw ConfigurationFailure(source, "\(name.prefix(80)): unknown key; \(hint)")
    }

    /// Returns the key of this environment variable. The failure suggests the most similar variable.
    func ofVariable(_ name: String) throws(ConfigurationFailure) -> ConfigurationKey<Root> {
        if let key = keys.first(where: { $0.variable == name }) { return key }
        throw ConfigurationFailure(
            .variable(name),
            "no key belongs to this variable; \(hint(for: name, among: keys.map(\.variable)))"
        )
    }

    private func hint(for name: String, among known: [String]) -> String {
        let nearest = known.map { (distance: EditDistance.between(name, $0), name: $0) }.min {
            $0.distance < $1.distance
        }
        // A name that differs in more than a third is no typing error, and a wrong guess only confuses.
        guard let nearest, nearest.distance <= max(2, name.utf8.count / 3) else {
            return "`roost check-config --print` lists all keys"
        }
        return "did you mean \(nearest.name)?"
    }
}

/// The difference of two names.
package enum EditDistance {
    /// The Levenshtein distance: the least number of insertions, deletions and replacements of bytes that turn one name
    /// into the other. Names are cut at 128 bytes, because longer ones resemble no key.
    package static func between(_ one: String, _ other: String) -> Int {
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
