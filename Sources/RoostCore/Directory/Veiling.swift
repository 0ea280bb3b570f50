import RoostWire

/// What a direct conversation is to the one of its users who has blocked the other. It is stored in the conversation.
/// Loop thread only.
struct Veiling {
    /// Where the conversation ends for that user; nil for most.
    var veil: Veil?
    /// The user for whom somebody opens it whom that user has blocked, while that is on its way to the log. The user
    /// can't name the conversation meanwhile.
    private(set) var joiner: UserNumber?

    @inline(__always)
    var isEmpty: Bool { veil == nil && joiner == nil }

    /// Whether the conversation isn't there for the user.
    /// - Parameter joinedAt: nil if the user is no member.
    func hidesAll(from user: UserNumber, since joinedAt: Position?) -> Bool {
        // Who is a member already has come by another opening, from before the block.
        guard let joinedAt else { return joiner == user }
        guard let veil, veil.user == user else { return false }
        return veil.hidesAll(since: joinedAt)
    }

    /// Somebody whom the user has blocked opens the conversation.
    mutating func expect(_ user: UserNumber) { joiner = user }

    /// It is known what has become of that.
    mutating func settle(_ user: UserNumber? = nil) {
        if user == nil || user == joiner { joiner = nil }
    }
}
