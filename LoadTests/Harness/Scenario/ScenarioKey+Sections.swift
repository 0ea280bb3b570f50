import RoostConfiguration
import Yams

/// Keys with further keys inside.
extension ScenarioKey {
    /// A section that is always there.
    static func section<Inner: ScenarioPart>(_ name: String, _ slot: any Slot<Inner>, _ note: String) -> Self {
        ScenarioKey(name: name, allowed: "a section", note: note, fallback: { _ in "empty" }, inside: Inner.rows) {
            (value, part, places) throws(ConfigurationFailure) in
            part[keyPath: slot] = try Inner.read(value, onto: part[keyPath: slot], &places)
        }
    }

    /// A section that switches something on by being there.
    static func section<Inner: ScenarioPart>(_ name: String, _ slot: any Slot<Inner?>, _ note: String) -> Self {
        ScenarioKey(name: name, allowed: "a section", note: note, fallback: { _ in "none" }, inside: Inner.rows) {
            (value, part, places) throws(ConfigurationFailure) in
            part[keyPath: slot] = try Inner.read(value, &places)
        }
    }

    /// A list of sections.
    static func list<Inner: ScenarioPart>(
        _ name: String,
        _ slot: any Slot<[Inner]>,
        upTo most: Int,
        _ note: String
    ) -> Self {
        let allowed = "a list of up to \(most) sections"
        let inside: @Sendable (String) -> [ScenarioKeyRow] = { Inner.rows(under: "\($0)[]") }
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { _ in "none" }, inside: inside) {
            (value, part, places) throws(ConfigurationFailure) in
            guard let items = value.node.sequence, items.count <= most else { throw value.misfit(allowed) }
            var read: [Inner] = []
            for (index, node) in items.enumerated() {
                let path = "\(value.path)[\(index)]"
                let item = ScenarioValue(node: node, path: path, place: value.place.at(node))
                places.note(path, at: item.place)
                read.append(try Inner.read(item, &places))
            }
            part[keyPath: slot] = read
        }
    }

    /// Figures with their bounds.
    static func thresholds(_ name: String, _ slot: any Slot<[Threshold]>, _ note: String) -> Self {
        let allowed = "figures with a number from 0 to 1000000000 each, such as p99_ms: 200"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { _ in "none" }) {
            (value, part, places) throws(ConfigurationFailure) in
            guard let mapping = value.node.mapping else { throw value.misfit(allowed) }
            var read: [Threshold] = []
            for (key, bound) in mapping {
                let figure = key.scalar?.string ?? ""
                let path = "\(value.path).\(figure)"
                let bound = ScenarioValue(node: bound, path: path, place: value.place.at(key))
                guard Figure.named(figure) != nil else {
                    let hint = EditDistance.hint(for: figure, among: Figure.all.map(\.name))
                    throw bound.refusal("unknown figure; \(hint)")
                }
                places.note(path, at: bound.place)
                let number = try bound.number(in: 0...1e9, "a number from 0 to 1000000000")
                read.append(Threshold(figure: figure, bound: number))
            }
            part[keyPath: slot] = read
        }
    }
}

extension ConfigurationSource {
    /// The place of a node in the same file.
    func at(_ node: Node) -> ConfigurationSource {
        guard case .file(let path, let line) = self else { return self }
        return .file(path: path, line: node.mark?.line ?? line)
    }
}
