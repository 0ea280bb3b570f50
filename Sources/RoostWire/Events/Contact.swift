/// Another user as one of the user's own contacts, or as the inviting or invited side of an invitation.
public struct Contact: Sendable, Equatable {
    /// The other user.
    public var user: String
    /// The other user's relation to the user, such as `friend` or `client`.
    public var kind: String
    /// Whether both have accepted, or which of them has to answer.
    public var state: ContactState
    /// The user's own note about the other, which other users never see; empty if there is none.
    public var label: String
    /// When it got into this state.
    public var since: Timestamp

    /// A contact with these values.
    public init(user: String, kind: String, state: ContactState, label: String, since: Timestamp) {
        self.user = user
        self.kind = kind
        self.state = state
        self.label = label
        self.since = since
    }
}

extension Contact {
    /// Reads one; nil if a member is missing that Docs/Protocol.md promises, or the state is unknown.
    public init?(reading members: JSONMembers) {
        guard let user = members.string("user"), let kind = members.string("kind"),
            let state = members.string("state").flatMap(ContactState.init(word:)), let since = members.integer("since")
        else { return nil }
        self.init(
            user: user, kind: kind, state: state, label: members.string("label") ?? "",
            since: Timestamp(milliseconds: since))
    }
}

/// A contact has changed, on some device or because of the other user.
public struct ContactChange: Sendable, Equatable {
    /// The other user.
    public var user: String
    /// The new state; nil if the two have no relation any more.
    public var contact: Contact?
}

extension ContactChange {
    /// Reads an event; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let user = members.string("user") else { return nil }
        self.user = user
        contact = Contact(reading: members)
        guard contact != nil || members.string("state") == "none" else { return nil }
    }
}

/// A page of contacts.
public struct ContactPage: Sendable, Equatable {
    /// The contacts.
    public var contacts: [Contact]
    /// Where the next page begins; nil if this is the last.
    public var next: String?
}

extension ContactPage {
    /// Reads the answer to `contact.list`; nil if a member is missing that Docs/Protocol.md promises.
    public init?(reading members: JSONMembers) {
        guard let contacts = members.objects("contacts") else { return nil }
        self.init(contacts: contacts.compactMap(Contact.init(reading:)), next: members.string("next"))
    }
}
