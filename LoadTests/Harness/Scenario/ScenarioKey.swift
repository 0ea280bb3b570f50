import Yams

/// One key of a part of scenario files: its name, what it may be, where its value goes. The tables of `Scenario+Keys`
/// are the only list of keys there is: reading, messages, flags and the documentation follow from it. A value.
struct ScenarioKey<Part>: Sendable {
    typealias Slot<Value> = WritableKeyPath<Part, Value> & Sendable
    typealias Take = @Sendable (ScenarioValue, inout Part, inout ScenarioPlaces) throws(ScenarioFailure) -> Void

    let name: String
    /// What is allowed, to go on with after a semicolon.
    let allowed: String
    /// One or two sentences for whoever writes a scenario.
    let note: String
    /// What it is when it's left out, as it would be written.
    let fallback: @Sendable (Part) -> String
    /// The keys inside, for the documentation, by the path of this one.
    var inside: @Sendable (String) -> [ScenarioKeyRow] = { _ in [] }
    var isRequired = false
    /// Checks the value and puts it into its part.
    let take: Take

    /// The same, but leaving it out is an error.
    var required: ScenarioKey {
        var key = self
        key.isRequired = true
        return key
    }
}

/// A part of a scenario that is written as a section.
protocol ScenarioPart: Sendable {
    /// With all defaults.
    init()
    static var keys: [ScenarioKey<Self>] { get }
}

extension ScenarioPart {
    /// A part with what a section says.
    static func read(
        _ section: ScenarioValue,
        onto defaults: Self = Self(),
        _ places: inout ScenarioPlaces
    ) throws(ScenarioFailure) -> Self {
        guard let mapping = section.node.mapping else {
            throw section.misfit("keys: \(keys.map(\.name).joined(separator: ", "))")
        }
        var part = defaults
        var said: Set<String> = []
        for (key, value) in mapping {
            let place = section.place.at(key)
            guard let name = key.scalar?.string else { throw ScenarioFailure(place, "a key has to be a word") }
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

    /// Sets the key of this name.
    mutating func take(
        _ name: String,
        _ value: ScenarioValue,
        _ places: inout ScenarioPlaces
    ) throws(ScenarioFailure) {
        guard let key = Self.keys.first(where: { $0.name == name }) else {
            throw value.refusal("unknown key; \(ScenarioFailure.hint(for: name, among: Self.keys.map(\.name)))")
        }
        try key.take(value, &self, &places)
    }
}
