import RoostWire

/// What is stored of an invitation. The code itself isn't.
public struct StoredInvite: Hashable, Sendable {
    /// SHA-256 of the code.
    public var hash: [UInt8]
    /// The group to which it invites; `.none` if it makes contacts.
    public var conversation: ConversationNumber
    /// What those who open it become to the maker; empty if it invites to a group.
    public var kind: String
    /// How many may open it, and how many have.
    public var uses, used: Int
    /// When it was made, and until when it is good.
    public var created, expires: Timestamp

    /// Creates one that nobody has opened.
    public init(
        hash: [UInt8], conversation: ConversationNumber, kind: String, uses: Int, used: Int = 0, created: Timestamp,
        expires: Timestamp
    ) {
        self.hash = hash
        self.conversation = conversation
        self.kind = kind
        self.uses = uses
        self.used = used
        self.created = created
        self.expires = expires
    }

    /// Whether it can be opened at this time, as far as it says so itself.
    public func isGood(at time: Timestamp) -> Bool { used < uses && time < expires }
}
