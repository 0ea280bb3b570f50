/// Where something was said.
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

/// Which key was said where, for rules between keys: each is blamed on a place that somebody can change. A value.
struct ScenarioPlaces: Sendable {
    private var byPath: [String: ScenarioPlace] = [:]
    /// Blamed if none of the keys was said.
    private let whole: ScenarioPlace

    init(whole: ScenarioPlace) { self.whole = whole }

    mutating func note(_ path: String, at place: ScenarioPlace) { byPath[path] = place }

    /// Throws unless the rule holds. `path` is what the rule is about, `others` what else it depends on; the first of
    /// them that was said is blamed.
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
