/// A kind of contact: what each of the two is to the other.
public struct ContactKind: Sendable, Equatable, CustomStringConvertible {
    /// The relations of the two, in words of a-z 0-9 . _ -; the same word if the sides don't differ.
    public let one, other: String

    /// Reads `friend`, or `trainer/client` for two who aren't the same to each other.
    public init(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        one = parts.first ?? ""
        other = parts.last ?? ""
    }

    /// The text that `init` reads.
    public var description: String { one == other ? one : "\(one)/\(other)" }

    /// The other side's relation for this word; nil if the kind has no such word.
    func counterpart(of word: String) -> String? {
        word == one ? other : word == other ? one : nil
    }
}

extension PolicyRules {
    /// The relations of both sides if one of them has this word; nil if no kind has it.
    /// - Parameter word: nil for the first kind, if its two sides are the same.
    func kinds(_ word: String?) -> (own: String, other: String)? {
        guard let word else {
            return contactKinds.first.flatMap { $0.one == $0.other ? ($0.one, $0.one) : nil }
        }
        for kind in contactKinds { if let own = kind.counterpart(of: word) { return (own, word) } }
        return nil
    }
}
