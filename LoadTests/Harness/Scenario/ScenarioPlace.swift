/// Where a setting comes from.
enum ScenarioPlace: Sendable, Hashable, CustomStringConvertible {
    case line(Int, of: String)
    case flag(String)

    var description: String {
        switch self {
        case .line(let line, let file): "\(file):\(line)"
        case .flag(let name): name
        }
    }
}

/// The places of all keys that were given, for rules between keys. A failure names a place that the user can change. A
/// value.
struct ScenarioPlaces: Sendable {
    private var byPath: [String: ScenarioPlace] = [:]
    /// The place to name if none of the keys was given.
    private let whole: ScenarioPlace

    init(whole: ScenarioPlace) { self.whole = whole }

    mutating func note(_ path: String, at place: ScenarioPlace) { byPath[path] = place }

    /// Throws unless `holds`. `path` is the key that the rule is about, `others` those it also depends on. The failure
    /// names the place of the first one that was given.
    func demand(
        _ holds: Bool,
        _ path: String,
        with others: [String] = [],
        _ text: @autoclosure () -> String
    ) throws(ScenarioFailure) {
        guard !holds else { return }
        if let place = byPath[path] {
            if case .flag = place { throw ScenarioFailure(place, text()) }
            throw ScenarioFailure(place, "\(path): \(text())")
        }
        let place = others.lazy.compactMap { byPath[$0] }.first ?? whole
        throw ScenarioFailure(place, "\(path): \(text())")
    }
}
