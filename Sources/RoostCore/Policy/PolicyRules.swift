/// The rules that an operator chooses. They can change while the relay runs.
public struct PolicyRules: Sendable, Equatable {
    /// The users that others find, and whose profiles they see.
    public enum Directory: String, CaseIterable, Sendable {
        /// Everybody.
        case everyone
        /// Contacts, and who is or was in a conversation with them.
        case contacts
        /// Everybody, by the whole name or username and not by a part of it.
        case exact
    }

    /// The treatment of unknown names.
    public enum Unknown: String, CaseIterable, Sendable {
        /// It is an error: users come by a token, by a service or by an operator.
        case refuse
        /// It makes a user, who may connect later: identities come from outside.
        case allow
    }

    /// The users that others find.
    public var directory = Directory.contacts
    /// The treatment of unknown names.
    public var unknown = Unknown.allow
    /// The possible relations between users.
    public var contactKinds = [ContactKind("friend")]
    /// Whether two who don't know each other may reach each other.
    public var gate = GateRules()

    /// The defaults.
    public init() {}
}
