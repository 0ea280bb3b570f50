/// One of a fixed set of words on the wire.
public protocol WireWord: CaseIterable, Sendable {
    /// The word, plain ASCII.
    var word: StaticString { get }
}

extension WireWord {
    /// The value with this word; nil if there is none.
    public init?(word text: String) {
        guard let found = Self.allCases.first(where: { "\($0.word)" == text }) else { return nil }
        self = found
    }
}
