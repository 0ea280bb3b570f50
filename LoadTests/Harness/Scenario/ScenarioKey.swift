import RoostConfiguration
import Yams

/// One key of a scenario file: its name, its allowed values, and where its value goes. The tables in `Scenario+Keys`
/// are the only list of keys. Reading, messages, flags and the documentation follow from them. A value.
struct ScenarioKey<Part>: Sendable {
    typealias Slot<Value> = WritableKeyPath<Part, Value> & Sendable
    typealias Take = @Sendable (ScenarioValue, inout Part, inout ScenarioPlaces) throws(ConfigurationFailure) -> Void

    let name: String
    /// The allowed values, worded to follow a semicolon.
    let allowed: String
    /// One or two sentences for authors of scenarios.
    let note: String
    /// The default, as it would be written in a file.
    let fallback: @Sendable (Part) -> String
    /// The rows of the keys inside this one, by its path, for the documentation.
    var inside: @Sendable (String) -> [ScenarioKeyRow] = { _ in [] }
    var isRequired = false
    /// Checks a value and writes it into its part.
    let take: Take

    /// The same key, but required.
    var required: ScenarioKey {
        var key = self
        key.isRequired = true
        return key
    }
}

/// A part of a scenario that is a section of the file.
protocol ScenarioPart: Sendable {
    /// A part with all defaults.
    init()
    static var keys: [ScenarioKey<Self>] { get }
}

extension ScenarioPart {
    /// Reads a section.
    static func read(
        _ section: ScenarioValue,
        onto defaults: Self = Self(),
        _ places: inout ScenarioPlaces
    ) throws(ConfigurationFailure) -> Self {
        guard let mapping = section.node.mapping else {
            throw section.misfit("keys: \(keys.map(\.name).joined(separator: ", "))")
        }
        var part = defaults
        var said: Set<String> = []
        for (key, value) in mapping {
            let place = section.place.at(key)
            guard let name = key.scalar?.string else { throw ConfigurationFailure(place, "a key must be a word") }
            let path = section.path.isEmpty ? name : "\(section.path).\(name)"
            places.note(path, at: place)
            said.insert(name)
            try part.take(name, ScenarioValue(node: value, path: path, place: place), &places)
        }
        if let missing = keys.first(where: { $0.isRequired && !said.contains($0.name) }) {
            throw section.refusal("\(missing.name) is missing; \(missing.allowed)")
        }
        return part
    }

    /// Sets the key with this name.
    mutating func take(
        _ name: String,
        _ value: ScenarioValue,
        _ places: inout ScenarioPlaces
    ) throws(ConfigurationFailure) {
        guard let key = Self.keys.first(where: { $0.name == name }) else {
            throw value.refusal("unknown key; \(EditDistance.hint(for: name, among: Self.keys.map(\.name)))")
        }
        try key.take(value, &self, &places)
    }
}
