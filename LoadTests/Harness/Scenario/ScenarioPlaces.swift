import RoostConfiguration

/// The places of all keys that were given, for rules between keys. A failure names a place that the user can change. A
/// value.
struct ScenarioPlaces: Sendable {
    private var byPath: [String: ConfigurationSource] = [:]
    /// The place to name if none of the keys was given.
    private let whole: ConfigurationSource

    init(whole: ConfigurationSource) { self.whole = whole }

    mutating func note(_ path: String, at place: ConfigurationSource) { byPath[path] = place }

    /// Throws unless `holds`. `path` is the key that the rule is about, `others` those it also depends on. The failure
    /// names the place of the first one that was given.
    func demand(
        _ holds: Bool,
        _ path: String,
        with others: [String] = [],
        _ text: @autoclosure () -> String
    ) throws(ConfigurationFailure) {
        guard !holds else { return }
        if let place = byPath[path] {
            if case .flag = place { throw ConfigurationFailure(place, text()) }
            throw ConfigurationFailure(place, "\(path): \(text())")
        }
        let place = others.lazy.compactMap { byPath[$0] }.first ?? whole
        throw ConfigurationFailure(place, "\(path): \(text())")
    }
}
