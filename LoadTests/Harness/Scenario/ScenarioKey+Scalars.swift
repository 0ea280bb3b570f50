import RoostConfiguration
import Yams

/// Keys with one value.
extension ScenarioKey {
    static func whole(_ name: String, _ slot: any Slot<Int>, _ range: ClosedRange<Int>, _ note: String) -> Self {
        let allowed = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { "\($0[keyPath: slot])" }) {
            (value, part, _) throws(ConfigurationFailure) in
            part[keyPath: slot] = try value.whole(in: range, allowed)
        }
    }

    static func seed(_ name: String, _ slot: any Slot<UInt64>, _ note: String) -> Self {
        let allowed = "a whole number from 0 to \(UInt64.max)"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { "\($0[keyPath: slot])" }) {
            (value, part, _) throws(ConfigurationFailure) in
            part[keyPath: slot] = try value.whole(in: 0...UInt64.max, allowed)
        }
    }

    static func number(
        _ name: String,
        _ slot: any Slot<Double>,
        _ range: ClosedRange<Double>,
        _ note: String
    ) -> Self {
        let allowed = "a number from \(written(range.lowerBound)) to \(written(range.upperBound))"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { written($0[keyPath: slot]) }) {
            (value, part, _) throws(ConfigurationFailure) in
            part[keyPath: slot] = try value.number(in: range, allowed)
        }
    }

    /// A number from 0 to 1.
    static func share(_ name: String, _ slot: any Slot<Double>, _ note: String) -> Self {
        number(name, slot, 0...1, note)
    }

    /// Seconds, up to the longest run.
    static func seconds(_ name: String, _ slot: any Slot<Double>, from least: Double = 0, _ note: String) -> Self {
        number(name, slot, least...HarnessLimits.secondsMax, note)
    }

    static func toggle(_ name: String, _ slot: any Slot<Bool>, _ note: String) -> Self {
        let allowed = "true or false"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { "\($0[keyPath: slot])" }) {
            (value, part, _) throws(ConfigurationFailure) in
            switch value.bare {
            case "true": part[keyPath: slot] = true
            case "false": part[keyPath: slot] = false
            default: throw value.misfit(allowed)
            }
        }
    }

    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ slot: any Slot<Word>,
        _ note: String
    ) -> Self {
        let allowed = Word.allCases.map(\.rawValue).joined(separator: " or ")
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { $0[keyPath: slot].rawValue }) {
            (value, part, _) throws(ConfigurationFailure) in
            guard let word = value.bare.flatMap(Word.init(rawValue:)) else { throw value.misfit(allowed) }
            part[keyPath: slot] = word
        }
    }

    /// One line of text.
    static func text(_ name: String, _ slot: any Slot<String>, upTo most: Int, _ note: String) -> Self {
        let allowed = "a text of 1 to \(most) characters in one line"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { $0[keyPath: slot] }) {
            (value, part, _) throws(ConfigurationFailure) in
            guard let text = value.node.scalar?.string, !value.isEmpty, (1...most).contains(text.count),
                !text.contains(where: \.isNewline)
            else { throw value.misfit(allowed) }
            part[keyPath: slot] = text
        }
    }

    /// `200` or `20-400`.
    static func span(
        _ name: String,
        _ slot: any Slot<ClosedRange<Int>>,
        _ range: ClosedRange<Int>,
        _ note: String
    ) -> Self {
        let allowed = "a whole number, or two such as 64-400, from \(range.lowerBound) to \(range.upperBound)"
        return ScenarioKey(name: name, allowed: allowed, note: note, fallback: { written($0[keyPath: slot]) }) {
            (value, part, _) throws(ConfigurationFailure) in
            guard let text = value.node.scalar?.string, !value.isEmpty else { throw value.misfit(allowed) }
            let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = ends.first, let last = ends.last else { throw value.misfit(allowed) }
            let low = try value.whole(first, in: range, allowed)
            let high = try value.whole(last, in: range, allowed)
            guard low <= high else { throw value.misfit(allowed) }
            part[keyPath: slot] = low...high
        }
    }

    private static func written(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }

    private static func written(_ number: Double) -> String { ScenarioValue.written(number) }
}
