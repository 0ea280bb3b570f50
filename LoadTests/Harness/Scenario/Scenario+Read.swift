import RoostConfiguration
import Yams

extension Scenario {
    /// The scenario that the text of a file holds. The first thing that isn't right is thrown with its line, and
    /// nothing is guessed. `file` is its path: messages begin with it, and the scenario has its name.
    public static func read(text: String, file: String) throws(ConfigurationFailure) -> Scenario {
        guard text.utf8.count <= ScenarioLimits.fileBytes else {
            throw ConfigurationFailure("\(file): larger than \(ScenarioLimits.fileBytes) bytes")
        }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw ConfigurationFile.failure(of: error, path: file)
        }
        let place = ConfigurationSource.file(path: file, line: 1)
        guard let root else { throw ConfigurationFailure(place, "the file is empty") }
        var places = ScenarioPlaces(whole: place)
        let name = (file.split(separator: "/").last ?? "").split(separator: ".").first ?? ""
        let value = ScenarioValue(node: root, path: "", place: place)
        let scenario = try read(value, onto: Scenario(name: String(name), about: ""), &places)
        try scenario.check(places)
        return scenario
    }
}
