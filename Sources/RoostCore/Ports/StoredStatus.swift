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
    /// When it ends and the user is shown as the devices say, without a text; `.never` if it stays.
    public var until: Timestamp

    /// As the devices say, and no text, unless said otherwise.
    public init(
        _ choice: StatusChoice = .auto, text: String = "", toldText: String = "", until: Timestamp = .never
    ) {
        self.choice = choice
        self.text = text
        self.toldText = toldText
        self.until = until
    }
}
