/// A kind of contact: what each of the two is to the other.
public struct ContactKind: Sendable, Equatable, CustomStringConvertible {
    /// What the two are, in words of a-z 0-9 . _ -; the same if neither can be told from the other.
    public let one, other: String

    /// Reads `friend`, or `trainer/client` for two who aren't the same to each other.
    public init(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        one = parts.first ?? ""
        other = parts.last ?? ""
    }

    /// As `init` reads it.
    public var description: String { one == other ? one : "\(one)/\(other)" }

    /// What the other one is to somebody who is this to it; nil if the kind has no such word.
    func counterpart(of word: String) -> String? {
        word == one ? other : word == other ? one : nil
    }
}

extension PolicyRules {
    /// What both are to each other if one of them is this to the other; nil if no kind has the word.
    /// - Parameter word: nil for the first kind, if its two sides are the same.
    func kinds(_ word: String?) -> (own: String, other: String)? {
        guard let word else {
            return contactKinds.first.flatMap { $0.one == $0.other ? ($0.one, $0.one) : nil }
        }
        for kind in contactKinds { if let own = kind.counterpart(of: word) { return (own, word) } }
        return nil
    }
}
