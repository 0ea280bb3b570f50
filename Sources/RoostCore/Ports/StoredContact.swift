import RoostWire

/// The stored form of a contact, or an invitation, of two users.
public struct StoredContact: Hashable, Sendable {
    /// One of the two users.
    public struct Side: Hashable, Sendable {
        /// This user's relation to the other.
        public var kind: String
        /// This user's note about the other; empty if there is none.
        public var label: String

        /// Creates a side.
        public init(kind: String, label: String = "") {
            self.kind = kind
            self.label = label
        }
    }

    /// The user who has invited the other and waits for an answer; nil once both have accepted.
    public var inviter: UserNumber?
    /// The user with the lower number, and the other.
    public var low, high: Side
    /// When it got into this state.
    public var since: Timestamp
    /// Whether the invited user had blocked the inviter, and never gets the invitation.
    public var isWithheld: Bool
    /// Whether the inviter has opened a link of the other one, who has blocked it: it sees an accepted contact.
    public var isByLink: Bool

    /// Creates a contact.
    public init(
        inviter: UserNumber?, low: Side, high: Side, since: Timestamp, isWithheld: Bool = false, isByLink: Bool = false
    ) {
        self.isWithheld = isWithheld
        self.isByLink = isByLink
        self.inviter = inviter
        self.low = low
        self.high = high
        self.since = since
    }
}

/// The stored form of a person who isn't a user yet.
public struct StoredProspect: Hashable, Sendable {
    /// The person's name.
    public var name: String
    /// A note; empty if there is none.
    public var note: String

    /// Creates a prospect.
    public init(name: String, note: String) {
        self.name = name
        self.note = note
    }
}
