/// The rules that an operator chooses. They can change while the relay runs.
public struct PolicyRules: Sendable, Equatable {
    /// Whom people find and whose profile they are shown.
    public enum Directory: String, CaseIterable, Sendable {
        /// Everybody.
        case everyone
        /// Contacts, and who is or was in a conversation with them.
        case contacts
        /// Everybody, by the whole name or username and not by a part of it.
        case exact
    }

    /// Whom people find.
    public var directory = Directory.contacts
    /// What users can be to each other.
    public var contactKinds = [ContactKind("friend")]
    /// Whether two who don't know each other may reach each other.
    public var gate = GateRules()

    /// The defaults.
    public init() {}
}
