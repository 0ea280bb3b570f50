import RoostWire

/// A direct conversation as seen by the one of its users who has blocked the other. It is stored in the conversation.
/// Loop thread only.
struct Veiling {
    /// Where the conversation ends for that user; nil for most.
    var veil: Veil?
    /// The blocker, while the blocked user's opening of the conversation is on its way to the log. The blocker can't
    /// name the conversation meanwhile.
    private(set) var joiner: UserNumber?

    @inline(__always)
    var isEmpty: Bool { veil == nil && joiner == nil }

    /// Whether the conversation isn't there for the user.
    /// - Parameter joinedAt: nil if the user is no member.
    func hidesAll(from user: UserNumber, since joinedAt: Position?) -> Bool {
        // A present member has come by another opening, from before the block.
        guard let joinedAt else { return joiner == user }
        guard let veil, veil.user == user else { return false }
        return veil.hidesAll(since: joinedAt)
    }

    /// A user blocked by this one opens the conversation.
    mutating func expect(_ user: UserNumber) { joiner = user }

    /// It is known what has become of that.
    mutating func settle(_ user: UserNumber? = nil) {
        if user == nil || user == joiner { joiner = nil }
    }
}
