import RoostWire

/// How a user wants to be shown, as it is stored.
public struct StoredStatus: Hashable, Sendable {
    /// What the user has chosen.
    public var choice: StatusChoice
    /// The text for others; empty if there is none.
    public var text: String
    /// The text that others are told. It stays the same while the user is invisible, or it would betray that somebody
    /// is there.
    public var toldText: String

    /// As the devices say, and no text, unless said otherwise.
    public init(_ choice: StatusChoice = .auto, text: String = "", toldText: String = "") {
        self.choice = choice
        self.text = text
        self.toldText = toldText
    }
}
