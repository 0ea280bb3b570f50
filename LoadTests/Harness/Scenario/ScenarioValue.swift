import RoostConfiguration
import Yams

/// The value of one key as it was written, before any check, and its place.
struct ScenarioValue {
    let node: Node
    /// A path such as `conversations.rooms[0].members`; empty for the whole file.
    let path: String
    let place: ConfigurationSource

    func refusal(_ text: String) -> ConfigurationFailure {
        // A flag names its key already.
        if case .flag = place { return ConfigurationFailure(place, text) }
        return ConfigurationFailure(place, path.isEmpty ? text : "\(path): \(text)")
    }

    /// The failure for a value that isn't of the `allowed` form.
    func misfit(_ allowed: String) -> ConfigurationFailure {
        refusal(isEmpty ? "nothing is given; \(allowed)" : "\(shown) is not allowed; \(allowed)")
    }

    /// Whether it is null: nothing at all, `~` or `null` without quotes.
    var isEmpty: Bool {
        guard let scalar = node.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    private var shown: String {
        switch node {
        case .scalar(let scalar): ConfigurationFailure.quoted(scalar.string)
        case .sequence: "a list"
        case .mapping, .alias: "a section"
        }
    }

    /// The text if it was written without quotes, as numbers and words must be.
    var bare: String? {
        guard let scalar = node.scalar, scalar.style == .plain, !isEmpty else { return nil }
        return scalar.string
    }

    func number(in range: ClosedRange<Double>, _ allowed: String) throws(ConfigurationFailure) -> Double {
        guard let text = bare, text.utf8.allSatisfy({ Self.isDigit($0) || $0 == 0x2E || $0 == 0x2D }),
            let number = Double(text)
        else { throw misfit(allowed) }
        guard number >= range.lowerBound else { throw refusal("\(text) is too small; \(allowed)") }
        guard number <= range.upperBound else { throw refusal("\(text) is too large; \(allowed)") }
        return number
    }

    func whole<Whole: FixedWidthInteger>(
        in range: ClosedRange<Whole>,
        _ allowed: String
    ) throws(ConfigurationFailure) -> Whole {
        guard let text = bare else { throw misfit(allowed) }
        return try whole(text, in: range, allowed)
    }

    /// Reads a whole number that is a part of the value.
    func whole<Whole: FixedWidthInteger>(
        _ text: some StringProtocol,
        in range: ClosedRange<Whole>,
        _ allowed: String
    ) throws(ConfigurationFailure) -> Whole {
        let isNegative = text.hasPrefix("-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.utf8.allSatisfy(Self.isDigit) else { throw misfit(allowed) }
        // Digits that aren't a valid number are too many.
        let number = Whole(text)
        guard number.map({ $0 >= range.lowerBound }) ?? !isNegative else {
            throw refusal("\(text.prefix(60)) is too small; \(allowed)")
        }
        guard let number, number <= range.upperBound else {
            throw refusal("\(text.prefix(60)) is too large; \(allowed)")
        }
        return number
    }

    /// A number as it would be written in a file: without a point if it is whole.
    static func written(_ number: Double) -> String {
        // Up to 2^53 every whole number can be represented.
        number.rounded() == number && abs(number) < 0x1p53 ? "\(Int(number))" : "\(number)"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension ScenarioValue {
    /// The value of a command-line flag.
    init(flag: String, _ text: String) {
        self.init(node: Node(text, .implicit, .plain), path: "", place: .flag(flag))
    }
}
