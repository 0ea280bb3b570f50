import Yams

extension Scenario {
    /// The scenario that the text of a file holds. The first thing that isn't right is thrown with its line, and
    /// nothing is guessed. `file` is its path: messages begin with it, and the scenario has its name.
    public static func read(text: String, file: String) throws(ScenarioFailure) -> Scenario {
        guard text.utf8.count <= ScenarioLimits.fileBytes else {
            throw ScenarioFailure("\(file): larger than \(ScenarioLimits.fileBytes) bytes")
        }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw failure(of: error, text: text, file: file)
        }
        let place = ScenarioPlace.line(1, of: file)
        guard let root else { throw ScenarioFailure(place, "the file is empty") }
        var places = ScenarioPlaces(whole: place)
        let name = (file.split(separator: "/").last ?? "").split(separator: ".").first ?? ""
        let value = ScenarioValue(node: root, path: "", place: place)
        let scenario = try read(value, onto: Scenario(name: String(name), about: ""), &places)
        try scenario.check(places)
        return scenario
    }

    // Yams prints several lines with a snippet. We keep only the problem and its line.
    private static func failure(of error: any Error, text: String, file: String) -> ScenarioFailure {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ScenarioFailure(.line(mark.line, of: file), "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            // Yams names all keys of a section that are given twice, and where the first of them was given first.
            ScenarioFailure(
                .line(secondLine(of: names.first ?? "", after: context.mark, in: text), of: file),
                "\(names.first ?? ""): given twice, first in line \(context.mark.line)"
            )
        case .reader(let problem, _, _, _): ScenarioFailure("\(file): not valid YAML: \(problem)")
        default: ScenarioFailure("\(file): not valid YAML")
        }
    }

    /// Where a key that begins at `mark` is said again in the same section: the next line that has it in the same
    /// column. Sections within braces have no columns; for them it's the first line.
    private static func secondLine(of key: String, after mark: Mark, in text: String) -> Int {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated().dropFirst(mark.line) {
            let indent = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indent)
            if content.isEmpty || content.hasPrefix("#") || indent >= mark.column { continue }
            guard indent == mark.column - 1 else { break }
            let word = content.prefix { $0 != ":" }
            if word.trimmingPrefix("\"").prefix(key.count) == key[...] { return index + 1 }
        }
        return mark.line
    }
}
