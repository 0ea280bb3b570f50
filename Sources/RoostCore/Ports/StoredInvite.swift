import RoostWire

/// An invitation as it is stored, without its code. A request to join a group is stored in the same way, as one of the
/// waiting user, with the hash of its link.
public struct StoredInvite: Hashable, Sendable {
    /// SHA-256 of the code.
    public var hash: [UInt8]
    /// The group to which it invites; `.none` if it makes contacts.
    public var conversation: ConversationNumber
    /// Kind of contact that it makes; empty if it invites to a group, and `asking` for a request.
    public var kind: String
    /// Number of users who may open it, and who have.
    public var uses, used: Int
    /// Time when it was made, and when it expires.
    public var created, expires: Timestamp

    /// The kind of a request.
    public static let asking = "ask"

    /// Whether it is a request to join a group.
    public var isRequest: Bool { conversation != .none && kind == StoredInvite.asking }

    /// Creates an unopened one.
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
