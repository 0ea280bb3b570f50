import RoostConfiguration

extension EditDistance {
    /// Suggests the most similar of the known names, or lists them all if none is similar.
    static func hint(for name: String, among known: [String]) -> String {
        let nearest = known.map { (distance: between(name, $0), name: $0) }.min { $0.distance < $1.distance }
        // A name that differs in more than a third is no typing error, and a wrong guess only confuses.
        if let nearest, nearest.distance <= max(2, name.utf8.count / 3) { return "did you mean \(nearest.name)?" }
        let shown = known.prefix(24).joined(separator: ", ")
        return known.isEmpty ? "there are none" : "choose from \(shown)\(known.count > 24 ? " and others" : "")"
    }
}
