extension ScenarioFailure {
    /// Suggests the most similar of the known names, or lists them all if none is similar.
    static func hint(for name: String, among known: [String]) -> String {
        let nearest = known.map { (distance: distance(name, $0), name: $0) }.min { $0.distance < $1.distance }
        // A name that differs in more than a third is no typing error, and a wrong guess only confuses.
        if let nearest, nearest.distance <= max(2, name.utf8.count / 3) { return "did you mean \(nearest.name)?" }
        let shown = known.prefix(24).joined(separator: ", ")
        return known.isEmpty ? "there are none" : "choose from \(shown)\(known.count > 24 ? " and others" : "")"
    }

    /// The Levenshtein distance: the least number of insertions, deletions and replacements of bytes that turn one name
    /// into the other. Names are cut, because very long ones resemble no known name.
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other.utf8.prefix(64))
        var row = Array(0...other.count)
        for (index, byte) in one.utf8.prefix(64).enumerated() {
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
