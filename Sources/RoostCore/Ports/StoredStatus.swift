import RoostWire

/// A user's chosen status, as it is stored.
public struct StoredStatus: Hashable, Sendable {
    /// The user's choice.
    public var choice: StatusChoice
    /// The text for others; empty if there is none.
    public var text: String
    /// The text that others see. It stays the same while the user is invisible, or it would betray that the user is
    /// online.
    public var toldText: String
    /// When it ends and the user is shown as the devices say, without a text; `.never` if it stays.
    public var until: Timestamp

    /// The state of the devices, and no text, by default.
    public init(
        _ choice: StatusChoice = .auto, text: String = "", toldText: String = "", until: Timestamp = .never
    ) {
        self.choice = choice
        self.text = text
        self.toldText = toldText
        self.until = until
    }
}
